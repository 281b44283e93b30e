"""A plugin in place of those that must not run: their marks, settings and fixtures.

They order, distribute, repeat or trace tests, or keep state between runs. A suite that was
written for them must be found all the same, above all where it is strict about marks
and settings that nobody registered.
"""

from __future__ import annotations

import pytest

BLOCKED = (
    "cacheprovider",
    "randomly",
    "random_order",
    "xdist",
    "cov",
    "pytest_cov",
    "rerunfailures",
    "flaky",
)
"""By the names that they are registered under."""
_MARKS = ("xdist_group(name)", "no_cover", "random_order(disabled)", "flaky(reruns)")
_SETTINGS = (
    "cache_dir",
    "looponfailroots",
    "rsyncdirs",
    "rsyncignore",
    "reruns",
    "reruns_delay",
    "reruns_delay_backoff_factor",
    "only_rerun",
    "rerun_except",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know their settings."""
    for name in _SETTINGS:
        parser.addini(name, "of a plugin that is blocked")


def pytest_configure(config: pytest.Config) -> None:
    """Know their marks."""
    for mark in _MARKS:
        config.addinivalue_line("markers", f"{mark}: of a plugin that is blocked")


@pytest.fixture(scope="session")
def worker_id() -> str:
    """Name the only process, as pytest-xdist does."""
    return "master"


@pytest.fixture(scope="session")
def testrun_uid() -> str:
    """Name the run, as pytest-xdist does."""
    return "only"
