"""Whether a change leaves the code as it was: formatting, comments, docstrings.

By syntax trees; by tokens where a side does not parse, as old Python 2 code.
"""

import tokenize
from collections.abc import Iterable, Iterator
from io import StringIO

from envplatform.swe.fixes.analysis.code_text import plain_text
from envplatform.swe.fixes.analysis.edits import Edit
from envplatform.swe.fixes.analysis.source import Source

_MAX_TOKENIZED_CHARACTERS = 100_000
_SILENT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING})
_LINE_STARTS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})
_SHAPES = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE})


def same_statements(edits: Iterable[Edit]) -> bool:
    """Whether every edit writes out equal on both sides. Raises: as `plain_text`."""
    return all(plain_text(edit.fixed) == plain_text(edit.buggy) for edit in edits)


def same_tokens(fixed: Source, buggy: Source) -> bool:
    """Whether both sides have equal tokens; False where that can't be told.

    Import order counts here, and the width of an indentation does not.
    """
    if max(len(fixed.text), len(buggy.text)) > _MAX_TOKENIZED_CHARACTERS:
        return False
    try:
        return list(_tokens(fixed.text)) == list(_tokens(buggy.text))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return False


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Tokens without comments and bare strings."""
    line: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(StringIO(text, newline="\n").readline):
        if token.type in _SILENT:
            continue
        kind = token.type
        line.append((kind, "" if kind in _SHAPES else token.string))
        if kind in _LINE_STARTS:
            yield from () if _is_bare_string(line) else line
            line = []
    yield from line


def _is_bare_string(line: list[tuple[int, str]]) -> bool:
    kinds = {kind for kind, _ in line}
    return tokenize.STRING in kinds and kinds <= {tokenize.STRING, tokenize.NEWLINE}
