"""`BugPattern`: one kind of edit from correct to defective code, as a row."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.inducers.mined.template import (
    Level,
    Template,
    TemplateError,
    print_side,
    read_template,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BugPattern:
    """One pattern: where `correct` matches, `defective` is a bug that people made.

    Both sides are Python with metavariables; see `metavariables`.
    """

    SCHEMA_VERSION: ClassVar[int] = 1

    pattern_id: str
    """Lower case, digits and hyphens; the operator of the candidates it gives."""
    level: Level
    correct: str
    """One expression, or statements that follow each other."""
    defective: str
    """The same; empty: the statements are deleted."""
    bug_type: BugType
    support: int
    """Fixes that it was seen in; 0: a person wrote it."""
    repositories: int
    """Repositories that those fixes are from."""
    fix_ids: tuple[str, ...] = ()
    """All of them, sorted: the lineage of the pattern."""
    licences: tuple[str, ...] = ()
    """Licences of those fixes, sorted, each once; empty text: unknown."""
    example_correct: str = ""
    """The code of one of those fixes, shortened."""
    example_defective: str = ""
    note: str = ""
    """One line for a person."""
    may_break_names: bool = False
    """Whether a name may lose its meaning by it: a missing import, a variable not set."""

    @property
    def text(self) -> str:
        """The pattern for a person, `while $a < $b:  ->  while $a <= $b:`."""
        if self.level == "expression" or "\n" not in self.correct + self.defective:
            return f"{self.correct}  ->  {self.defective or '(nothing)'}"
        before, after = self.correct, self.defective or "(nothing)"
        return f"{before}\n  ->\n{after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternLibrary:
    """Patterns that go together, in an order that does not depend on where they are from."""

    patterns: tuple[BugPattern, ...]
    """By support, most first, then by id; ids are unique."""

    def templates(self) -> tuple[tuple[BugPattern, Template], ...]:
        """Parse all patterns.

        Raises:
            TemplateError: one is no pattern; names it. Rows of a table may be so.
        """
        return tuple((pattern, template_of(pattern)) for pattern in self.patterns)


def library_of(patterns: Iterable[BugPattern]) -> PatternLibrary:
    """Order patterns; of two with one id the first of that order is kept."""
    ordered = sorted(patterns, key=lambda each: (-each.support, each.pattern_id))
    unique = {pattern.pattern_id: pattern for pattern in reversed(ordered)}
    kept = [pattern for pattern in ordered if unique[pattern.pattern_id] is pattern]
    return PatternLibrary(patterns=tuple(kept))


def template_of(pattern: BugPattern) -> Template:
    """Parse one pattern.

    Raises:
        TemplateError: names the pattern, the side and what is wrong.
    """
    try:
        return read_template(pattern.level, pattern.correct, pattern.defective)
    except TemplateError as error:
        msg = f"pattern {pattern.pattern_id!r}: {error}"
        raise TemplateError(msg) from error


def texts_of(template: Template) -> tuple[str, str]:
    """Return the text of both sides, as `BugPattern` holds them."""
    return print_side(template.correct), print_side(template.defective)


def identity_of(bug_type: BugType, correct: str, defective: str) -> str:
    """Return an id from what the pattern says, `logic-3fa91c02`."""
    digest = hashlib.sha256(f"{correct}\0{defective}".encode("utf-8", "surrogatepass"))
    return f"{bug_type}-{digest.hexdigest()[:8]}"
