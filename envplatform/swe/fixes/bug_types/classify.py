"""`classify`: both sides of a fix in, a bug type and the rules that spoke out."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.moves import replace_share
from envplatform.swe.fixes.bug_types.rules import RULES
from envplatform.swe.fixes.bug_types.rules.rule import Rule, assigned
from envplatform.swe.fixes.bug_types.source import FileChange, Source, read_source
from envplatform.swe.fixes.bug_types.statements import Comparison
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import Tree

REVISION = 2
"""Grows whenever equal files may get another type."""

MAX_EDITS = 400
"""Looked at in one fix; what comes after could hardly turn the verdict."""
_PACKAGING = re.compile(
    r"(?:^|/)(?:setup|conf|noxfile|tasks|fabfile)\.py$"
    r"|(?:^|/)(?:docs?|examples?|scripts?|benchmarks?|tools)/"
)
"""Looked at only if nothing else has changed."""
_ECHO_SHARE = 0.3
_FADES = 2
_COUNTED = 8
_SECONDARY = 0.25
_NOTHING = Source(lines=(), module=ast.Module(body=[], type_ignores=[]))


@dataclass(frozen=True, slots=True, kw_only=True)
class BugTypeVerdict:
    """What kind of bug a fix mends."""

    bug_type: BugType
    evidence: tuple[str, ...]
    """Names of the rules that spoke, strongest first; of why none did, if `other`."""


def classify(buggy: Tree, fixed: Tree) -> BugTypeVerdict:
    """Sort a fix by the Python files that differ; tests count only if all are tests.

    Never raises, whatever the files hold, and takes bounded time.
    """
    paths = [
        path
        for path in sorted(buggy.keys() | fixed.keys())
        if path.endswith((".py", ".pyi")) and buggy.get(path) != fixed.get(path)
    ]
    code = [path for path in paths if not is_test_path(path)] or paths
    if not code:
        return _other("no_code")
    changes = [_read_change(path, buggy, fixed) for path in code]
    parsed = [change for change in changes if change is not None]
    return classify_parsed(parsed) if parsed else _other("does_not_parse")


def classify_parsed(changes: Sequence[FileChange]) -> BugTypeVerdict:
    """As `classify`, for callers who parsed the files already (`source_of`).

    All `changes` count, in any order. Leave out tests, and files of which one side
    does not parse: its other side would look like new code. Never raises.
    """
    if not changes:
        return _other("no_code")
    both = [change for change in changes if change.buggy or change.fixed]
    if not both:
        return _other("does_not_parse")
    try:
        edits = list(islice(_edits(both), MAX_EDITS))
        return _decide(edits)
    except RecursionError:  # nested deeper than trees can be walked; nothing is lost
        return _other("too_deep")


def scores(edits: Iterable[Edit]) -> dict[BugType, dict[Rule, float]]:
    """Say how loudly each rule speaks, by type; types without a word are absent.

    The first edit that a rule speaks up on counts in full, the next a half of it, the
    one after a quarter: twenty changed messages are one change of messages.
    """
    shares: dict[Rule, list[float]] = {}
    for edit in _without_echoes(list(edits)):
        for rule in RULES:
            if rule.speaks(edit):
                shares.setdefault(rule, []).append(edit.share)
    spoken: dict[BugType, dict[Rule, float]] = {}
    for rule in RULES:
        if rule in shares:
            ordered = sorted(shares[rule], reverse=True)[:_COUNTED]
            loudness = sum(share / _FADES**place for place, share in enumerate(ordered))
            spoken.setdefault(rule.bug_type, {})[rule] = rule.weight * loudness
    return spoken


def _read_change(path: str, buggy: Tree, fixed: Tree) -> FileChange | None:
    """Parse both sides of a file; None if a side is there and does not parse."""
    before = read_source(buggy[path].data) if path in buggy else None
    after = read_source(fixed[path].data) if path in fixed else None
    if (before is None and path in buggy) or (after is None and path in fixed):
        return None
    return FileChange(path=path, buggy=before, fixed=after)


def _edits(changes: Iterable[FileChange]) -> Iterator[Edit]:
    listed = sorted(changes, key=lambda change: change.path)
    code = [each for each in listed if not _PACKAGING.search(each.path)] or listed
    for change in code:
        if change.buggy is None and change.fixed is None:
            continue
        yield from Comparison(
            change.buggy or _NOTHING, change.fixed or _NOTHING
        ).edits()


def _without_echoes(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Quieten what only follows from a variable or parameter that the fix brings in."""
    parameters = {edit.after.arg for edit in edits if isinstance(edit.after, ast.arg)}
    variables = {
        node.id
        for edit in edits
        if edit.role in {"target", "statement"} and edit.after is not None
        for target in [edit.after, *assigned(edit.after)]
        for node in (target, *getattr(target, "elts", ()))
        if isinstance(node, ast.Name)
    }
    fresh = frozenset(parameters | variables)
    for edit in edits:
        echo = _uses(edit, fresh) or _keeps(edit, parameters)
        share = edit.share * _ECHO_SHARE if echo else edit.share
        yield replace_share(edit, share, fresh) if fresh else edit


def _uses(edit: Edit, names: AbstractSet[str]) -> bool:
    """Tell whether one name gave way to another, which is one of `names`."""
    return (
        edit.kind == "changed"
        and isinstance(edit.before, ast.Name)
        and isinstance(edit.after, ast.Name)
        and edit.after.id in names
    )


def _keeps(edit: Edit, names: AbstractSet[str]) -> bool:
    """Tell whether an edit is `self.name = name` for one of `names`."""
    match edit.after:
        case ast.Assign(targets=[ast.Attribute()], value=ast.Name(id=name)):
            return edit.kind == "added" and name in names
    return False


def _decide(edits: Sequence[Edit]) -> BugTypeVerdict:
    """Take the loudest type; of equals the one that `RULES` names first."""
    spoken = scores(edits)
    if not spoken:
        return _other("no_rule" if edits else "same_code")
    totals = {bug_type: _total(rules.values()) for bug_type, rules in spoken.items()}
    bug_type = max(totals, key=totals.__getitem__)  # the first of equals
    rules = sorted(spoken[bug_type].items(), key=lambda pair: -pair[1])
    return BugTypeVerdict(
        bug_type=bug_type, evidence=tuple(rule.name for rule, _ in rules)
    )


def _total(loudness: Iterable[float]) -> float:
    """Strongest rule in full, and a part of the others, which often repeat it."""
    ordered = sorted(loudness, reverse=True)
    return ordered[0] + _SECONDARY * sum(ordered[1:])


def _other(why: str) -> BugTypeVerdict:
    return BugTypeVerdict(bug_type="other", evidence=(why,))
