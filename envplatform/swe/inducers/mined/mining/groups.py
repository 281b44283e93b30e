"""Instances of patterns, and what is counted of those that are of one pattern."""

import ast
from dataclasses import dataclass, field

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.inducers.mined.template import Template, read_template

Texts = tuple[str, str, str]
"""Level, correct and defective side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One pattern as one change shows it."""

    texts: Texts
    fix: "Fix"
    place: tuple[str, int, int]
    """Fix, file, edit."""
    leaves: tuple[tuple[str, ast.AST | str], ...]
    example: tuple[str, str]


@dataclass(frozen=True, slots=True, order=True)
class Fix:
    """Where an instance comes from."""

    fix_id: str
    repository: str
    licence: str
    bug_type: BugType


@dataclass(slots=True)
class Group:
    """Instances of one pattern."""

    fixes: set[Fix] = field(default_factory=set)
    places: set[tuple[str, int, int]] = field(default_factory=set)
    example: tuple[tuple[str, int, int], tuple[str, str]] | None = None
    leaves: dict[str, set[str]] = field(default_factory=dict)
    """What was seen in place of `$attr`, `$num` and `$str`, as Python."""

    def add(self, instance: Instance) -> None:
        """Count one more."""
        self.fixes.add(instance.fix)
        self.places.add(instance.place)
        self._show((instance.place, instance.example))
        for name, value in instance.leaves:
            text = value if isinstance(value, str) else ast.unparse(value)
            self.leaves.setdefault(name, set()).add(text)

    def merge(self, other: "Group") -> None:
        """Count all of another group."""
        self.fixes |= other.fixes
        self.places |= other.places
        if other.example:
            self._show(other.example)

    def _show(self, example: tuple[tuple[str, int, int], tuple[str, str]]) -> None:
        self.example = min(self.example, example) if self.example else example

    @property
    def repositories(self) -> int:
        """How many they come from."""
        return len({fix.repository for fix in self.fixes})


def template_of(texts: Texts) -> Template:
    """Read the two sides of a pattern."""
    level, correct, defective = texts
    return read_template(
        "expression" if level == "expression" else "statements", correct, defective
    )
