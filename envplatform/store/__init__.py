"""Blobs, tables, manifests and results on the local disk; the truth about lineage.

Start with `Store`. Nothing here knows Dagster, an asset by name, or what rows mean.
"""

from envplatform.store.failures import Failure
from envplatform.store.health import AssetStatus, Problem
from envplatform.store.manifest import (
    Cost,
    Fact,
    Input,
    Manifest,
    Origin,
    Recipe,
    Tool,
    combined_digest,
    tools_of,
)
from envplatform.store.results import ResultCache, result_key
from envplatform.store.shapes import NOT_IDENTITY, record_of
from envplatform.store.status import status_json
from envplatform.store.store import Store

__all__ = [
    "NOT_IDENTITY",
    "AssetStatus",
    "Cost",
    "Fact",
    "Failure",
    "Input",
    "Manifest",
    "Origin",
    "Problem",
    "Recipe",
    "ResultCache",
    "Store",
    "Tool",
    "combined_digest",
    "record_of",
    "result_key",
    "status_json",
    "tools_of",
]
