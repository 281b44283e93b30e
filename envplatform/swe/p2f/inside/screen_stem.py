"""A pytest that has started, waits before anything of the repository runs, and forks.

Each fork goes on from there as if it had come so far on its own. Where no conftest.py
counts, that is just before collection; else just before the first of them is loaded.
"""

from __future__ import annotations

import os
import sys
import unittest
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from . import absent
from .child import BROKEN, _arguments, _enter_repository
from .lines import NoLines
from .plugin import Plugin
from .screen_narrow import Narrow
from .screen_worker import UNFIT, Send

Branch = Callable[[], "tuple[dict[str, Any], Callable[[int], Send]]"]
"""Waits for requests; returns in a fork, with its job and its streams."""


_JUDGES_NOTHING = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)


class _Late(Plugin):
    """Learns after it was registered what it is to do, and ends when that is decided."""

    def begin(self, job: dict[str, Any], open_stream: Callable[[int], Send]) -> None:
        """Do `job`, and report to where `open_stream` leads."""
        Plugin.__init__(self, job, open_stream, NoLines())

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> None:
        """End a trial at its first failure, before anybody describes or undoes it.

        What turns a failure into something else decides no verdict here: who survives
        is confirmed.
        """
        super().pytest_runtest_makereport(item, call)
        if self._job.get("is_trial") and self._fails(item, call):
            self._send(self._ended(str(item.nodeid), "failed"))
            self._exit(0)

    def _fails(self, item: pytest.Item, call: pytest.CallInfo[None]) -> bool:
        if call.when != "call" or call.excinfo is None:
            return False
        if self._cause is not None or self._alarm.fired:
            return False
        is_expected = item.get_closest_marker("xfail") is not None
        return not is_expected and not isinstance(call.excinfo.value, _JUDGES_NOTHING)


def _nowhere(_stream: int) -> Send:
    """Stand in for the streams of a fork."""

    def drop(_record: dict[str, Any]) -> None:
        """Nothing is reported before the fork."""

    return drop


class Stem:
    """The plugin that waits at one of two points."""

    def __init__(self, job: dict[str, Any], branch: Branch) -> None:
        self._branch = branch
        self._is_early = has_conftest(job["root"], job["paths"])
        self._job: dict[str, Any] = job
        self._plugin = _Late(job, _nowhere, NoLines())
        self._narrow = Narrow()
        self.plugin: Plugin | None = None
        """In a fork."""

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
        # Registered ahead of all forks: that takes a while.
        config.pluginmanager.register(self._plugin)
        config.pluginmanager.register(self._narrow)
        self._job, open_stream = self._branch()
        self.plugin = self._plugin
        self.plugin.begin(self._job, open_stream)
        self._narrow.want(self._job["root"], self._job["ids"], self._job["paths"])


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
