"""Lists of requirements in files of their own: requirements*.txt, tox.ini."""

import posixpath
import re
from collections.abc import Iterator

from envplatform.swe.targets.drafting.declared_needs import Asked
from envplatform.swe.targets.drafting.reading import ini_of, text_of
from envplatform.tree import Tree

_TESTS = re.compile(
    r"(tests?/)?(requirements?[/_.-])?(tests?|testing|ci)([_.-]?requirements?)?\.(txt|in)"
    r"|tests?/requirements?\.(txt|in)"
)
_DEVELOPMENT = re.compile(
    r"(requirements?[/_.-])?(dev|devel|develop|development)([_.-]?requirements?)?"
    r"\.(txt|in)"
)
_RUNTIME = (
    "requirements.txt",
    "requirements/base.txt",
    "requirements/requirements.txt",
)
_MAX_DEPTH = 5


def runtime_files(tree: Tree) -> tuple[Asked, ...]:
    """What the file says that usually lists what the code needs."""
    for path in _RUNTIME:
        found = tuple(_read(tree, path))
        if found:
            return found
    return ()


def test_files(tree: Tree) -> tuple[Asked, ...]:
    """What files say whose name says that they are for tests."""
    found = [one for path in _named(tree, _TESTS) for one in _read(tree, path)]
    return tuple(dict.fromkeys(found))


def development_files(tree: Tree) -> tuple[Asked, ...]:
    """What files say that are for development: linters, and maybe what tests need."""
    found = [one for path in _named(tree, _DEVELOPMENT) for one in _read(tree, path)]
    return tuple(dict.fromkeys(found))


def tox_requirements(tree: Tree) -> tuple[Asked, ...]:
    """`deps` of tox.ini's `[testenv]` that hold for every environment."""
    text = ini_of(tree, "tox.ini").get("testenv", {}).get("deps", "")
    return tuple(_lines(tree, text, folder="", where="tox.ini deps", depth=0))


def _named(tree: Tree, pattern: re.Pattern[str]) -> list[str]:
    return sorted(path for path in tree if pattern.fullmatch(path.lower()))


def _read(tree: Tree, path: str, depth: int = 0) -> Iterator[Asked]:
    folder = posixpath.dirname(path)
    yield from _lines(tree, text_of(tree, path), folder=folder, where=path, depth=depth)


def _lines(
    tree: Tree, text: str, *, folder: str, where: str, depth: int
) -> Iterator[Asked]:
    for line in text.replace("\\\n", " ").splitlines():
        words = re.sub(r"(^|\s)#.*", "", line).split(" --")[0].strip()
        other = re.fullmatch(r"(?:-r|--requirement)[ =]?\s*(\S+)", words)
        if other and depth < _MAX_DEPTH:
            named = posixpath.normpath(posixpath.join(folder, other[1]))
            yield from _read(tree, named, depth + 1)
        elif words and re.match(r"[A-Za-z0-9]", words) and not _is_conditional(words):
            yield Asked(requirement=words, where=where)


def _is_conditional(words: str) -> bool:
    """Tox's `py37: name`, which holds for one environment; URLs and paths."""
    return bool(re.match(r"[\w{},!-]+:", words)) or "{" in words or "/" in words
