"""All guesses about a repository together: the values of its target.toml to be."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from license_expression import (  # type: ignore[import-untyped]  # ships no types
    ExpressionError,
    get_spdx_licensing,
)
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envplatform.errors import TargetError
from envplatform.swe.fixes.histories.licence_text import (
    is_licence_file,
    recognised_licence,
)
from envplatform.swe.targets.drafting.declared import Declared, read_declared
from envplatform.swe.targets.drafting.imports import imported_by
from envplatform.swe.targets.drafting.layout import (
    code_of,
    excluded,
    source_folder,
    tests_of,
)
from envplatform.swe.targets.drafting.needs import needs_of
from envplatform.swe.targets.drafting.reading import text_of
from envplatform.swe.targets.drafting.resolve import pin_all
from envplatform.swe.targets.pythons import KNOWN
from envplatform.tree import Tree

ResolveFor = Callable[[Sequence[str], str], tuple[str, ...]]
"""Takes requirements and a minor version of Python, returns sorted pins."""

_KEPT_ARGUMENTS = re.compile(
    r"--(import-mode|doctest-\w[\w-]*|ignore|ignore-glob|deselect)(=.*)?|-p.*|-[mk].*"
)
_WITH_VALUE = frozenset({"-p", "-m", "-k", "--ignore", "--deselect", "--ignore-glob"})
_TROVE = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
}
_SHOWN_PINS = 6
_NO_VERSION = "0.0.0"
_VERSION = re.compile(
    r"""^__version__(?:\s*:\s*\w+)?\s*=\s*["']([A-Za-z0-9][\w.!+-]*)["']""",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A value of target.toml, and why it is so."""

    key: str
    value: str | tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was guessed, in the order of the file, and what could not be."""

    guesses: tuple[Guess, ...]
    unknown: tuple[str, ...]
    """Sentences for a person: what to look at before the file is used."""
    entry_points: Mapping[str, Mapping[str, str]]
    """Of the package, by group and name, as it declares them."""

    def value(self, key: str) -> str | tuple[str, ...]:
        """Value of one key."""
        return next(guess.value for guess in self.guesses if guess.key == key)


def draft_target(
    tree: Tree, *, called: str, running: str, resolve: ResolveFor
) -> Draft:
    """Guess all values for a repository.

    Args:
        tree: Its files; for a monorepo, those below its working directory.
        called: `owner/name` or name, from its URL or folder.
        running: Minor version of Python to prefer.
        resolve: Finds exact pins; reaches a package index.

    Raises:
        TargetError: no tests or no code can be made out, or what every suite needs
            can't be had.
    """
    declared = read_declared(tree)
    tests = tests_of(tree, declared)
    test_files = [path for path in tree if _is_below(path, tests.paths)]
    folder = source_folder(tree, declared)
    code = code_of(tree, declared, folder, imported_by(tree, test_files))
    if not tests.paths or not code.paths:
        lacking = (
            "Python code" if tests.paths else "tests (a tests folder or test_*.py)"
        )
        msg = f"{called}: no {lacking} can be made out; write a target.toml"
        raise TargetError(msg)
    version = _python(declared, running)
    code_files = [path for path in tree if _is_below(path, code.paths)]
    needs = needs_of(tree, declared, test_files, code_files)
    pinned = pin_all(needs.asked, lambda asked: resolve(asked, str(version.value[0])))
    kept, dropped = _arguments(declared)
    licence = _licence(tree, declared)
    roots = (folder, ".") if folder else (".",)
    package = tuple(_package(tree, declared, code_files))
    places = dict.fromkeys(one.where for one in needs.asked)
    return Draft(
        guesses=(
            _name(declared, called),
            licence,
            version,
            Guess(
                key="requirements",
                value=pinned.pins,
                reason=f"pip's choice for: {', '.join(list(places)[:_SHOWN_PINS])}",
            ),
            Guess(key="suite.paths", value=tests.paths, reason=tests.reason),
            Guess(key="suite.args", value=kept, reason=_from_options(declared)),
            Guess(
                key="suite.pythonpath",
                value=roots,
                reason=f"code is imported from {folder or 'the top'}",
            ),
            Guess(key="code.roots", value=code.paths, reason=code.reason),
            Guess(
                key="code.exclude",
                value=excluded(tree, code.paths),
                reason="tests, vendored and generated files below the roots",
            ),
            *package,
        ),
        entry_points=declared.entry_points if package else {},
        unknown=(
            *needs.refused,
            *pinned.given_up,
            *_left_open(declared, licence, dropped),
            *(guess.reason for guess in package if guess.value == _NO_VERSION),
        ),
    )


def _is_below(path: str, folders: Sequence[str]) -> bool:
    inside = any(
        folder in {".", path} or path.startswith(f"{folder}/") for folder in folders
    )
    return inside and path.endswith(".py")


def _name(declared: Declared, called: str) -> Guess:
    owner, slash, name = called.rpartition("/")
    for url in declared.urls:
        found = re.match(
            r"https?://(?:www\.)?(?:github|gitlab)\.com/([\w.-]+)/([\w.-]+)", url
        )
        if found and not slash:
            owner, name = found[1], found[2].removesuffix(".git")
            return Guess(key="name", value=_joined(owner, name), reason=f"from {url}")
    if not slash and declared.name:
        name = declared.name.value
    reason = "from its URL" if slash else "its own name; nobody says who owns it"
    return Guess(key="name", value=_joined(owner or "local", name), reason=reason)


def _joined(owner: str, name: str) -> str:
    parts = (re.sub(r"[^A-Za-z0-9_.-]+|\.\.+", "-", part) for part in (owner, name))
    owner, name = (part.strip("-.") or "x" for part in parts)
    return f"{owner[:48]}__{name[:48]}"


def _package(
    tree: Tree, declared: Declared, code_files: Sequence[str]
) -> Iterator[Guess]:
    """What `importlib.metadata` says of it; nothing where it has no name."""
    if declared.name is None or not re.fullmatch(
        r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?", declared.name.value, re.ASCII
    ):
        return
    where = f"{declared.name.where} says so"
    yield Guess(key="package.name", value=declared.name.value, reason=where)
    said = declared.version
    if said and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*", said.value):
        where = f"{said.where} says so"
        yield Guess(key="package.version", value=said.value, reason=where)
        return
    for path in sorted(code_files, key=lambda path: (path.count("/"), path)):
        found = _VERSION.search(text_of(tree, path))
        if found:
            reason = f"__version__ in {path}"
            yield Guess(key="package.version", value=found[1], reason=reason)
            return
    yield Guess(
        key="package.version",
        value=_NO_VERSION,
        reason="package.version stands nowhere (a build takes it from tags): correct it",
    )


def _licence(tree: Tree, declared: Declared) -> Guess:
    said = declared.licence
    if said and _is_spdx(said.value):
        return Guess(key="license", value=said.value, reason=f"{said.where} says so")
    for path in sorted(path for path in tree if "/" not in path):
        if is_licence_file(path.encode("utf-8", "surrogateescape")):
            found = recognised_licence(tree[path].data)
            if found:
                return Guess(key="license", value=found, reason=f"the text of {path}")
    for line in declared.classifiers:
        spdx = _TROVE.get(line.rpartition(" :: ")[2])
        if line.startswith("License ::") and spdx:
            return Guess(key="license", value=spdx, reason=f"classifier {line!r}")
    return Guess(key="license", value="unknown", reason="no known licence was found")


def _is_spdx(text: str) -> bool:
    try:
        get_spdx_licensing().parse(text, validate=True)
    except ExpressionError:
        return False
    return True


def _python(declared: Declared, running: str) -> Guess:
    """One version: the pins are for one. The running one where it may be."""
    said = declared.requires_python
    try:
        allowed = SpecifierSet(said.value if said else "")
    except InvalidSpecifier:
        allowed, said = SpecifierSet(), None
    # A bound such as `>=3.10.2` is met by some release of that minor version.
    possible = [v for v in KNOWN if allowed.contains(f"{v}.99")] or list(KNOWN)
    named = {line.rpartition(" :: ")[2] for line in declared.classifiers}
    tried = [version for version in possible if version in named] or possible
    chosen = running if running in tried else tried[-1]
    why = "the Python at hand" if chosen == running else "the newest it is made for"
    limit = f"; {said.where} says {said.value}" if said else ""
    return Guess(key="python", value=(chosen,), reason=f"{why}{limit}")


def _arguments(declared: Declared) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split pytest's `addopts` in what decides which tests there are, and the rest."""
    words = _split(declared.pytest.get("addopts", ()))
    kept: list[str] = []
    dropped: list[str] = []
    for word, value in _pairs(words):
        taken = kept if _KEPT_ARGUMENTS.fullmatch(word) else dropped
        taken += [word, *value]
    return tuple(kept), tuple(dropped)


def _split(words: tuple[str, ...]) -> list[str]:
    try:
        return shlex.split(" ".join(words))
    except ValueError:
        return list(words)


def _pairs(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    waiting = iter(words)
    for word in waiting:
        value = next(waiting, None) if word in _WITH_VALUE else None
        yield word, (value,) if value is not None else ()


def _from_options(declared: Declared) -> str:
    where = declared.pytest_where
    return f"of addopts in {where}" if "addopts" in declared.pytest else "no addopts"


def _left_open(
    declared: Declared, licence: Guess, dropped: Sequence[str]
) -> Iterator[str]:
    if licence.value == "unknown":
        yield "license: no SPDX name and no licence text that is known; correct it"
    if dropped:
        yield f"addopts {shlex.join(dropped)} are left out: they steer or measure a run"
    for path in declared.written_at_build:
        yield (
            f"{path} is written when the package is built and not there: where code "
            'imports it, take the sdist (kind = "sdist") or a built folder'
        )
