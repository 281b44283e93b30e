"""What is known of a correct file, against which an answer about it is judged."""

import ast
import hashlib
import io
import tokenize
from dataclasses import dataclass
from functools import cached_property

from envplatform.swe.inducers.mined.scope import undefined_names
from envplatform.swe.inducers.mutation.source import ParsedSource
from envplatform.swe.parsing import parse_python


@dataclass(frozen=True)
class SourceFacts:
    """Facts of one file, each worked out once, when it is asked for."""

    source: ParsedSource

    @cached_property
    def signs(self) -> frozenset[str]:
        """Characters that are in it."""
        return frozenset(self.source.data.decode("utf-8"))

    @cached_property
    def comments(self) -> frozenset[str]:
        """Its comments, each with its `#`."""
        return frozenset(token.string for token in comments_of(self.source.data))

    @cached_property
    def undefined(self) -> frozenset[str]:
        """Names that it uses and nothing in it defines."""
        return undefined_names(self.source.data)

    @cached_property
    def tree_digest(self) -> str:
        """Return its `tree_digest`.

        Raises:
            RecursionError: as the function does.
        """
        return tree_digest(self.source.data)

    def lost_name(self, data: bytes) -> str | None:
        """A name that `data` uses and neither it nor the correct file could know."""
        return min(undefined_names(data) - self.undefined, default=None)


def tree_digest(data: bytes) -> str:
    """SHA-256 (hex) of a file's syntax tree: equal where only layout differs.

    Raises:
        SyntaxError, ValueError, MemoryError: it can't be parsed.
        RecursionError: likewise, or its tree is too deep to be walked.
    """
    return hashlib.sha256(ast.dump(parse_python(data)).encode()).hexdigest()


def comments_of(data: bytes) -> list[tokenize.TokenInfo]:
    """Comments in order; none where the file can't be taken apart."""
    try:
        tokens = tokenize.tokenize(io.BytesIO(data).readline)
        return [token for token in tokens if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return []
