"""Say of a missing module that it has to be compiled, where the tree shows its source."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from envplatform.tree import Tree

_MISSING = re.compile(r"(?:No module named|cannot import name) '([\w.]+)'")
_COMPILED = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".f", ".f90", ".pyf", ".pyx", ".rs"}
)


def unbuilt_modules(tree: Tree, said: str) -> Iterator[str]:
    """Yield a line for each module that `said` misses and whose source `tree` holds.

    `said` are error messages of Python. Rust crates are known by their Cargo.toml.
    """
    for module in dict.fromkeys(_MISSING.findall(said)):
        source = _source(tree, module.rpartition(".")[2])
        if source:
            yield (
                f"{module} is compiled from {source}, and nothing is compiled here: "
                "the suite can only run where the code does without it, or in an image "
                "that holds it"
            )


def _source(tree: Tree, name: str) -> str | None:
    for path in sorted(tree):
        place = PurePosixPath(path)
        stem = place.stem.removesuffix("module")
        if place.suffix in _COMPILED and stem in {name, name.lstrip("_")}:
            return path
        if (
            place.name == "Cargo.toml"
            and f'name = "{name}"'.encode() in tree[path].data
        ):
            return path
    return None
