"""Reading `envplatform.toml`, and where artefacts live."""

import os
from collections.abc import Mapping
from pathlib import Path

from envplatform.configuration.bug_models import anchored_bug_models
from envplatform.configuration.fixes import anchored_fixes
from envplatform.configuration.library import anchored_library
from envplatform.configuration.online import anchored_distillation
from envplatform.configuration.release import anchored_release
from envplatform.configuration.rollouts import anchored_selection
from envplatform.configuration.settings import Configuration
from envplatform.configuration.training import anchored_training
from envplatform.errors import ConfigError
from envplatform.toml_file import parse_toml

CONFIGURATION_FILE = "envplatform.toml"
HOME_VARIABLE = "ENVPLATFORM_HOME"
CONFIG_VARIABLE = "ENVPLATFORM_CONFIG"
"""Path of envplatform.toml, for processes that are not started beside it."""
DEFAULT_HOME = ".envplatform"


def parse_configuration(text: str, *, source: str) -> Configuration:
    """Read the text of a configuration file.

    Raises:
        ConfigError: names `source`, every wrong key, what stands there and why.
    """
    return parse_toml(Configuration, text, source=source)


def load_configuration(path: Path) -> Configuration:
    """Read `path`.

    Raises:
        ConfigError: the file is missing, unreadable or wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} can't be read ({error}); `envplatform init` writes one"
        raise ConfigError(msg) from error
    configuration = parse_configuration(text, source=str(path))
    return _anchored(configuration, path.absolute().parent)


def home_folder(environ: Mapping[str, str] = os.environ, *, checkout: Path) -> Path:
    """Where artefacts live: $ENVPLATFORM_HOME, else `.envplatform` in the checkout."""
    chosen = environ.get(HOME_VARIABLE)
    return (Path(chosen) if chosen else checkout / DEFAULT_HOME).absolute()


def _anchored(configuration: Configuration, folder: Path) -> Configuration:
    """Make the paths in it absolute, so that no working directory matters later."""
    files = tuple(str(folder / file) for file in configuration.targets.files)
    targets = configuration.targets.model_copy(update={"files": files})
    fixes = anchored_fixes(configuration.fixes, folder)
    folders = tuple(str(folder / path) for path in configuration.seeds.folders)
    seeds = configuration.seeds.model_copy(update={"folders": folders})
    library = anchored_library(configuration.cowork.library, folder)
    cowork = configuration.cowork.model_copy(update={"library": library})
    selection = anchored_selection(configuration.selection, folder)
    bug_models = anchored_bug_models(configuration.bug_models, folder)
    training = anchored_training(configuration.training, folder)
    distillation = anchored_distillation(configuration.distillation, folder)
    release = anchored_release(configuration.release, folder)
    return configuration.model_copy(
        update={
            "targets": targets,
            "fixes": fixes,
            "seeds": seeds,
            "cowork": cowork,
            "selection": selection,
            "bug_models": bug_models,
            "training": training,
            "distillation": distillation,
            "release": release,
        }
    )
