"""Which package index to ask: the one that pip on this machine is set up for."""

import ast
import subprocess
import sys
from dataclasses import dataclass

from pypi_simple import PYPI_SIMPLE_ENDPOINT

_ANSWER_S = 30
_RANK = ("global", "user", "site", ":env:")
"""Where pip finds settings; a later one wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageIndex:
    """A simple-API index and how to trust it."""

    url: str = PYPI_SIMPLE_ENDPOINT
    certificate: str | None = None
    """Path of a bundle of certificate authorities; None for the usual one."""


def configured_index() -> PackageIndex:
    """Return what `pip config` says, files and environment alike."""
    answer = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        check=False,
        capture_output=True,
        text=True,
        timeout=_ANSWER_S,
    )
    return parse_pip_config(answer.stdout)


def parse_pip_config(listing: str) -> PackageIndex:
    """Read lines like `global.index-url='https://...'`; unknown lines are skipped."""
    found: dict[tuple[int, str], str] = {}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        place, _, name = key.partition(".")
        if place in _RANK and name in {"index-url", "cert"}:
            try:
                found[_RANK.index(place), name] = str(ast.literal_eval(value))
            except (ValueError, SyntaxError):
                continue
    chosen = {name: value for (_, name), value in sorted(found.items())}
    return PackageIndex(
        url=chosen.get("index-url", PYPI_SIMPLE_ENDPOINT),
        certificate=chosen.get("cert"),
    )
