"""The part of a file that a model reads: whole lines with their numbers.

The same in training and in sampling, or a model would be asked what it never saw.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = 8
"""Characters that a line's number takes, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Lines of one file, as a model reads them."""

    path: str
    lines: range
    """From 1, of the whole file."""
    text: str
    """Each line with its number, a bar and its own text; no line end at the end."""


def show(path: str, data: bytes, wanted: range, limit: int, share: float) -> Shown:
    """Show `wanted` and what stands around it.

    Args:
        path: of the file.
        data: the file; UTF-8.
        wanted: lines, from 1, that must be seen; cut at its end if it is too long.
        limit: characters that may be shown.
        share: how much of the rest stands before `wanted`, from 0 to 1.
    """
    lines = text_lines(data)
    seen = _window([len(line) + _NUMBER for line in lines], wanted, limit, share)
    numbered = (f"{number}|{lines[number - 1]}" for number in seen)
    return Shown(path=path, lines=seen, text="\n".join(numbered))


def text_lines(data: bytes) -> list[str]:
    """Lines as patches have them, each without its LF and the CR before that."""
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [line.removesuffix("\r") for line in text.split("\n")]


def marked(shown: Shown) -> str:
    """Put lines between marks that hold a digest of them: no file can close them."""
    mark = hashlib.sha256(shown.text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"<<<{mark} {shown.path}\n{shown.text}\n{mark}>>>"


def _window(sizes: Sequence[int], wanted: range, limit: int, share: float) -> range:
    """Lines from 1 around `wanted` whose sizes stay within `limit`; at least one."""
    first = min(max(wanted.start, 1), len(sizes))
    last = first - 1  # the last line that is seen
    left = limit
    while last < min(wanted.stop - 1, len(sizes)) and sizes[last] <= left:
        left -= sizes[last]
        last += 1
    if last < first:
        return range(first, first + 1)
    first, left = _back(sizes, first, left, left * share)
    while last < len(sizes) and sizes[last] <= left:
        left -= sizes[last]
        last += 1
    first, _ = _back(sizes, first, left, left)
    return range(first, last + 1)


def _back(sizes: Sequence[int], first: int, left: int, room: float) -> tuple[int, int]:
    """Go back from line `first` as far as `room` allows; what is left of the limit."""
    while first > 1 and sizes[first - 2] <= room:
        left -= sizes[first - 2]
        room -= sizes[first - 2]
        first -= 1
    return first, left
