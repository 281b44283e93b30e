"""Lists of tests, in the forms in which data sets write them."""

import ast
import json
import re

from envplatform.swe.fixes.sources.rows import (
    MAX_FIELD_BYTES,
    Row,
    RowRefused,
    checked_text,
    is_null,
    shown,
    too_large,
)

_STRING = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
_ITEM = re.compile(rf"\s*+({_STRING})\s*+,?", re.DOTALL)
_END = re.compile(r"\s*+\]\s*+")


def read_tests(row: Row, *names: str) -> tuple[str, ...]:
    """Names of tests, in the order of the row; empty if it names none.

    Takes a list, a JSON list as text, and the text that Python or numpy print for one.

    Raises:
        RowRefused: something else, or more than `MAX_FIELD_BYTES`.
    """
    name = " or ".join(names)
    value = row.value(*names)
    if is_null(value):
        return ()
    if isinstance(value, str | bytes):
        value = _parse(checked_text(name, value).strip())
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple):
        raise _refusal(name, row.value(*names))
    if not all(isinstance(test, str) for test in value):
        raise _refusal(name, row.value(*names))
    if sum(map(len, value)) > MAX_FIELD_BYTES:
        raise too_large(name, MAX_FIELD_BYTES)
    return tuple(checked_text(name, test) for test in value)


def _parse(text: str) -> object:
    """The list that stands in `text`; None if there is none."""
    if not text:
        return []
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _printed_list(text)


def _printed_list(text: str) -> list[str] | None:
    """Strings in brackets, with commas between them (Python) or without (numpy).

    `ast.literal_eval` of the whole would join numpy's strings into one, in silence.
    """
    if not text.startswith("["):
        return None
    tests: list[str] = []
    position = 1
    while item := _ITEM.match(text, position):
        try:
            tests.append(ast.literal_eval(item[1]))
        except (ValueError, SyntaxError):  # a bare line end or NUL inside the quotes
            return None
        position = item.end()
    return tests if _END.fullmatch(text, position) else None


def _refusal(name: str, value: object) -> RowRefused:
    detail = f"{name} is {shown(value)}, expected a list of test names"
    return RowRefused(reason="wrong_type", detail=detail)
