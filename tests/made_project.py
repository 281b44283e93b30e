"""A project of one tiny target and one broken one, made by a run that was killed once."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from envplatform.tree import write_tree
from tests.swe.small_repository import HEALTHY

CHECKOUT = Path(__file__).resolve().parents[1]
REPOSITORY = "made__spans"
BROKEN = "broken__red-target"
_NOT_INHERITED = ("DAGSTER_HOME", "ENVPLATFORM_POSTGRES_URL")
_PATIENCE_S = 240

_TARGET = """\
name = "{name}"
license = "Apache-2.0"
python = ["{python}"]
requirements = [{pins}]
source = {{ kind = "path", path = "spans" }}
code = {{ roots = ["spans"] }}
[suite]
paths = ["tests"]
"""
_CONFIGURATION = """\
[sandbox]
kind = "bubblewrap"
[targets]
builtin = []
files = ["red target.toml", "spans.toml"]
[fixes]
sources = []
[seeds]
builtin = []
[cowork]
shards = 0
[synthesis]
candidates_per_repository = 5
environments_per_repository = 2
fail_to_pass_repeats = 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder with an envplatform.toml, and the home of what is made of it."""

    folder: Path

    @property
    def file(self) -> Path:
        """The configuration."""
        return self.folder / "envplatform.toml"

    @property
    def home(self) -> Path:
        """$ENVPLATFORM_HOME."""
        return self.folder / "home"

    @property
    def environ(self) -> dict[str, str]:
        """What names both to a process."""
        return {
            "ENVPLATFORM_HOME": str(self.home),
            "ENVPLATFORM_CONFIG": str(self.file),
        }

    def verdicts(self) -> dict[Path, int]:
        """Verdicts in the result cache so far, with the time each was written."""
        folder = self.home / "results" / "prove"
        kept = [path for path in folder.glob("*/*") if not path.name.startswith(".")]
        return {path: path.stat().st_mtime_ns for path in kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How `python -m assets.run` ended."""

    code: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A project with everything made, in two attempts."""

    project: Project
    verdicts_when_killed: Mapping[Path, int]
    finished: Finished


def write_project(folder: Path, *, images: Path) -> Project:
    """Write the repository, its target and a broken one; images come from a cache."""
    project = Project(folder=folder)
    write_tree(HEALTHY, folder / "spans")
    text = _TARGET.format(
        name=REPOSITORY,
        python="{}.{}".format(*sys.version_info[:2]),
        pins=", ".join(f'"{pin}"' for pin in DEFAULT_REQUIREMENTS),
    )
    (folder / "spans.toml").write_text(text)
    (folder / "red target.toml").write_text('name = "made__red"\nlicence = "MIT"\n')
    project.file.write_text(_CONFIGURATION)
    images.mkdir(parents=True, exist_ok=True)
    (project.home / "cache").mkdir(parents=True)
    (project.home / "cache" / "targets").symlink_to(images)
    return project


def make(project: Project) -> Finished:
    """Materialise everything, as `envplatform demo` does."""
    process = _start(project)
    _, errors = process.communicate(timeout=_PATIENCE_S)
    return Finished(code=process.returncode, output=errors)


def make_in_two_attempts(project: Project) -> Made:
    """Kill the first attempt between two verdicts, then make everything."""
    process = _start(project)
    deadline = time.monotonic() + _PATIENCE_S
    while not project.verdicts() and process.poll() is None:
        assert time.monotonic() < deadline, "no verdict"
        time.sleep(0.02)
    process.kill()
    _, errors = process.communicate()
    assert process.returncode < 0, errors
    return Made(
        project=project,
        verdicts_when_killed=project.verdicts(),
        finished=make(project),
    )


def _start(project: Project) -> subprocess.Popen[str]:
    inherited = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    return subprocess.Popen(
        [sys.executable, "-m", "assets.run"],
        cwd=CHECKOUT,
        env={**inherited, **project.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
