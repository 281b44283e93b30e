"""Curves as pictures within Markdown, for the UI: an SVG in a data URI.

Dagster's Markdown shows images from `data:` and from the web; nothing here is fetched.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 150, 14, 40
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind (Okabe and Ito); they come round again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What the two directions mean. The horizontal one is logarithmic."""

    x: str
    y: str
    x_ticks: Sequence[int]
    """Growing, all above 0; the first and the last are the ends."""
    y_ticks: Sequence[float]
    """Growing; the first and the last are the ends."""


def curves(
    series: Mapping[str, Sequence[tuple[int, float]]], axes: Axes, *, title: str
) -> str:
    """Draw one line a series, points marked, as a Markdown image.

    What lies beyond the ends of an axis is drawn beyond them.
    """
    drawing = "".join((*_frame(axes), *_lines(series, axes)))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}"'
        f' font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#fff"/>{drawing}</svg>'
    )
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode()
    return f"![{title}](data:image/svg+xml;base64,{data})"


def _frame(axes: Axes) -> Iterator[str]:
    """Grid, ticks and names of the axes."""
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for tick in axes.y_ticks:
        y = _y(tick, axes)
        yield f'<path d="M{_LEFT} {y}H{right}" stroke="#ddd"/>'
        yield _text(_LEFT - 5, y + 4, f"{tick:g}", anchor="end")
    for step in axes.x_ticks:
        yield _text(_x(step, axes), bottom + 15, f"{step}", anchor="middle")
    yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#555"/>'
    yield _text((_LEFT + right) / 2, _HEIGHT - 8, axes.x, anchor="middle")
    yield _text(_LEFT + 5, _TOP + 8, axes.y)


def _lines(
    series: Mapping[str, Sequence[tuple[int, float]]], axes: Axes
) -> Iterator[str]:
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(_x(x, axes), _y(y, axes)) for x, y in points]
        line = " ".join(f"{x},{y}" for x, y in places)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}"/>'
        for x, y in places:
            yield f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>'
        at = _TOP + 12 + 16 * number
        yield f'<rect x="{_WIDTH - _RIGHT + 12}" y="{at - 9}" width="9" height="9"'
        yield f' fill="{colour}"/>{_text(_WIDTH - _RIGHT + 26, at, name)}'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _x(value: float, axes: Axes) -> float:
    first, last = axes.x_ticks[0], axes.x_ticks[-1]
    share = log(value / first) / log(last / first)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(value: float, axes: Axes) -> float:
    first, last = axes.y_ticks[0], axes.y_ticks[-1]
    share = (value - first) / (last - first)
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)
