"""A pytest that has started, waits before anything of the repository runs, and forks.

Each fork goes on from there as if it had come so far on its own. Where no conftest.py
counts, that is just before collection; else just before the first of them is loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from . import absent
from .child import BROKEN, _arguments, _enter_repository
from .lines import NoLines
from .plugin import Plugin
from .screen_worker import UNFIT, Send

Branch = Callable[[], "tuple[dict[str, Any], Callable[[int], Send]]"]
"""Waits for requests; returns in a fork, with its job and its streams."""


class Stem:
    """The plugin that waits at one of two points."""

    def __init__(self, job: dict[str, Any], branch: Branch) -> None:
        self._branch = branch
        self._is_early = has_conftest(job["root"], job["paths"])
        self._job: dict[str, Any] = job
        self.plugin: Plugin | None = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(
        self, early_config: pytest.Config
    ) -> Generator[None, None, None]:
        """Wait before the first conftest.py."""
        if self._is_early:
            self._wait(early_config)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, None, None]:
        """Wait before collection, if not before; then collect what is asked for."""
        if not self._is_early:
            self._wait(session.config)
        session.config.args[:] = self._job["paths"]
        yield

    def _wait(self, config: pytest.Config) -> None:
        self._job, open_stream = self._branch()
        self.plugin = Plugin(self._job, open_stream, NoLines())
        config.pluginmanager.register(self.plugin)


def run_stem(job: dict[str, Any], branch: Branch) -> None:
    """Start pytest and wait in it; never returns, and forks end here too."""
    status, stem = BROKEN, Stem(job, branch)
    leave = os._exit  # bound now: suites patch modules
    try:
        _enter_repository(job)
        arguments = _arguments(job, absent.BLOCKED)
        status = int(pytest.main(arguments, plugins=[stem, absent]))
        if stem.plugin is not None:
            stem.plugin.finish(status)
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        leave(status if stem.plugin is not None else UNFIT)


def runs_repository(root: str, own: frozenset[str]) -> bool:
    """Whether any module of the repository is imported."""
    return any(
        name.partition(".")[0] in own
        or str(getattr(module, "__file__", None) or "").startswith(root)
        for name, module in list(sys.modules.items())
    )


def has_conftest(root: str, paths: list[str]) -> bool:
    """Whether pytest would load a conftest.py for `paths`, files below `root`."""
    top = Path(root)
    return any(
        (folder / "conftest.py").exists()
        for path in paths
        for folder in (top / path).parents
        if folder == top or top in folder.parents
    )
