"""Other ways to write a deliverable that says the same: what people and tools do."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Spelling = Callable[[str, str], str]
"""Suffix and text to another text; the text itself where there is no such way."""

_WHOLE = re.compile(r"[1-9]\d*|0")
_LARGE = re.compile(r"(?<![\w.,:+/-])[1-9]\d{3,}(?![\w,:/%-]|\.\d)")
_FEW_WORDS = 3


def with_mark(suffix: str, text: str) -> str:
    """A byte order mark before it."""
    del suffix
    return f"\ufeff{text}"


def with_crlf(suffix: str, text: str) -> str:
    """Lines end as on Windows."""
    del suffix
    return text.replace("\n", "\r\n")


def with_blanks(suffix: str, text: str) -> str:
    """Blanks before the end of each line."""
    del suffix
    return "".join(f"{line}  \n" for line in text.splitlines())


def without_end(suffix: str, text: str) -> str:
    """No newline at the end."""
    del suffix
    return text.rstrip("\n")


def with_more_end(suffix: str, text: str) -> str:
    """Blank lines at the end."""
    del suffix
    return f"{text}\n\n"


def in_fence(suffix: str, text: str) -> str:
    """As a model shows it: in a block of Markdown."""
    del suffix
    return f"```\n{text.rstrip()}\n```\n"


def quoted(suffix: str, text: str) -> str:
    """All cells in quotes."""
    return _written(text, quoting=csv.QUOTE_ALL) if suffix == ".csv" else text


def by_semicolons(suffix: str, text: str) -> str:
    """As spreadsheets write where the comma is a decimal mark."""
    return _written(text, delimiter=";") if suffix == ".csv" else text


def as_markdown(suffix: str, text: str) -> str:
    """A table of Markdown."""
    if suffix != ".csv":
        return text
    head, *rows = _rows(text)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_decimals(suffix: str, text: str) -> str:
    """`3.0` for `3`."""
    if suffix == ".json":
        return json.dumps(_mapped(json.loads(text)))
    if suffix == ".csv":
        return _cell_by_cell(
            text, lambda cell: f"{cell}.0" if _WHOLE.fullmatch(cell) else cell
        )
    return text


def with_thousands(suffix: str, text: str) -> str:
    """`1,200` for `1200`."""
    if suffix == ".csv":
        return _cell_by_cell(
            text, lambda cell: f"{int(cell):,}" if _WHOLE.fullmatch(cell) else cell
        )
    if suffix in {".md", ".txt"}:
        return _LARGE.sub(lambda found: f"{int(found[0]):,}", text)
    return text


def in_capitals(suffix: str, text: str) -> str:
    """Heads of tables, and columns of short words, in capitals."""
    if suffix != ".csv":
        return text
    head, *rows = _rows(text)
    for at in range(len(head)):
        if all(len(row[at].split()) <= _FEW_WORDS for row in rows):
            rows = [[*row[:at], row[at].upper(), *row[at + 1 :]] for row in rows]
    return _text([[name.upper() for name in head], *rows])


def marked(suffix: str, text: str) -> str:
    """Bullets, bars and blank lines of Markdown otherwise."""
    if suffix != ".md":
        return text
    lines = [
        f"*{line[1:]}" if line.startswith("- ") else line.replace(" | ", "  |  ")
        for line in text.splitlines()
    ]
    return "\n".join(["", *lines, ""])


SPELLINGS: Mapping[str, Spelling] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            with_mark,
            with_crlf,
            with_blanks,
            without_end,
            with_more_end,
            in_fence,
            quoted,
            by_semicolons,
            as_markdown,
            with_decimals,
            with_thousands,
            in_capitals,
            marked,
        )
    }
)


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def _text(rows: list[list[str]], **form: Any) -> str:  # noqa: ANN401  of csv.writer
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **form).writerows(rows)
    return out.getvalue()


def _written(text: str, **form: Any) -> str:  # noqa: ANN401  of csv.writer
    return _text(_rows(text), **form)


def _cell_by_cell(text: str, change: Callable[[str], str]) -> str:
    head, *rows = _rows(text)
    return _text([head, *([change(cell) for cell in row] for row in rows)])


def _mapped(value: Any) -> Any:  # noqa: ANN401  JSON
    if isinstance(value, dict):
        return {key: _mapped(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_mapped(one) for one in value]
    return float(value) if type(value) is int else value
