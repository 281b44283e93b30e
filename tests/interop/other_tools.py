"""Programs of others, each in a virtual environment of its own, made once.

Two processes of the suite may want one at the same time: they take turns by a lock, and
the second finds it made.
"""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envplatform.errors import EnvPlatformError
from envplatform.sandbox.interpreters import find_interpreter

INSTALLED = "installed"
_PATIENCE_S = 900


def commands_of(
    requirement: str, cache: Path, *, python: str = "", modules: str = ""
) -> Path:
    """The folder of commands of `package==version`; skips where it can't be had.

    Args:
        requirement: exactly one version of one package.
        cache: folder that outlives a run of the suite.
        python: minor version that it needs; empty: that of the suite.
        modules: imported once, so that a broken installation is told here.
    """
    assert "==" in requirement, "or the next release decides what the tests say"
    folder = cache / "tools" / requirement
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / INSTALLED).exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
            _install(requirement, folder, python)
            if modules:
                _run([folder / "bin" / "python", "-c", f"import {modules}"])
            (folder / INSTALLED).touch()
    return folder / "bin"


def _install(requirement: str, folder: Path, python: str) -> None:
    executable = Path(sys.executable)
    if python:
        try:
            executable = Path(find_interpreter(python).executable)
        except EnvPlatformError as error:
            pytest.skip(f"{requirement} needs Python {python}: {error}")
    _run([executable, "-m", "venv", folder])
    words: list[str | Path] = [folder / "bin" / "pip", "install", "-q", requirement]
    try:
        done = _run(words, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{requirement} could not be had within {_PATIENCE_S} s")
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        said = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        pytest.skip(f"the package index gives no {requirement}: {said[:300]}")


def _run(
    words: list[str | Path], *, check: bool = True
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, timeout=_PATIENCE_S, check=check
    )
