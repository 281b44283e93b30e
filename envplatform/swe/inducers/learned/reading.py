"""From what a model answered to the text of one diff. Applies nothing.

Fences, prose around the diff, missing headers, wrong folders in names and line numbers
copied from what was shown are put right, and said; everything else is left as it is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from envplatform.llm.chat import FinishReason
from envplatform.patches.render import name_lines
from envplatform.swe.inducers.learned.fault import Fault

MAX_CHARACTERS = 60_000
"""Of an answer; longer ones are floods."""
_FENCE = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)^ {0,3}\1[ \t]*$")
_THOUGHT = re.compile(r"(?s)\A\s*<think>.*?</think>\s*")
_MARK = re.compile(r"<\|[^|>\n]{1,40}\|>|</?(?:s|think|tool_call)>|\[/?INST\]")
_HUNK = re.compile(r"@@+(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?")
_NUMBERED = re.compile(r"\s*\d+\|")
_BODY = (" ", "-", "+", "\\")
_NO_FILE = "/dev/null"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDiff:
    """A diff of the file that was shown, as far as can be told from its text."""

    text: str
    """With a header of our own; the hunks as the model wrote them."""
    extracted: bool
    """Fences, prose, or a header that was missing or wrong were put right."""
    unnumbered: bool
    """Line numbers that the model had copied were taken away."""
    renamed: bool = False
    """Its header names another file; there is only one that it can be meant for."""


def header_of(path: str) -> str:
    """Return the two lines that name a changed file, spelled as git does."""
    lines = name_lines(path.encode(), path.encode())
    return b"".join(lines).decode("utf-8", "surrogateescape")


def read_diff(text: str, finish: FinishReason, path: str) -> ReadDiff | Fault:
    """Find the one diff in an answer.

    Args:
        text: the whole answer.
        finish: why the model ended it.
        path: the file that the model was shown.
    """
    if len(text) > MAX_CHARACTERS:
        return Fault("too_long")
    if finish == "length":
        return Fault("cut_off")
    plain = _THOUGHT.sub("", text.replace("\r\n", "\n")).strip("\n")
    if finish == "content_filter" or not plain.strip():
        return Fault("no_answer")
    if _MARK.search(plain):
        return Fault("template_marks")
    fenced = _in_fence(plain)
    if isinstance(fenced, Fault):
        return fenced
    lines = (plain if fenced is None else fenced).split("\n")
    return _read(lines, path, fenced=fenced is not None)


def _in_fence(text: str) -> str | Fault | None:
    """The one fenced block with hunks in it; None: no fence holds any."""
    blocks = [match[2] for match in _FENCE.finditer(text)]
    diffs = [block for block in blocks if re.search(r"(?m)^@@", block)]
    if len(diffs) > 1:
        return Fault("several_diffs")
    return diffs[0] if diffs else None


def _read(lines: Sequence[str], path: str, *, fenced: bool) -> ReadDiff | Fault:
    starts = [at for at, line in enumerate(lines) if _HUNK.match(line)]
    if not starts:
        return Fault("no_diff")
    names = list(_names(lines))
    renamed = not all(_is_meant(name, path) for name in names)
    if renamed and (_NO_FILE in names or len(set(map(_plain, names))) > 1):
        return Fault("other_file")
    hunks = list(_hunks(lines, starts))
    bodies = [line for hunk in hunks for line in hunk[1:]]
    marked = [line for line in bodies if line[:1] in {" ", "-", "+"} and line[1:]]
    numbered = bool(marked) and all(_NUMBERED.match(line[1:]) for line in marked)
    if numbered:
        hunks = [[hunk[0], *map(_without_number, hunk[1:])] for hunk in hunks]
    body = "\n".join("\n".join(hunk) for hunk in hunks)
    own = header_of(path).rstrip("\n").split("\n")
    clean = not fenced and list(lines[:2]) == own and len(names) == len(own)
    whole = sum(len(hunk) for hunk in hunks) + len(own) == len(lines)
    return ReadDiff(
        text="\n".join([*own, body, ""]),
        extracted=not (clean and whole),
        unnumbered=numbered,
        renamed=renamed,
    )


def _names(lines: Sequence[str]) -> Iterator[str]:
    """Names in headers: a `---` line with a `+++` line after it."""
    for one, other in pairwise(lines):
        if one.startswith("--- ") and other.startswith("+++ "):
            yield from (line[4:].split("\t")[0].strip() for line in (one, other))


def _is_meant(name: str, path: str) -> bool:
    """Whether a header's name is the file that was shown, folders left out or not."""
    named, shown = PurePosixPath(name).parts, PurePosixPath(path).parts
    if named[:1] in {("a",), ("b",)} and named != shown:
        named = named[1:]
    return bool(named) and named == shown[-len(named) :]


def _plain(name: str) -> str:
    """A name without the `a/` or `b/` before it."""
    return name[2:] if name.startswith(("a/", "b/")) else name


def _hunks(lines: Sequence[str], starts: Sequence[int]) -> Iterator[list[str]]:
    """Yield the lines of each hunk, a header with numbers first."""
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else len(lines)
        body: list[str] = []
        for number in range(start + 1, end):
            line = lines[number]
            header = line.startswith("--- ") and lines[number + 1 : number + 2]
            if header and header[0].startswith("+++ "):
                break
            if line and not line.startswith(_BODY):
                break
            body.append(line)
        while body and not body[-1]:
            body.pop()
        yield [_header(lines[start]), *body]


def _header(line: str) -> str:
    """The hunk's own header, or one that will be counted and placed anew."""
    match = _HUNK.match(line)
    return line if match and match[1] else "@@ -1 +1 @@"


def _without_number(line: str) -> str:
    if line[:1] not in {" ", "-", "+"} or not line[1:]:
        return line
    return line[:1] + _NUMBERED.sub("", line[1:], count=1)
