"""`mine`: many fixes in, the patterns that they have in common out.

Every change is an instance of several patterns, from special to general, with more or
less context. Instances of one pattern are counted; what they agree on becomes part of
the pattern again; and of patterns with the very same instances the most special stays.
Nothing depends on the order of the rows.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.reverse_patch import ReversePatch, TrainingRow
from envplatform.swe.inducers.mined.metavariables import metavariable, name_of
from envplatform.swe.inducers.mined.mining.abstraction import Abstraction, abstractions
from envplatform.swe.inducers.mined.mining.changes import Change, changes_of
from envplatform.swe.inducers.mined.mining.fixes import both_sides, bug_type_of
from envplatform.swe.inducers.mined.pattern import (
    BugPattern,
    PatternLibrary,
    identity_of,
    library_of,
)
from envplatform.swe.inducers.mined.template import (
    MAX_TEXT,
    Template,
    TemplateError,
    print_side,
    read_template,
)
from envplatform.swe.inducers.mined.trees import fields_of, key, walk

REVISION = 1
"""Grows whenever equal rows and limits give another library."""

_MAX_EXAMPLE = 400
"""Characters of an example."""


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


def mine(
    rows: Iterable[TrainingRow | ReversePatch], limits: Limits | None = None
) -> PatternLibrary:
    """Mine patterns from the fixes of `rows`; what can't be read adds nothing.

    Of two rows of one fix, as of two versions of a data set, either may be counted.
    """
    limits = limits or Limits()
    found: dict[_Texts, _Group] = {}
    for row in rows:
        if isinstance(row, ReversePatch) and row.refusal:
            continue
        for instance in _instances(row):
            found.setdefault(instance.texts, _Group()).add(instance)
    special: dict[_Texts, _Group] = {}
    for texts, group in found.items():
        special.setdefault(_specialised(texts, group), _Group()).merge(group)
    kept = _closed(
        {texts: g for texts, g in special.items() if _is_kept(texts, g, limits)}
    )
    chosen = _with_few_lone(kept, limits)
    ordered = sorted(chosen, key=lambda texts: (-len(chosen[texts].fixes), texts))
    return library_of(
        _pattern(texts, chosen[texts]) for texts in ordered[: limits.most_patterns]
    )


_Texts = tuple[str, str, str]
"""Level, correct and defective side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instance:
    texts: _Texts
    fix: "_Fix"
    place: tuple[str, int, int]
    """Fix, file, edit."""
    leaves: tuple[tuple[str, ast.AST | str], ...]
    example: tuple[str, str]


@dataclass(frozen=True, slots=True, order=True)
class _Fix:
    fix_id: str
    repository: str
    licence: str
    bug_type: BugType


@dataclass(slots=True)
class _Group:
    """Instances of one pattern."""

    fixes: set[_Fix] = field(default_factory=set)
    places: set[tuple[str, int, int]] = field(default_factory=set)
    example: tuple[tuple[str, int, int], tuple[str, str]] | None = None
    leaves: dict[str, set[str]] = field(default_factory=dict)
    """What was seen in place of `$attr`, `$num` and `$str`, as Python."""

    def add(self, instance: _Instance) -> None:
        """Count one more."""
        self.fixes.add(instance.fix)
        self.places.add(instance.place)
        self._show((instance.place, instance.example))
        for name, value in instance.leaves:
            text = value if isinstance(value, str) else ast.unparse(value)
            self.leaves.setdefault(name, set()).add(text)

    def merge(self, other: "_Group") -> None:
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


def _instances(row: TrainingRow | ReversePatch) -> Iterator[_Instance]:
    fix = _Fix(
        fix_id=_clean(row.instance_id),
        repository=row.repository,
        licence=_clean(row.licence),
        bug_type=bug_type_of(row),
    )
    for number, file in enumerate(both_sides(row)):
        for change in changes_of(file.correct, file.defective):
            place = (fix.fix_id, number, change.place)
            example = _example(change.correct), _example(change.defective)
            for abstraction in _abstractions(change):
                texts = _texts(change, abstraction)
                if texts:
                    yield _Instance(
                        texts=texts,
                        fix=fix,
                        place=place,
                        leaves=abstraction.leaves,
                        example=example,
                    )


def _abstractions(change: Change) -> Sequence[Abstraction]:
    try:
        return list(abstractions(change))
    except RecursionError:
        return ()


def _texts(change: Change, abstraction: Abstraction) -> _Texts | None:
    """Return the pattern as text, if reading that text gives the pattern again."""
    template = abstraction.template
    try:
        correct, defective = (
            print_side(template.correct),
            print_side(template.defective),
        )
        again = read_template(change.level, correct, defective)
    except (TemplateError, ValueError, AttributeError):  # a tree that no text has
        return None
    same = key([again.correct, again.defective]) == key(
        [template.correct, template.defective]
    )
    return (change.level, correct, defective) if same else None


def _example(side: Sequence[ast.AST]) -> str:
    try:
        text = print_side(side)
    except (ValueError, RecursionError):
        return ""
    return _clean(text[:_MAX_EXAMPLE])


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _specialised(texts: _Texts, group: _Group) -> _Texts:
    """Put in what all instances agree on, if they are of several repositories."""
    if group.repositories < 2:  # noqa: PLR2004  one repository agrees with itself
        return texts
    agreed = {name: min(seen) for name, seen in group.leaves.items() if len(seen) == 1}
    level, correct, defective = texts
    for name, text in sorted(agreed.items()):
        correct = _replaced(correct, name, text)
        defective = _replaced(defective, name, text)
    try:
        template = _template((level, correct, defective))
    except TemplateError:
        return texts
    return level, print_side(template.correct), print_side(template.defective)


def _replaced(text: str, name: str, by: str) -> str:
    pieces = text.split(f"${name}")
    return by.join(pieces) if len(text) + len(pieces) * len(by) <= MAX_TEXT else text


def _template(texts: _Texts) -> Template:
    level, correct, defective = texts
    return read_template(
        "expression" if level == "expression" else "statements", correct, defective
    )


def _is_kept(texts: _Texts, group: _Group, limits: Limits) -> bool:
    """Tell whether a pattern is neither too general nor too special."""
    template = _template(texts)
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


def _closed(groups: Mapping[_Texts, _Group]) -> dict[_Texts, _Group]:
    """Of patterns with the same instances, keep the most special one.

    Those of a lone place differ in how much they take away, and a special one says
    where the edit was rather than what it is: there the most general one stays.
    """
    by_places: dict[frozenset[tuple[str, int, int]], list[_Texts]] = {}
    for texts, group in groups.items():
        by_places.setdefault(frozenset(group.places), []).append(texts)
    kept: dict[_Texts, _Group] = {}
    for same in by_places.values():
        lone = groups[same[0]].repositories < 2  # noqa: PLR2004  that is what lone means
        order = sorted(same, key=_speciality)
        best = order[0] if lone else order[-1]
        kept[best] = groups[best]
    return kept


def _speciality(texts: _Texts) -> tuple[int, int, int, _Texts]:
    """Sort key: what says less of a place, and lets more stand there, comes first."""
    runs = texts[1].count("$args") + texts[1].count("$kwargs")
    return _fixed(_template(texts)), -runs, len(texts[1]), texts


def _with_few_lone(
    groups: Mapping[_Texts, _Group], limits: Limits
) -> dict[_Texts, _Group]:
    """Keep but a few patterns of each fix that no other repository has."""
    kept: dict[_Texts, _Group] = {}
    lone: Counter[_Fix] = Counter()
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


def _pattern(texts: _Texts, group: _Group) -> BugPattern:
    template = _template(texts)
    counts = Counter(fix.bug_type for fix in group.fixes)
    bug_type = max(BUG_TYPES, key=lambda each: counts[each])  # the first of equals
    example = group.example[1] if group.example else ("", "")
    return BugPattern(
        pattern_id=identity_of(bug_type, texts[1], texts[2]),
        level=template.level,
        correct=texts[1],
        defective=texts[2],
        bug_type=bug_type,
        support=len({fix.fix_id for fix in group.fixes}),
        repositories=group.repositories,
        fix_ids=tuple(sorted({fix.fix_id for fix in group.fixes})),
        licences=tuple(sorted({fix.licence for fix in group.fixes})),
        example_correct=example[0],
        example_defective=example[1],
    )
