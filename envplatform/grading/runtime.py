"""Our own programs as they are handed to sandboxes: their source, and its byte code.

Compiled once by this process, from what ships with the platform and from nothing else:
no line that an agent, a model or an environment wrote is compiled on this side. Beside
a source whose text is ours byte code lies where Python looks for it, for this version of
Python only; every other one passes it over and reads the source.
"""

import py_compile
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from envplatform.tree import File, Tree
from envplatform.ws.launcher import NAME, SOURCE

_CACHE = "__pycache__"
_PACKAGES = (
    "envplatform.ws",
    "envplatform.workspace.inside",
    "envplatform.workspace.recovery",
    "envplatform.cowork.inside",
)
"""Whose texts are ours wherever they lie."""


@cache
def ws_tree() -> Mapping[str, File]:
    """Return the package `ws` and its start, as data."""
    package = {f"ws/{name}": File(data) for name, data in _sources("envplatform.ws")}
    return {**package, NAME: File(SOURCE)}


def with_byte_code(tree: Tree) -> Tree:
    """Return `tree`, with byte code of those files in it whose text is ours.

    A tree that brings byte code of its own gets none.
    """
    if any(_CACHE in path.split("/") for path in tree):
        return tree
    code = {
        _place(path): File(_compiled(file.data))
        for path, file in tree.items()
        if path.endswith(".py") and file.data in _texts()
    }
    return {**tree, **code}


@cache
def _texts() -> frozenset[bytes]:
    packages = {data for name in _PACKAGES for _, data in _sources(name)}
    return frozenset((*packages, SOURCE))


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(resources.files(package).iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".py"):
            yield entry.name, entry.read_bytes()


def _place(path: str) -> str:
    """Return where this Python looks for the byte code of the source at `path`."""
    folder, _, name = path.rpartition("/")
    stem = f"{name.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"
    return "/".join(filter(None, (folder, _CACHE, stem)))


@cache
def _compiled(source: bytes) -> bytes:
    """Return what Python keeps of a source, not to be held against it once more.

    Where the source lies Python fills in when it loads this.
    """
    with TemporaryDirectory(prefix="envplatform-") as scratch:
        text, code = Path(scratch) / "source.py", Path(scratch) / "code.pyc"
        text.write_bytes(source)
        py_compile.compile(
            str(text),
            cfile=str(code),
            dfile="<ours>",
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        return code.read_bytes()
