"""Hashes of 13 words in a row of changed lines, to find lines of held-out sets.

For each code file, the lines removed and the lines added are two texts, whatever
stands between them; a gram does not know from which of both it came. So a fix and its
reverse have equal grams, with any number of context lines, and a fix file is enough to
compute them. Grams of fewer than six different names and numbers are left out:
they are the boilerplate of the language, and stand in every repository. A text
shorter than 13 words, but with six different names, is one gram.

Hashes are the first 64 bits of SHA-256.
"""

import base64
import hashlib
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence

from envplatform.patches import parse_patch
from envplatform.swe.fixes.analysis.change import FileLines, changed_lines
from envplatform.swe.fixes.analysis.paths import path_kind
from envplatform.swe.fixes.analysis.words import words_of

GRAM_WORDS = 13
MIN_NAMES = 6
MAX_KEPT = 128
"""Of one change, in the order of their hashes: a fair sample of a longer one."""

_HASH_BYTES = 8
_COMMON = frozenset(
    {
        *("self", "cls", "args", "kwargs", "None", "True", "False", "and", "or", "not"),
        *("def", "class", "return", "if", "elif", "else", "for", "in", "is", "import"),
        *("from", "as", "with", "try", "except", "finally", "raise", "while", "pass"),
        *("lambda", "yield", "async", "await", "del", "assert", "break", "continue"),
        *("str", "int", "bool", "float", "list", "dict", "tuple", "set", "super"),
        *("__init__", "len", "isinstance", "Any", "Optional", "0", "1"),
    }
)


def ngrams_of_patch(patch: str) -> frozenset[int]:
    """Return all grams of a fix file, or of its reverse: code files by path only.

    Raises:
        PatchError: `patch` is no diff that is taken.
    """
    files = parse_patch(patch).files
    return ngrams_of_lines(
        changed_lines(file) for file in files if path_kind(file.path) == "code"
    )


def ngrams_of_lines(changes: Iterable[FileLines]) -> frozenset[int]:
    """Return all grams of a change."""
    return frozenset(
        int.from_bytes(hashlib.sha256(gram).digest()[:_HASH_BYTES])
        for change in changes
        for lines in (change.removed, change.added)
        for gram in _grams(words_of(lines))
    )


def _grams(words: Sequence[str]) -> Iterator[bytes]:
    for start in range(max(1, len(words) - GRAM_WORDS + 1)):
        gram = words[start : start + GRAM_WORDS]
        names = {word for word in gram if word[0].isalnum() or word[0] == "_"}
        if len(names - _COMMON) >= MIN_NAMES:
            yield " ".join(gram).encode("utf-8", "surrogateescape")


def pack_ngrams(ngrams: Collection[int]) -> str:
    """At most `MAX_KEPT` grams as base85 text; empty for none."""
    kept = sorted(ngrams)[:MAX_KEPT]
    return base64.b85encode(struct.pack(f">{len(kept)}Q", *kept)).decode()


def unpack_ngrams(text: str) -> tuple[int, ...]:
    """Read what `pack_ngrams` wrote.

    Raises:
        ValueError: it did not.
    """
    data = base64.b85decode(text)
    if len(data) % _HASH_BYTES:
        msg = f"{len(data)} bytes are no whole number of 13-gram hashes"
        raise ValueError(msg)
    return struct.unpack(f">{len(data) // _HASH_BYTES}Q", data)
