"""Code location of the graph of numbers, for a daemon or a web server in tests."""

import os
from pathlib import Path

import dagster as dg

from envplatform.configuration import home_folder
from tests.assets.numbers import ASSETS, numbers_are_positive, resources

defs = dg.Definitions(
    assets=ASSETS,
    asset_checks=[numbers_are_positive],
    resources=resources(home_folder(os.environ, checkout=Path.cwd())),
)
