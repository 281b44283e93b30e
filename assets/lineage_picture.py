"""A lineage as a picture: names by the level at which they came in, and what needs what."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from assets.plots import markdown_image
from envplatform.res.rows import EdgeRow, LevelRow

_COLUMN, _ROW, _BOX, _MARGIN = 190, 22, 150, 30
_SHOWN = 16
"""Names of one level at most; those that most edges meet."""
_LETTERS = 24
_MADE = re.compile(r"^vault/|\.[a-z_]+-[0-9a-f]{4,}$")
"""Names that operators gave; all others are the root's."""
_COLOURS = {False: "#0072b2", True: "#d55e00"}
_LEGEND = (
    (False, "what an edge needs"),
    (True, "the same, of an operator that took an earlier one's output"),
)

Place = tuple[float, float]


def lineage_picture(levels: Sequence[LevelRow]) -> str:
    """Draw the deepest of one lineage's levels as a Markdown image; a dash for a root alone."""
    deepest = max(levels, key=lambda one: one.level, default=None)
    if deepest is None or not deepest.edges:
        return "-"
    columns = _columns(deepest.edges)
    left_out = sum(len(names) - _SHOWN for names in columns if len(names) > _SHOWN)
    places = {
        name: (_MARGIN + _COLUMN * depth, 2 * _MARGIN + _ROW * row)
        for depth, names in enumerate(columns)
        for row, name in enumerate(names[:_SHOWN])
    }
    drawing = [
        *(_heading(depth, columns) for depth in range(len(columns))),
        *(_edge(edge, places) for edge in deepest.edges),
        *(_node(name, place) for name, place in places.items()),
    ]
    bottom = 2 * _MARGIN + _ROW * max(len(names[:_SHOWN]) for names in columns)
    drawing += _legend(bottom, left_out)
    width = max(2 * _MARGIN + _COLUMN * len(columns), 560)
    title = f"lineage of {deepest.seed_name}"
    return markdown_image("".join(drawing), (width, bottom + 58), title)


def _columns(edges: Sequence[EdgeRow]) -> list[list[str]]:
    """Names by the level at which an edge first speaks of them; those at 0 were there.

    What an edge of some level needs was made at that level, unless it was there before.
    """
    first: dict[str, int] = {}
    met: dict[str, int] = {}
    for edge in sorted(edges, key=lambda one: one.level):
        for name in (edge.view, edge.needs):
            first.setdefault(name, edge.level if _MADE.search(name) else 0)
            met[name] = met.get(name, 0) + 1
    depth = max(first.values(), default=0)
    return [
        sorted((n for n, d in first.items() if d == level), key=lambda n: (-met[n], n))
        for level in range(depth + 1)
    ]


def _heading(depth: int, columns: Sequence[Sequence[str]]) -> str:
    said = "root" if depth == 0 else f"level {depth}"
    x = _MARGIN + _COLUMN * depth
    return (
        f'<text x="{x}" y="24" font-weight="bold">{said}, {len(columns[depth])}</text>'
    )


def _node(name: str, place: Place) -> str:
    x, y = place
    short = name if len(name) <= _LETTERS else f"...{name[-_LETTERS:]}"
    return (
        f'<rect x="{x}" y="{y - 9}" width="{_BOX}" height="17" rx="3" fill="#f4f4f4"'
        f' stroke="#777"/><text x="{x + 5}" y="{y + 4}">{escape(short)}</text>'
    )


def _edge(edge: EdgeRow, places: Mapping[str, Place]) -> str:
    """A line from what is needed to what needs it, thicker the more calls it costs."""
    if edge.view not in places or edge.needs not in places:
        return ""
    (x0, y0), (x1, y1) = places[edge.needs], places[edge.view]
    start, end = (x0 + _BOX, x1) if x1 > x0 else (x0, x1 + _BOX)
    if x1 == x0:
        start, end = x0 + _BOX, x1 + _BOX
    bend = 34 if x1 >= x0 else -34
    back = bend if x1 == x0 else -bend
    width = min(4.0, 0.8 + edge.calls / 6)
    return (
        f'<path d="M{start} {y0}C{start + bend} {y0} {end + back} {y1} {end} {y1}"'
        f' fill="none" stroke="{_COLOURS[edge.consumes]}" stroke-width="{width:.1f}"'
        f' opacity="0.6"/>'
    )


def _legend(bottom: float, left_out: int) -> list[str]:
    said = [
        f'<rect x="{_MARGIN}" y="{bottom + 4 + 16 * n}" width="14" height="3"'
        f' fill="{_COLOURS[kind]}"/>'
        f'<text x="{_MARGIN + 20}" y="{bottom + 9 + 16 * n}">{text}</text>'
        for n, (kind, text) in enumerate(_LEGEND)
    ]
    if left_out:
        more = f"{left_out} names more are left out"
        said.append(f'<text x="{_MARGIN}" y="{bottom + 44}">{more}</text>')
    return said
