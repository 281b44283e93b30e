"""The library's own code as data: what a result was made by, so that caches know."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from envplatform.tree import File, tree_digest


@cache
def code_digest(*packages: str) -> str:
    """Return the digest of all sources and data of packages of this library.

    Args:
        packages: names below `envplatform`, `cowork` or `cowork/families`.
    """
    return tree_digest(
        {
            f"{package}/{path}": file
            for package in packages
            for path, file in _files(resources.files("envplatform") / package, "")
        }
    )


def _files(folder: Traversable, at: str) -> Iterator[tuple[str, File]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry, f"{at}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield f"{at}{entry.name}", File(entry.read_bytes())
