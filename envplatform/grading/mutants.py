"""Generic mutants: damage done to an answer by who has never seen its grader.

One function a kind: content before the oracle, content after it, and chance, to other
content. What does not apply, or would change nothing, makes no mutant.
"""

import csv
import io
import json
import random
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Damage = Callable[[str, random.Random], str | None]

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[A-Za-z]{3,}")
_LEAST_ROWS = 2


def dropped_row(text: str, chance: random.Random) -> str | None:
    """One row, or one entry of a list, is missing."""
    return _on_rows(text, chance, lambda rows, at: rows[:at] + rows[at + 1 :])


def duplicated_row(text: str, chance: random.Random) -> str | None:
    """One row stands twice."""
    return _on_rows(
        text, chance, lambda rows, at: [*rows[:at], *rows[at:][:1], *rows[at:]]
    )


def reordered_rows(text: str, chance: random.Random) -> str | None:
    """All rows stand in the opposite order."""
    return _on_rows(text, chance, lambda rows, _: rows[::-1])


def swapped_field(text: str, chance: random.Random) -> str | None:
    """Two fields of one row, or two values of one object, changed places."""
    value = _json(text)
    if value is not None:
        held = [one for one in _walk(value) if isinstance(one, dict) and len(one) > 1]
        return _edited(value, chance, held, _swap_values)
    return _on_fields(
        text, chance, lambda row, at: _swapped(row, at, (at + 1) % len(row))
    )


def missing_field(text: str, chance: random.Random) -> str | None:
    """One column, or one key of an object, is missing."""
    value = _json(text)
    if value is not None:
        held = [one for one in _walk(value) if isinstance(one, dict) and one]
        return _edited(value, chance, held, lambda one, key: one.pop(key))
    table = _table(text)
    if table is None:
        return None
    at = chance.randrange(len(table[0]))
    return _written(text, [row[:at] + row[at + 1 :] for row in table])


def perturbed_number(text: str, chance: random.Random) -> str | None:
    """One number is off by a little; digits inside a name, where there are no others."""
    found = list(_NUMBER.finditer(text)) or list(_DIGITS.finditer(text))
    if not found:
        return None
    match = chance.choice(found)
    last = match.group()[-1]
    other = str((int(last) + chance.randint(1, 8)) % 10)
    return text[: match.end() - 1] + other + text[match.end() :]


def changed_case(text: str, chance: random.Random) -> str | None:
    """One word changed its case."""
    found = list(_WORD.finditer(text))
    if not found:
        return None
    match = chance.choice(found)
    return text[: match.start()] + match.group().swapcase() + text[match.end() :]


def wrong_type(text: str, chance: random.Random) -> str | None:
    """One value of a JSON document is of another type."""
    value = _json(text)
    if value is None:
        return None
    held = [one for one in _walk(value) if isinstance(one, dict | list) and one]
    return _edited(value, chance, held, _retype)


def truncated_file(text: str, chance: random.Random) -> str | None:
    """The file breaks off."""
    return text[: int(len(text) * chance.uniform(0.3, 0.7))]


def appended_text(text: str, chance: random.Random) -> str | None:
    """Something that has no business there follows the end."""
    return f"{text}-- {chance.getrandbits(32):08x}\n"


def empty_file(text: str, chance: random.Random) -> str | None:
    """Nothing is left of it."""
    del text, chance
    return ""


DAMAGES: Mapping[str, Damage] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            dropped_row,
            duplicated_row,
            reordered_rows,
            swapped_field,
            missing_field,
            perturbed_number,
            changed_case,
            wrong_type,
            truncated_file,
            appended_text,
            empty_file,
        )
    }
)
"""By kind. Two more need no content: `stale_value`, `deleted_file`."""


def damaged(kind: str, data: bytes, chance: random.Random) -> bytes | None:
    """Return other content, None where the kind does not apply or changes nothing."""
    text = data.decode("utf-8", "surrogateescape")
    after = DAMAGES[kind](text, chance)
    if after is None or after == text:
        return None
    value = _json(text)
    if value is not None and value == _json(after):
        return None  # another spelling alone
    return after.encode("utf-8", "surrogateescape")


def part_of(data: bytes, share: float) -> bytes | None:
    """Return the first part of an answer: of rows, or of every list in JSON.

    None where it has no parts.
    """
    text = data.decode("utf-8", "surrogateescape")
    value = _json(text)
    if value is not None:
        lists = [one for one in _walk(value) if isinstance(one, list) and one]
        for one in lists:
            del one[int(len(one) * share) :]
        return json.dumps(value).encode("utf-8", "surrogatepass") if lists else None
    head, rows = _rows(text)
    if len(rows) <= _LEAST_ROWS:
        return None
    kept = "".join([*head, *rows[: int(len(rows) * share)]])
    return kept.encode("utf-8", "surrogateescape")


def is_json(data: bytes) -> bool:
    """Whether it is a JSON list or object."""
    return _json(data.decode("utf-8", "surrogateescape")) is not None


def _on_rows(
    text: str, chance: random.Random, change: Callable[[list[Any], int], list[Any]]
) -> str | None:
    value = _json(text)
    if value is not None:
        lists = [one for one in _walk(value) if isinstance(one, list) and one]
        if not lists:
            return None
        chosen = chance.choice(lists)
        chosen[:] = change(list(chosen), chance.randrange(len(chosen)))
        return _dumped(value)
    head, rows = _rows(text)
    if not rows:
        return None
    return "".join([*head, *change(rows, chance.randrange(len(rows)))])


def _on_fields(
    text: str, chance: random.Random, change: Callable[[list[str], int], list[str]]
) -> str | None:
    table = _table(text)
    if table is None or len(table) < _LEAST_ROWS:
        return None
    at = chance.randrange(1, len(table))
    table[at] = change(table[at], chance.randrange(len(table[at])))
    return _written(text, table)


def _edited(
    value: Any,  # noqa: ANN401  JSON
    chance: random.Random,
    held: list[Any],
    change: Callable[[Any, Any], object],
) -> str | None:
    """Change one of the containers of `value`, at one of its keys."""
    if not held:
        return None
    one = chance.choice(held)
    keys = sorted(one) if isinstance(one, dict) else list(range(len(one)))
    change(one, chance.choice(keys))
    return _dumped(value)


def _swap_values(one: dict[str, Any], key: str) -> None:
    other = next((name for name in sorted(one) if one[name] != one[key]), key)
    one[key], one[other] = one[other], one[key]


def _retype(one: Any, key: Any) -> None:  # noqa: ANN401  JSON
    value = one[key]
    one[key] = {"value": value} if isinstance(value, str) else str(value)


def _swapped(row: list[str], one: int, other: int) -> list[str]:
    row = list(row)
    row[one], row[other] = row[other], row[one]
    return row


def _rows(text: str) -> tuple[list[str], list[str]]:
    """Head line, if it is a table, and the lines after it."""
    lines = text.splitlines(keepends=True)
    head = 1 if _table(text) is not None else 0
    return lines[:head], lines[head:]


def _table(text: str) -> list[list[str]] | None:
    """Rows of a table of equally many fields, None where it is none."""
    sign = _separator(text)
    if sign is None:
        return None
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=sign, strict=True))
    except csv.Error:
        return None
    return rows if len({len(row) for row in rows}) == 1 and len(rows) > 1 else None


def _separator(text: str) -> str | None:
    first = text.partition("\n")[0]
    return next((sign for sign in (",", ";", "\t", "|") if sign in first), None)


def _written(text: str, table: list[list[str]]) -> str:
    lines = io.StringIO()
    sign = _separator(text) or ","
    csv.writer(lines, delimiter=sign, lineterminator="\n").writerows(table)
    return lines.getvalue()


def _json(text: str) -> Any:  # noqa: ANN401  JSON
    """A JSON list or object, else None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) else None


def _dumped(value: object) -> str:
    return json.dumps(value, indent=1)


def _walk(value: Any) -> list[Any]:  # noqa: ANN401  JSON
    """All lists and objects in a JSON value, outermost first."""
    found, todo = [], [value]
    while todo:
        one = todo.pop(0)
        if isinstance(one, dict | list):
            found.append(one)
            todo += list(one.values()) if isinstance(one, dict) else one
    return found
