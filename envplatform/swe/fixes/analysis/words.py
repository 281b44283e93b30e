"""Lines of code to words: names, numbers and single other characters.

Line by line and without state, so that it works on any part of a diff, on text that
does not parse, and at the speed of one regular expression. Blanks carry nothing, so
indentation and wrapping do not matter; the words of comments and strings do count.
"""

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+|[^\w\s]")
MAX_WORDS = 50_000
"""Of one side of a change; the rest is not read."""


def words_of(lines: Iterable[bytes]) -> list[str]:
    """Words in order; bytes that are no UTF-8 count as one character each."""
    text = b"".join(lines).decode("utf-8", "surrogateescape")
    words: list[str] = []
    for match in _WORD.finditer(text):
        words.append(match.group())
        if len(words) == MAX_WORDS:
            break
    return words
