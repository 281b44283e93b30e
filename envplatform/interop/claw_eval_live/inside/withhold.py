"""What a tool says of a record, without what is read elsewhere.

Where an environment serves its records by themselves, a tool still tells which there
are: of each it says the id, where the record stands, and what the record does not hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LEAST = 4
"""Characters; a shorter text stands in another one by chance."""


class Records:
    """The records that one service reads."""

    def __init__(self, told: list[Mapping[str, str]]) -> None:
        """`told`: `file` that holds them, field with the `id`, public `name`."""
        self._known: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
        self._keys = [one["id"] for one in told]
        for one in told:
            for record in json.loads(Path(one["file"]).read_text(encoding="utf-8")):
                key = one["id"], str(record[one["id"]])
                self._known[key] = record, one["name"]

    def without(self, said: Any) -> Any:  # noqa: ANN401  JSON
        """Return an answer in which records are told by id alone."""
        if isinstance(said, list):
            return [self.without(one) for one in said]
        if not isinstance(said, dict):
            return said
        for key in self._keys:
            found = self._known.get((key, str(said.get(key))))
            if found is not None:
                return self._told(said, key, *found)
        return {name: self.without(value) for name, value in said.items()}

    def _told(
        self, said: dict[str, Any], key: str, record: dict[str, Any], name: str
    ) -> dict[str, Any]:
        held = json.dumps(record, ensure_ascii=False)
        kept = {
            field: self.without(value)
            for field, value in said.items()
            if field == key or not _stands(field, value, record, held)
        }
        place = "record"
        while place in kept:
            place = f"_{place}"
        return {**kept, place: name}


def _stands(field: str, value: Any, record: dict[str, Any], held: str) -> bool:  # noqa: ANN401  JSON
    """Whether a record tells this itself, whole or as the beginning of a text."""
    if field in record and record[field] == value:
        return True
    text = value.rstrip(". \u2026") if isinstance(value, str) else ""
    return len(text) >= _LEAST and json.dumps(text, ensure_ascii=False)[1:-1] in held
