"""Figures and pictures of one seed's lineages: a table by level, and what rests on what."""

from collections.abc import Mapping, Sequence

from assets.lineage_picture import lineage_picture
from assets.pictures import in_cell
from envplatform.res.growing import Grown
from envplatform.res.rows import LevelRow
from envplatform.store import Fact

_SHOWN_OPERATORS = 8


def level_facts(grown: Sequence[Grown]) -> dict[str, Fact]:
    """What a person wants to know of the lineages of a seed at a glance."""
    facts: dict[str, Fact] = {}
    for one in grown:
        last = one.levels[-1]
        of = "" if len(grown) == 1 else f", {last.ablation}"
        facts |= {
            f"depth{of}": last.level,
            f"planned by{of}": _planner(one),
            f"ended{of}": _ended(one),
            f"reads{of}": f"{one.levels[0].reads} to {last.reads}",
            f"chain{of}": f"{one.levels[0].chain} to {last.chain}",
            f"resumed levels{of}": one.resumed,
        }
    return facts


def level_pictures(levels: Sequence[LevelRow]) -> dict[str, str]:
    """All of them by title; of several lineages the picture of the first."""
    first = [one for one in levels if one.ablation == levels[0].ablation]
    return {"levels": level_table(levels), "lineage": lineage_picture(first)}


def level_table(levels: Sequence[LevelRow]) -> str:
    """One line a level; levels of several ablations below each other."""
    several = len({one.ablation for one in levels}) > 1
    titles = (
        *(("ablation",) if several else ()),
        *("level", "digest", "operators", "reads", "calls", "chain", "bytes"),
        *("proposals", "new edges", "takes an earlier output", "oracle", "nop"),
        *("explorer", "turns", "seconds"),
    )
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    for one in levels:
        cells = (
            *((one.ablation,) if several else ()),
            f"{one.level}",
            one.environment.digest[:12],
            _operators(one),
            f"{one.reads}",
            f"{one.calls}",
            f"{one.chain}",
            f"{one.served_bytes}",
            f"{len(one.attempts)}",
            f"{len(one.new_edges)}",
            "yes" if one.consumes_earlier else "no",
            f"{one.oracle:g}",
            f"{one.floor:.2f}",
            "-" if one.explorer is None else f"{one.explorer.reward:.2f}",
            "-" if one.explorer is None else f"{one.explorer.turns}",
            f"{one.seconds:.1f}",
        )
        lines.append(f"| {' | '.join(map(in_cell, cells))} |")
    return "\n".join(lines)


def _planner(grown: Grown) -> str:
    """Who planned the levels: a search, or a model by its name."""
    planners = {f"{one.producer} {one.model}".strip() for one in grown.levels[1:]}
    return ", ".join(sorted(planners)) or "-"


def _ended(grown: Grown) -> str:
    said: Mapping[str, str] = {
        "depth": "as deep as asked",
        "refused": "no proposal was accepted",
        "unsolved": "the explorer failed on as many in a row as end a lineage",
    }
    why = f": {grown.refused[-1].why}" if grown.refused else ""
    return f"{said[grown.ending]}{why}"[:500]


def _operators(level: LevelRow) -> str:
    shown = ", ".join(level.operators[:_SHOWN_OPERATORS]).replace(",", " /")
    more = len(level.operators) - _SHOWN_OPERATORS
    return f"{shown} and {more} more" if more > 0 else shown or "-"
