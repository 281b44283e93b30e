"""Where the patterns of a library match in one file, in bounded time."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from envplatform.swe.inducers.mined.fragments import Unwritable
from envplatform.swe.inducers.mined.matching import Bound, Match, Steps
from envplatform.swe.inducers.mined.metavariables import kind_of
from envplatform.swe.inducers.mined.pattern import BugPattern
from envplatform.swe.inducers.mined.rewriting import Rewriting
from envplatform.swe.inducers.mined.scope import variables_at
from envplatform.swe.inducers.mined.template import Template, metavariables
from envplatform.swe.inducers.mutation.edits import Edit
from envplatform.swe.inducers.mutation.source import ParsedSource

MAX_STEPS = 3_000_000
"""Nodes compared in one file: some seconds. What is left is not looked at."""
MAX_PLACES = 40
"""Of one pattern in one file, drawn at random."""
_Entry = tuple[BugPattern, Template]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One match of one pattern."""

    pattern: BugPattern
    template: Template
    nodes: tuple[ast.AST, ...]
    bound: Mapping[str, Bound]
    lines: range
    """Lines, from 1; the change can only show if a test runs one of them."""

    def edits(self, source: ParsedSource) -> tuple[Edit, ...]:
        """Return the edits; none if they can't be written at this place."""
        try:
            return Rewriting(source, self.bound).edits(self.template, self.nodes)
        except (Unwritable, RecursionError):
            return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The patterns of a library by the type of node that they begin with."""

    expressions: Mapping[type[ast.AST], tuple[_Entry, ...]]
    statements: Mapping[type[ast.AST], tuple[_Entry, ...]]

    @classmethod
    def of(cls, entries: Iterable[_Entry]) -> "Places":
        """Sort patterns in."""
        expressions: dict[type[ast.AST], tuple[_Entry, ...]] = {}
        statements: dict[type[ast.AST], tuple[_Entry, ...]] = {}
        for entry in entries:
            template = entry[1]
            table = expressions if template.level == "expression" else statements
            first = type(template.correct[0])
            table[first] = (*table.get(first, ()), entry)
        return cls(expressions=expressions, statements=statements)


def find_places(places: Places, source: ParsedSource, random: Random) -> list[Place]:
    """Find where patterns match, and draw what `$other` stands for.

    In an order that `random` decides, so that a bound on time cuts no end off.
    """
    runs = [*_expressions(places, source), *_statements(places, source)]
    random.shuffle(runs)
    steps = Steps(MAX_STEPS)
    counts: dict[str, int] = {}
    found: list[Place] = []
    for nodes, entries in runs:
        for pattern, template in entries:
            if steps.left <= 0:
                return found
            if counts.get(pattern.pattern_id, 0) >= MAX_PLACES:
                continue
            run = nodes[: len(template.correct)]
            bound = _bound(template, run, steps)
            bound = bound and _with_others(template, bound, source, run[0], random)
            if bound is None:
                continue
            counts[pattern.pattern_id] = counts.get(pattern.pattern_id, 0) + 1
            found.append(_place(pattern, template, run, bound, source))
    return found


_Run = tuple[tuple[ast.AST, ...], tuple[_Entry, ...]]


def _expressions(places: Places, source: ParsedSource) -> Iterator[_Run]:
    for node in (*source.live, *source.static):
        entries = places.expressions.get(type(node))
        if entries and isinstance(getattr(node, "ctx", None), ast.Load | None):
            yield (node,), entries


def _statements(places: Places, source: ParsedSource) -> Iterator[_Run]:
    alive = {id(node) for node in (*source.live, *source.static)}
    longest = max(
        (len(t.correct) for table in places.statements.values() for _, t in table),
        default=0,
    )
    for node in (*source.live, *source.static):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for at, first in enumerate(block):
                entries = places.statements.get(type(first))
                if entries and id(first) in alive:
                    yield tuple(block[at : at + longest]), entries


def _bound(
    template: Template, nodes: Sequence[ast.AST], steps: Steps
) -> Mapping[str, Bound] | None:
    match = Match(steps)
    try:
        return match.bound if match.sequence(template.correct, nodes) else None
    except RecursionError:
        return None


def _with_others(
    template: Template,
    bound: Mapping[str, Bound],
    source: ParsedSource,
    node: ast.AST,
    random: Random,
) -> Mapping[str, Bound] | None:
    """Draw variables for `$other`; None if the function has no other."""
    names = metavariables(template.defective)
    others = sorted(name for name in names if kind_of(name) == "other")
    if not others:
        return bound
    used = {
        inner.id
        for value in bound.values()
        if isinstance(value, ast.AST)
        for inner in ast.walk(value)
        if isinstance(inner, ast.Name)
    }
    free = [name for name in variables_at(source, node) if name not in used]
    if len(free) < len(others):
        return None
    return {**bound, **dict(zip(others, random.sample(free, len(others)), strict=True))}


def _place(
    pattern: BugPattern,
    template: Template,
    nodes: tuple[ast.AST, ...],
    bound: Mapping[str, Bound],
    source: ParsedSource,
) -> Place:
    first, last = source.own_lines(nodes[0]), source.own_lines(nodes[-1])
    return Place(
        pattern=pattern,
        template=template,
        nodes=nodes,
        bound=bound,
        lines=range(first.start, max(first.stop, last.stop)),
    )
