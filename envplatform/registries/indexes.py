"""Which package index to ask: the one that pip on this machine is set up for."""

import ast
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pypi_simple import PYPI_SIMPLE_ENDPOINT

_ANSWER_S = 30
_RANK = ("global", "user", "site", ":env:")
"""Where pip finds settings; a later one wins."""
_ELSEWHERE = {
    "index-url": "PIP_INDEX_URL",
    "extra-index-url": "PIP_EXTRA_INDEX_URL",
    "find-links": "PIP_FIND_LINKS",
    "trusted-host": "PIP_TRUSTED_HOST",
}
"""Settings that mean something on another machine, to the variable that gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageIndex:
    """A simple-API index and how to trust it."""

    url: str = PYPI_SIMPLE_ENDPOINT
    certificate: str | None = None
    """Path of a bundle of certificate authorities; None for the usual one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipSettings:
    """What pip needs elsewhere to look where it looks here. May hold passwords."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """`PIP_INDEX_URL` and the like."""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """`PIP_CERT` to the content of the bundle."""


def configured_index() -> PackageIndex:
    """Return what `pip config` says, files and environment alike."""
    return parse_pip_config(_pip_config())


def pip_settings() -> PipSettings:
    """Return what pip is set up with here, without what names files of this machine."""
    found = _chosen(_pip_config(), frozenset({*_ELSEWHERE, "cert"}))
    variables: dict[str, str] = {}
    for name, variable in _ELSEWHERE.items():
        words = found.get(name, "").split()
        there = [word for word in words if not word.startswith(("/", "file:", "."))]
        if there:
            variables[variable] = " ".join(there)
    files: dict[str, bytes] = {}
    certificate = found.get("cert")
    if variables and certificate:
        with suppress(OSError):  # pip then says better what is wrong
            files["PIP_CERT"] = Path(certificate).read_bytes()
    return PipSettings(variables=variables, files=files)


def _pip_config() -> str:
    answer = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        check=False,
        capture_output=True,
        text=True,
        timeout=_ANSWER_S,
    )
    return answer.stdout


def parse_pip_config(listing: str) -> PackageIndex:
    """Read lines like `global.index-url='https://...'`; unknown lines are skipped."""
    chosen = _chosen(listing, frozenset({"index-url", "cert"}))
    return PackageIndex(
        url=chosen.get("index-url", PYPI_SIMPLE_ENDPOINT),
        certificate=chosen.get("cert"),
    )


def _chosen(listing: str, names: frozenset[str]) -> dict[str, str]:
    """Return the settings of `names` that hold, by name."""
    found: dict[tuple[int, str], str] = {}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        place, _, name = key.partition(".")
        if place in _RANK and name in names:
            try:
                found[_RANK.index(place), name] = str(ast.literal_eval(value))
            except (ValueError, SyntaxError):
                continue
    return {name: value for (_, name), value in sorted(found.items())}
