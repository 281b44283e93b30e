"""Hold an issue against the patch that it must not know.

A leak is what stands in the issue and in the patch, and in nothing that the writer was
given: the changed file's name, an identifier of the changed lines, a run of their
tokens. Plain words (`value`) count as identifiers only where the issue shows code.
"""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from envplatform.grading.shingles import Shingle, shingles, tokens
from envplatform.patches import added_lines, patched_paths, removed_lines

GRAM = 5
"""Tokens in a run; shorter runs of code are alike by chance."""
_WORDS_IN_GRAM = 2
_SHORTEST_NAME = 3

_WORD = re.compile(r"[A-Za-z_]\w*")
_TRACEBACK = "Traceback (most recent call last):"
"""Python's own words, in every traceback."""
_CODE = re.compile(r"(`{3,})[^\n]*\n(.*?)\n\1|(`+)(.+?)\3", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One thing that the issue can only know from the patch."""

    kind: Literal["path", "identifier", "passage"]
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what!r}"


def find_leaks(text: str, *, patch: str, seen: str) -> tuple[Leak, ...]:
    """Return what `text` shares with `patch` and `seen` does not hold; sorted.

    Args:
        text: the issue.
        patch: the bug, as a diff; both sides of it are secret.
        seen: everything that the writer was given.

    Raises:
        PatchError: `patch` is no diff.
    """
    found = {
        *_paths(text, patch, seen),
        *_identifiers(text, patch, seen),
        *_passages(text, patch, seen),
    }
    return tuple(sorted(found, key=str))


def _paths(text: str, patch: str, seen: str) -> Iterator[Leak]:
    for path in patched_paths(patch):
        module = path.removesuffix(".py").replace("/", ".")
        for name in (path, PurePosixPath(path).name, module):
            pattern = rf"(?<![\w./]){re.escape(name)}(?![\w])"
            if re.search(pattern, text) and not re.search(pattern, seen):
                yield Leak(kind="path", what=name)


def _changed(patch: str) -> tuple[str, ...]:
    return (*removed_lines(patch), *added_lines(patch))


def _identifiers(text: str, patch: str, seen: str) -> Iterator[Leak]:
    names = {name for line in _changed(patch) for name in _WORD.findall(line)}
    names -= {name for name in names if keyword.iskeyword(name)}
    names -= set(_WORD.findall(seen))
    text = text.replace(_TRACEBACK, "")
    prose = set(_WORD.findall(text))
    code = set(_WORD.findall(" ".join(m[2] or m[4] for m in _CODE.finditer(text))))
    for name in sorted(names):
        if len(name) >= _SHORTEST_NAME and name in (
            prose if _is_distinct(name) else code
        ):
            yield Leak(kind="identifier", what=name)


def _is_distinct(name: str) -> bool:
    """Tell whether a name is no word of English."""
    inner = name[1:]
    return "_" in name or any(sign.isdigit() or sign.isupper() for sign in inner)


def _passages(text: str, patch: str, seen: str) -> Iterator[Leak]:
    shown = set(shingles(tokens(text), GRAM))
    shared = {
        gram
        for line in _changed(patch)
        for gram in shingles(tokens(line), GRAM)
        if gram in shown and _says_something(gram)
    }
    if shared:  # rare, and `seen` is long
        shared -= set(shingles(tokens(seen), GRAM))
    yield from (Leak(kind="passage", what=" ".join(gram)) for gram in shared)


def _says_something(gram: Shingle) -> bool:
    words = [token for token in gram if _WORD.fullmatch(token)]
    return len(words) >= _WORDS_IN_GRAM
