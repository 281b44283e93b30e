"""What an agent can come to know: names, keys, ids and cursors that some reply tells.

A way back may only use what is told. Here that is held to what was answered: beginning
with the list, each request whose words are known makes its answer known, until nothing
more comes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envplatform.bundle import Environment
from envplatform.ws.wire import canonical

_SAID = ("name", "key", "version", "job", "cursor", "query")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request that was granted, and the text of what came back."""

    operation: str
    arguments: Mapping[str, Any]
    answer: str
    undone: list[tuple[int, str]] = field(default_factory=list)
    """Texts that it was the last request for: put together, unpacked, decoded; each with
    the place in the session of the first request for it.
    """

    @property
    def name(self) -> str:
        """The public name that it is about."""
        return str(self.arguments.get("name", ""))

    def words(self) -> frozenset[str]:
        """Return what has to be known to make it."""
        given = self.arguments.get("input", {})
        said = [self.arguments[one] for one in _SAID if one in self.arguments]
        return frozenset(map(str, [*said, *given.values()]))


def untold(
    environment: Environment, listed: str, known: Iterable[str], had: list[Exchange]
) -> Iterator[tuple[str, str]]:
    """Yield name and word of requests that need something which no reply tells.

    `listed`: what `list` answers; `known`: names that the root tells of.
    """
    about = {view.name: view.about for view in environment.views}
    sure, unsure = set(known), set[str]()
    texts, fresh, left = [listed], [listed], list(had)
    while fresh:
        told, fresh, waiting = fresh, [], []
        unsure = {word for one in left for word in one.words()} - sure
        sure |= {word for word in unsure if _stands(word, told)}
        for one in left:
            if one.words() <= sure:
                fresh += [one.answer, about.get(one.name, "")]
            else:
                # Who knows a name may ask what it is.
                fresh += [about.get(one.name, "")] if one.name in sure else []
                waiting.append(one)
        fresh += _put_together(had, waiting)
        seen = set(texts)
        fresh = [text for text in dict.fromkeys(fresh) if text not in seen]
        texts += fresh
        left = waiting
    for one in left:
        for word in sorted(one.words() - sure):
            yield one.name, word


def _put_together(had: list[Exchange], waiting: list[Exchange]) -> Iterator[str]:
    """Yield texts for which no request is lacking."""
    lacking = {id(one) for one in waiting}
    for last, one in enumerate(had):
        for first, text in one.undone:
            needed = had[min(first, last) : last + 1]
            if lacking.isdisjoint(map(id, needed)):
                yield text


def _stands(word: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts holds a word, as it is or as JSON writes it."""
    spelt = canonical(word)[1:-1]
    return any(word in text for text in texts) or (
        spelt != word and any(spelt in text for text in texts)
    )


def text_of(content: bytes | None, data: Any) -> str:  # noqa: ANN401  JSON
    """Return an answer as text."""
    if content is not None:
        return content.decode("utf-8", "replace")
    return data if isinstance(data, str) else json.dumps(data)
