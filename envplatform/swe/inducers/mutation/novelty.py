"""Tell mutants apart by syntax tree, so that formatting alone is no bug.

Only the top-level statement that changed is parsed again: on a file of ten thousand
lines that is the difference between a millisecond and a second for each mutant.
"""

import ast
import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field

from envplatform.swe.inducers.base import Skip
from envplatform.swe.inducers.mutation.source import ParsedSource
from envplatform.swe.parsing import parse_python


@dataclass(slots=True)
class Novelty:
    """Remembers the trees seen of one file."""

    source: ParsedSource
    _starts: list[int] = field(init=False)
    """Where each top-level statement's lines begin; the first begins the file."""
    _seen: set[tuple[int, str]] = field(init=False, default_factory=set)
    """Index of the statement, digest of its tree."""
    _originals: dict[int, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        source = self.source
        lines = [source.line_of(source.span(node).start) for node in source.tree.body]
        # Statements that share a line are taken together.
        self._starts = [0, *sorted({source.starts[line] for line in lines[1:]})]

    def refusal(self, mutant: bytes, changed_at: int) -> Skip | None:
        """Say why a mutant adds nothing, or remember it and return None.

        `changed_at` is the offset of the first edit; all edits of a mutant lie in the
        same top-level statement.
        """
        index, start, after = self._unit(changed_at)
        try:
            if index not in self._originals:
                end = len(self.source.data) - after
                self._originals[index] = _digest(self.source.data[start:end])
            digest = _digest(mutant[start : len(mutant) - after])
        except (SyntaxError, ValueError):
            return "does_not_compile"
        except (RecursionError, MemoryError):
            return "too_deep"
        if digest == self._originals[index]:
            return "same_ast"
        if (index, digest) in self._seen:
            return "duplicate"
        self._seen.add((index, digest))
        return None

    def _unit(self, offset: int) -> tuple[int, int, int]:
        """Index of the top-level statement at `offset`, its start, and bytes after it."""
        index = bisect_right(self._starts, offset) - 1
        size = len(self.source.data)
        end = self._starts[index + 1] if index + 1 < len(self._starts) else size
        return index, self._starts[index], size - end


def _digest(code: bytes) -> str:
    return hashlib.sha256(ast.dump(parse_python(code)).encode()).hexdigest()
