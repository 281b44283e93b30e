"""$DAGSTER_HOME for commands started from a terminal: one instance for all of them."""

import os
import shutil
from pathlib import Path

import dagster as dg

from assets.instance import dagster_folder
from assets.pools import set_pool_limits
from envplatform.configuration import HOME_VARIABLE, home_folder

CHECKOUT = Path(__file__).resolve().parents[1]


def prepare_home() -> Path:
    """Make the folder, put dagster.yaml into it, and name it in the environment.

    $ENVPLATFORM_HOME is named there too: processes started from here, whatever their
    working directory, find the same home.
    """
    os.environ[HOME_VARIABLE] = str(home_folder(os.environ, checkout=CHECKOUT))
    folder = dagster_folder()
    folder.mkdir(parents=True, exist_ok=True)
    settings = CHECKOUT / "dagster.yaml"
    shutil.copyfile(settings, folder / settings.name)
    os.environ["DAGSTER_HOME"] = str(folder)
    return folder


def open_instance() -> dg.DagsterInstance:
    """Open the instance that the UI uses, with the limits of its pools set."""
    prepare_home()
    instance = dg.DagsterInstance.get()
    set_pool_limits(instance)
    return instance
