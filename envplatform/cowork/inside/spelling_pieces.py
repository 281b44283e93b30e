"""Pieces of deliverables that say the same in other spellings: cells, words, numbers.

Lies beside `spelling`, and knows nothing of files. What two pieces of what is due would
answer to is left alone, and so is a number that is none: NaN, 1e999.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.\d+)?", re.ASCII)

_CASES = (str.lower, str.upper, str.capitalize, str.title)
_FEW_WORDS = 3
_LONGEST_NUMBER = 24


class Spellings:
    """How the pieces of one column, or one place, are spelt where they are due."""

    def __init__(self, due: Iterable[str], given: Iterable[str]) -> None:
        self._exact = unambiguous({one: canonical(one) for one in due})
        self._folded = unambiguous({one: canonical(one).lower() for one in due})
        words = [canonical(one) for one in given]
        self._is_cased = any(
            all(len(one.split()) <= _FEW_WORDS and case(one) == one for one in words)
            for case in _CASES
        )

    def of(self, text: str) -> str:
        """Return the spelling that is due; the text itself if there is none."""
        key = canonical(text)
        if key in self._exact:
            return self._exact[key]
        return self._folded.get(key.lower(), key) if self._is_cased else key


def unambiguous(keys: Mapping[str, str]) -> dict[str, str]:
    """Return text by key, of keys that one text alone has."""
    found: dict[str, str | None] = {}
    for text, key in keys.items():
        found[key] = None if key in found else text
    return {key: text for key, text in found.items() if text is not None}


def canonical(text: str) -> str:
    """Return what two spellings of one cell have in common; case is kept."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return digits(text) if NUMBER.fullmatch(text) else text


def digits(text: str) -> str:
    """Return a number without commas and idle zeros; an endless one as it came."""
    if len(text) > _LONGEST_NUMBER:
        return text
    value = Decimal(text.replace(",", ""))
    return f"{value.normalize() if value else Decimal(0):f}"


def is_number(value: object) -> bool:
    """Whether a value of JSON is one; truth is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value: Any) -> Decimal:  # noqa: ANN401  a number of JSON
    """Return a number so that 3.0 is 3, and 0.1 + 0.2 is 0.3."""
    is_whole = isinstance(value, int) or value.is_integer()
    return Decimal(int(value)) if is_whole else Decimal(f"{value:.12g}")


def read_json(text: str | None) -> Any:  # noqa: ANN401  JSON
    """Parse JSON; None for what is none, repeats a key or has a number without bound."""
    if text is None:
        return None
    try:
        return json.loads(
            text,
            parse_float=_float,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except (ValueError, RecursionError):
        return None


def _float(text: str) -> float:
    value = float(text)
    return value if abs(value) < float("inf") else _no_number(text)


def _no_number(text: str) -> float:
    msg = f"{text} is no number"
    raise ValueError(msg)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        msg = "a key stands twice"
        raise ValueError(msg)
    return found
