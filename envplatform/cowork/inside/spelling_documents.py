"""JSON documents in the spelling of the one that is due; lies beside `spelling`."""

from __future__ import annotations

import json
from collections.abc import Iterable

from spelling_pieces import Spellings, is_number, number, read_json


def document(text: str, due: str) -> str:
    """Return JSON as `due` spells it; nothing where it is none and has to be."""
    given, wanted = read_json(text), read_json(due)
    if given is None:
        return "" if read_json(due) is not None else text
    places = _Places(wanted, given)
    try:
        found = places.spelt(given, "")
        return due if _same(found, wanted) else json.dumps(found)
    except RecursionError:
        return ""


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class _Places:
    """Spellings of all values of a document, by place; items of a list share theirs."""

    def __init__(self, due: object, given: object) -> None:
        wanted, told = _by_place(due), _by_place(given)
        said = [
            text
            for place, values in told.items()
            if not place.endswith("{")
            for text in _texts(values)
        ]
        self._texts = {
            place: Spellings(
                _texts(values),
                _texts(told.get(place, [])) if place.endswith("{") else said,
            )
            for place, values in wanted.items()
        }
        self._numbers = {
            place: {number(one): one for one in values if is_number(one)}
            for place, values in wanted.items()
        }

    def spelt(self, value: object, place: str) -> object:
        """Return a value in the spelling that is due at its place."""
        if isinstance(value, dict):
            keys = self._texts.get(f"{place}{{")
            named = {keys.of(key) if keys else key: one for key, one in value.items()}
            if len(named) < len(value):
                named = value
            return {
                key: self.spelt(one, f"{place}/{key}") for key, one in named.items()
            }
        if isinstance(value, list):
            return [self.spelt(one, f"{place}[") for one in value]
        if isinstance(value, str):
            return self._texts[place].of(value) if place in self._texts else value
        if is_number(value):
            return self._numbers.get(place, {}).get(number(value), value)
        return value


def _by_place(value: object) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        place, one = stack.pop()
        if isinstance(one, dict):
            found.setdefault(f"{place}{{", []).extend(one)
            stack += [(f"{place}/{key}", inner) for key, inner in one.items()]
        elif isinstance(one, list):
            stack += [(f"{place}[", inner) for inner in one]
        else:
            found.setdefault(place, []).append(one)
    return found


def _texts(values: Iterable[object]) -> list[str]:
    return [one for one in values if isinstance(one, str)]
