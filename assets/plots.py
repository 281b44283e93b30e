"""Curves and bars as pictures within Markdown, for the UI: an SVG in a data URI.

Dagster's Markdown shows images from `data:` and from the web; nothing here is fetched.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 150, 14, 40
_BAR_HEIGHT, _GROUP_GAP = 11, 7
_BARS_LEFT, _BARS_RIGHT = 110, _WIDTH - _RIGHT - 40
_LABELLED = 3
"""Bars have their value beside them if there are so many series at most."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind (Okabe and Ito); they come round again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What the two directions mean."""

    x: str
    y: str
    x_ticks: Sequence[int]
    """Growing, all above 0 unless linear; the first and the last are the ends."""
    y_ticks: Sequence[float]
    """Growing; the first and the last are the ends."""
    is_linear: bool = False
    """Whether equal steps to the right are equal differences, not equal factors."""


Reach = tuple[int, float, float]
"""An interval: where on the horizontal axis, its lower end, its upper end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What bars mean."""

    name: str
    form: str = "{:g}"
    """Of a value, for `str.format`."""


def curves(
    series: Mapping[str, Sequence[tuple[int, float]]],
    axes: Axes,
    *,
    title: str,
    intervals: Mapping[str, Sequence[Reach]] | None = None,
) -> str:
    """Draw one line a series, points marked, as a Markdown image.

    What lies beyond the ends of an axis is drawn beyond them; but `intervals`, by
    series, end with it.
    """
    reaches = _reaches(series, intervals or {}, axes)
    drawing = (*_frame(axes), *reaches, *_lines(series, axes), *_legend(series))
    return _image("".join(drawing), _HEIGHT, title)


def bars(series: Mapping[str, Mapping[str, float]], *, scale: Scale, title: str) -> str:
    """Draw a group of lying bars a thing, a bar of it a series, as a Markdown image.

    Args:
        series: for each its values by thing, 0 or more; things stand in the order of
            the first series that has them. What is 0 or not there has no bar.
        scale: How values are written, and what they are.
        title: Said where pictures can't be shown.
    """
    things = list(
        dict.fromkeys(thing for values in series.values() for thing in values)
    )
    group = _BAR_HEIGHT * max(1, len(series)) + _GROUP_GAP
    most = max((v for values in series.values() for v in values.values()), default=0)
    drawing: list[str] = []
    for place, thing in enumerate(things):
        middle = _TOP + group * place + (group - _GROUP_GAP) / 2
        drawing.append(_text(_BARS_LEFT - 6, middle + 4, thing, anchor="end"))
    for number, values in enumerate(series.values()):
        path = []
        for thing, value in values.items():
            if value <= 0:
                continue
            y = _TOP + group * things.index(thing) + _BAR_HEIGHT * number
            width = round((_BARS_RIGHT - _BARS_LEFT) * value / most, 1)
            path.append(f"M{_BARS_LEFT} {y}h{width}v{_BAR_HEIGHT - 1}h-{width}z")
            if len(series) <= _LABELLED:
                at = _BARS_LEFT + width + 4
                drawing.append(_text(at, y + 9, scale.form.format(value)))
        drawing.append(f'<path d="{"".join(path)}" fill="{_colour(number)}"/>')
    bottom = _TOP + group * len(things)
    drawing.append(_text(_BARS_LEFT, bottom + 14, scale.name))
    height = max(bottom + 24, _TOP + 16 * len(series) + 12)
    return _image("".join((*drawing, *_legend(series))), height, title)


def _image(drawing: str, height: float, title: str) -> str:
    return markdown_image(drawing, (_WIDTH, height), title)


def markdown_image(drawing: str, size: tuple[float, float], title: str) -> str:
    """Return elements of SVG on white as a Markdown image; `size`: width and height."""
    width, height = size
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
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
    for number, points in enumerate(series.values()):
        colour = _colour(number)
        places = [(_x(x, axes), _y(y, axes)) for x, y in points]
        line = " ".join(f"{x},{y}" for x, y in places)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}"/>'
        for x, y in places:
            yield f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>'


def _reaches(
    series: Iterable[str], intervals: Mapping[str, Sequence[Reach]], axes: Axes
) -> Iterator[str]:
    """Lines up and down, a little apart where series have the same place."""
    lowest, highest = axes.y_ticks[0], axes.y_ticks[-1]
    for number, name in enumerate(series):
        for place, low, high in intervals.get(name, ()):
            x = _x(place, axes) + 2 * number
            down, up = _y(max(low, lowest), axes), _y(min(high, highest), axes)
            colour = _colour(number)
            yield f'<path d="M{x:g} {down}V{up}" stroke="{colour}" opacity="0.5"/>'


def _legend(names: Iterable[str]) -> Iterator[str]:
    """Colours and what they stand for, to the right."""
    for number, name in enumerate(names):
        at = _TOP + 12 + 16 * number
        yield f'<rect x="{_WIDTH - _RIGHT + 12}" y="{at - 9}" width="9" height="9"'
        yield f' fill="{_colour(number)}"/>{_text(_WIDTH - _RIGHT + 26, at, name)}'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _x(value: float, axes: Axes) -> float:
    first, last = axes.x_ticks[0], axes.x_ticks[-1]
    if axes.is_linear:
        share = (value - first) / (last - first)
    else:
        share = log(value / first) / log(last / first)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(value: float, axes: Axes) -> float:
    first, last = axes.y_ticks[0], axes.y_ticks[-1]
    share = (value - first) / (last - first)
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)
