"""The programs of a task over a workspace: how verifier and oracle lie in an environment.

Both run in sandboxes only, beside `seedlib.py`. Here: which files go where. Not here:
what they say (`inside`, seeds, families).
"""

from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Protocol

from envplatform.tree import File, Tree, tree_digest

_TEST = b"""\
#!/bin/sh
exec python3 -I -B /tests/grade.py
"""
_SOLVE = b"""\
#!/bin/sh
exec python3 -I -B /solution/solve.py
"""
READ_ME = b"""\
The resources of this task are served: `ws list` tells what there is, `ws --help` how to
ask. This folder is yours; what the task wants delivered goes here or is written by `ws`.
"""
"""What lies in /workspace at the beginning, so that it is never empty."""


class Located(Protocol):
    """A resource, so far as it matters here."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def location(self) -> str:
        """A file that is held, or a folder of them."""


def grader_files(verifier: Tree, criteria: Sequence[str]) -> dict[str, File]:
    """Return /tests: `verifier` holds verifier.py and what it reads beside it."""
    return {
        "test.sh": File(_TEST, executable=True),
        "grade.py": _inside("grade.py"),
        "seedlib.py": _inside("seedlib.py"),
        "criteria.txt": File("".join(f"{name}\n" for name in criteria).encode()),
        **verifier,
    }


def oracle_files(oracle: Tree) -> dict[str, File]:
    """Return /solution: `oracle` holds oracle.py and what it reads beside it."""
    return {
        "solve.sh": File(_SOLVE, executable=True),
        "solve.py": _inside("solve.py"),
        "seedlib.py": _inside("seedlib.py"),
        **oracle,
    }


def frozen_digests(resources: Iterable[Located], served: Tree) -> dict[str, str]:
    """Return the digest that each resource must keep, by its name."""
    return {
        one.name: tree_digest(
            {
                path: file
                for path, file in served.items()
                if path == one.location or path.startswith(f"{one.location}/")
            }
        )
        for one in resources
    }


def _inside(name: str) -> File:
    folder = resources.files("envplatform.workspace") / "inside"
    return File((folder / name).read_bytes())
