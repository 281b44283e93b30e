"""Names of people, companies and things, drawn without repeats."""

import random
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from envplatform.toml_file import parse_toml

_FILE = "words.toml"
WordList = Literal[
    "city", "company", "department", "product", "project", "service", "first"
]


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    first: tuple[str, ...]
    last: tuple[str, ...]
    company: tuple[str, ...]
    suffix: tuple[str, ...]
    trade: tuple[str, ...]
    city: tuple[str, ...]
    product: tuple[str, ...]
    adjective: tuple[str, ...]
    department: tuple[str, ...]
    project: tuple[str, ...]
    service: tuple[str, ...]


class Names:
    """Draws names; none comes twice from one of these, in any of its lists."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._given: set[str] = set()

    def people(self, count: int) -> list[str]:
        """Draw full names, `Ada Baros`; also no surname twice.

        Raises:
            ValueError: so many are not left.
        """
        words = _words()
        first = self._draw(words.first, count)
        last = self._draw(words.last, count)
        return [f"{one} {other}" for one, other in zip(first, last, strict=True)]

    def companies(self, count: int) -> list[str]:
        """Draw companies, `Kestrel Foods`; also no first word twice.

        Raises:
            ValueError: so many are not left.
        """
        return self._companies(count, _words().suffix)

    def suppliers(self, count: int) -> list[str]:
        """Draw companies that sell goods of any kind, `Kestrel Supplies`.

        Raises:
            ValueError: so many are not left.
        """
        return self._companies(count, _words().trade)

    def _companies(self, count: int, ends: Sequence[str]) -> list[str]:
        chosen = self._draw(_words().company, count)
        return [f"{one} {self._chance.choice(ends)}" for one in chosen]

    def products(self, count: int) -> list[str]:
        """Draw products, `steel hinge`.

        Raises:
            ValueError: so many are not left.
        """
        words = _words()
        pairs = [f"{how} {what}" for what in words.product for how in words.adjective]
        return self._draw(pairs, count)

    def some(self, kind: WordList, count: int) -> list[str]:
        """Draw words of one list.

        Raises:
            ValueError: so many are not left.
        """
        found: tuple[str, ...] = getattr(_words(), kind)
        return self._draw(found, count)

    def _draw(self, words: Sequence[str], count: int) -> list[str]:
        left = [one for one in words if one not in self._given]
        chosen = self._chance.sample(left, count)
        self._given.update(chosen)
        return chosen


@cache
def _words() -> _Words:
    folder = resources.files("envplatform") / "cowork"
    return parse_toml(_Words, (folder / _FILE).read_text("utf-8"), source=_FILE)
