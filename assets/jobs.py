"""Jobs that a person starts with one click."""

import dagster as dg

SYNTHESIS = "swe_synthesis"

swe_synthesis = dg.define_asset_job(
    SYNTHESIS,
    selection=dg.AssetSelection.groups("bugs"),
    description="From healthy repositories to gated environments and their report.",
)
