"""Which patterns of many are kept: neither too general, nor too special, nor told twice."""

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from envplatform.swe.inducers.mined.metavariables import metavariable, name_of
from envplatform.swe.inducers.mined.mining.groups import Fix, Group, Texts, template_of
from envplatform.swe.inducers.mined.template import Template
from envplatform.swe.inducers.mined.trees import fields_of, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What makes a pattern too general, or too special, to be kept."""

    least_fixed: int = 2
    """Nodes and known names of the correct side that are no metavariable."""
    least_fixed_deleted: int = 3
    """The same where everything that matches is deleted."""
    least_repositories: int = 2
    """Of a pattern that more is demanded of than of a lone one."""
    most_concrete: int = 2
    """Known names, constants and keywords of a pattern that one repository has."""
    most_nodes: int = 14
    """Nodes of its correct side."""
    lone_of_fix: int = 3
    """Patterns of one repository that are kept of one fix; the most general ones."""
    most_patterns: int = 5000
    """Of the library; those with most support are kept."""


def is_kept(texts: Texts, group: Group, limits: Limits) -> bool:
    """Tell whether a pattern is neither too general nor too special."""
    template = template_of(texts)
    least = limits.least_fixed if template.defective else limits.least_fixed_deleted
    if _fixed(template) < least:
        return False
    if group.repositories >= limits.least_repositories:
        return True
    nodes = sum(1 for _ in walk(template.correct))
    return nodes <= limits.most_nodes and _concrete(template) <= limits.most_concrete


def _fixed(template: Template) -> int:
    """Count nodes and known names of the correct side that are no metavariable."""
    return sum(
        1 + (isinstance(node, ast.Attribute) and name_of(node.attr) is None)
        for node in walk(template.correct)
        if not metavariable(node) and not isinstance(node, ast.Expr | ast.arguments)
    )


def _concrete(template: Template) -> int:
    """Count different names, constants and keywords of both sides."""
    words: set[str] = set()
    for node in walk([*template.correct, *template.defective]):
        if metavariable(node):
            continue
        for name, value in fields_of(node):
            if name in {"id", "arg", "attr", "value"} and not isinstance(
                value, ast.AST | None
            ):
                words.add(repr(value))
    return len({word for word in words if "__dollar_" not in word})


def closed(groups: Mapping[Texts, Group]) -> dict[Texts, Group]:
    """Of patterns with the same instances, keep the most special one.

    Those of a lone place differ in how much they take away, and a special one says
    where the edit was rather than what it is: there the most general one stays.
    """
    by_places: dict[frozenset[tuple[str, int, int]], list[Texts]] = {}
    for texts, group in groups.items():
        by_places.setdefault(frozenset(group.places), []).append(texts)
    kept: dict[Texts, Group] = {}
    for same in by_places.values():
        lone = groups[same[0]].repositories < 2  # noqa: PLR2004  that is what lone means
        order = sorted(same, key=_speciality)
        best = order[0] if lone else order[-1]
        kept[best] = groups[best]
    return kept


def _speciality(texts: Texts) -> tuple[int, int, int, Texts]:
    """Sort key: what says less of a place, and lets more stand there, comes first."""
    runs = texts[1].count("$args") + texts[1].count("$kwargs")
    return _fixed(template_of(texts)), -runs, len(texts[1]), texts


def with_few_lone(groups: Mapping[Texts, Group], limits: Limits) -> dict[Texts, Group]:
    """Keep but a few patterns of each fix that no other repository has."""
    kept: dict[Texts, Group] = {}
    lone: Counter[Fix] = Counter()
    for texts in sorted(groups, key=_speciality):
        group = groups[texts]
        if group.repositories >= limits.least_repositories:
            kept[texts] = group
            continue
        first = min(group.fixes)
        if lone[first] < limits.lone_of_fix:
            lone[first] += 1
            kept[texts] = group
    return kept
