"""Which packages code and tests import, as far as their syntax tells."""

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeGuard

from envplatform.tree import Tree

_MAX_BYTES = 1_000_000
_DISTRIBUTIONS = {
    "OpenSSL": "pyopenssl", "PIL": "pillow", "attr": "attrs", "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless", "dateutil": "python-dateutil",
    "dns": "dnspython", "docx": "python-docx", "dotenv": "python-dotenv",
    "git": "gitpython", "google.protobuf": "protobuf", "jose": "python-jose",
    "jwt": "pyjwt", "magic": "python-magic", "markdown_it": "markdown-it-py",
    "mpl_toolkits": "matplotlib", "msgpack": "msgpack", "nacl": "pynacl",
    "pkg_resources": "setuptools", "serial": "pyserial", "skimage": "scikit-image",
    "sklearn": "scikit-learn", "slugify": "python-slugify", "socks": "pysocks",
    "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
"""Names that are imported, where the package on the index is called otherwise."""
_FIXTURES = {
    "mocker": "pytest-mock", "benchmark": "pytest-benchmark",
    "requests_mock": "requests-mock", "httpserver": "pytest-httpserver",
    "httpx_mock": "pytest-httpx", "freezer": "pytest-freezer", "fs": "pyfakefs",
    "snapshot": "syrupy", "datadir": "pytest-datadir", "faker": "faker",
    "aiohttp_client": "pytest-aiohttp", "qtbot": "pytest-qt",
}  # fmt: skip
_MARKS = {"asyncio": "pytest-asyncio", "trio": "pytest-trio", "timeout": "pytest-timeout",
          "django_db": "pytest-django", "flaky": "flaky", "anyio": "anyio",
          "freeze_time": "pytest-freezer"}  # fmt: skip
_IGNORED = frozenset({"pytest", "_pytest", "__main__"})


def imported_by(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Top-level names that files import for certain, each with the first file.

    Imports inside of functions, `try` and `if` are left out: code can do without them.
    """
    found: dict[str, str] = {}
    for path in sorted(paths):
        for name in _names(_parsed(tree, path)):
            found.setdefault(name, path)
    return found


def plugins_used(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Plugins of pytest that fixtures and marks of test files belong to, with the file."""
    found: dict[str, str] = {}
    own: set[str] = set()
    for path in sorted(paths):
        for node in ast.walk(_parsed(tree, path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                own.add(node.name)
                for argument in node.args.args:
                    if argument.arg in _FIXTURES:
                        found.setdefault(argument.arg, path)
            elif _is_known_mark(node):
                found.setdefault(f"mark.{node.attr}", path)
    return {
        _FIXTURES.get(name) or _MARKS[name.removeprefix("mark.")]: path
        for name, path in found.items()
        if name not in own
    }


def foreign(imported: Iterable[str], tree: Tree, paths: Iterable[str]) -> list[str]:
    """Names that are neither the standard library's nor of the repository itself.

    Its own are what lies at the top or below `src`, and beside or above any of `paths`.
    """
    own: set[str] = set(_IGNORED)
    folders = {folder for path in paths for folder in PurePosixPath(path).parents}
    folders |= {PurePosixPath(), PurePosixPath("src")}
    for path in map(PurePosixPath, tree):
        if path.suffix == ".py":
            own |= {
                PurePosixPath(path.parts[len(folder.parts)]).stem
                for folder in (path.parent, *path.parents)
                if folder in folders and folder.parts == path.parts[: len(folder.parts)]
            }
    return sorted(set(imported) - sys.stdlib_module_names - own)


def distribution_of(module: str) -> str:
    """Guess what package an import comes from."""
    return _DISTRIBUTIONS.get(module, module.replace("_", "-").lower())


def _parsed(tree: Tree, path: str) -> ast.Module:
    data = tree[path].data
    empty = ast.Module(body=[], type_ignores=[])
    if len(data) > _MAX_BYTES:
        return empty
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return empty


def _names(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _is_known_mark(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether it is `mark.NAME`, with a name that a plugin gives meaning to."""
    if not isinstance(node, ast.Attribute) or node.attr not in _MARKS:
        return False
    match node.value:
        case ast.Attribute(attr="mark") | ast.Name(id="mark"):
            return True
    return False
