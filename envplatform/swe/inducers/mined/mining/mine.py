"""`mine`: many fixes in, the patterns that they have in common out.

Every change is an instance of several patterns, from special to general, with more or
less context. Instances of one pattern are counted; what they agree on becomes part of
the pattern again; and of patterns with the very same instances the most special stays.
Nothing depends on the order of the rows.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from envplatform.swe.fixes.bug_type import BUG_TYPES
from envplatform.swe.fixes.reverse_patch import ReversePatch, TrainingRow
from envplatform.swe.inducers.mined.mining.abstraction import Abstraction, abstractions
from envplatform.swe.inducers.mined.mining.changes import Change, changes_of
from envplatform.swe.inducers.mined.mining.fixes import both_sides, bug_type_of
from envplatform.swe.inducers.mined.mining.groups import (
    Fix,
    Group,
    Instance,
    Texts,
    template_of,
)
from envplatform.swe.inducers.mined.mining.keeping import (
    Limits,
    closed,
    is_kept,
    with_few_lone,
)
from envplatform.swe.inducers.mined.pattern import (
    BugPattern,
    PatternLibrary,
    identity_of,
    library_of,
)
from envplatform.swe.inducers.mined.template import (
    MAX_TEXT,
    TemplateError,
    print_side,
    read_template,
)
from envplatform.swe.inducers.mined.trees import key

REVISION = 1
"""Grows whenever equal rows and limits give another library."""

_MAX_EXAMPLE = 400
"""Characters of an example."""


def mine(
    rows: Iterable[TrainingRow | ReversePatch], limits: Limits | None = None
) -> PatternLibrary:
    """Mine patterns from the fixes of `rows`; what can't be read adds nothing.

    Of two rows of one fix, as of two versions of a data set, either may be counted.
    """
    limits = limits or Limits()
    found: dict[Texts, Group] = {}
    for row in rows:
        if isinstance(row, ReversePatch) and row.refusal:
            continue
        for instance in _instances(row):
            found.setdefault(instance.texts, Group()).add(instance)
    special: dict[Texts, Group] = {}
    for texts, group in found.items():
        special.setdefault(_specialised(texts, group), Group()).merge(group)
    kept = closed(
        {texts: g for texts, g in special.items() if is_kept(texts, g, limits)}
    )
    chosen = with_few_lone(kept, limits)
    ordered = sorted(chosen, key=lambda texts: (-len(chosen[texts].fixes), texts))
    return library_of(
        _pattern(texts, chosen[texts]) for texts in ordered[: limits.most_patterns]
    )


def _instances(row: TrainingRow | ReversePatch) -> Iterator[Instance]:
    fix = Fix(
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
                    yield Instance(
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


def _texts(change: Change, abstraction: Abstraction) -> Texts | None:
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


def _specialised(texts: Texts, group: Group) -> Texts:
    """Put in what all instances agree on, if they are of several repositories."""
    if group.repositories < 2:  # noqa: PLR2004  one repository agrees with itself
        return texts
    agreed = {name: min(seen) for name, seen in group.leaves.items() if len(seen) == 1}
    level, correct, defective = texts
    for name, text in sorted(agreed.items()):
        correct = _replaced(correct, name, text)
        defective = _replaced(defective, name, text)
    try:
        template = template_of((level, correct, defective))
    except TemplateError:
        return texts
    return level, print_side(template.correct), print_side(template.defective)


def _replaced(text: str, name: str, by: str) -> str:
    pieces = text.split(f"${name}")
    return by.join(pieces) if len(text) + len(pieces) * len(by) <= MAX_TEXT else text


def _pattern(texts: Texts, group: Group) -> BugPattern:
    template = template_of(texts)
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
