"""Searching: some requests a turn, most promising first, until nothing or no turn is left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envplatform.rollout.explorer.leads import (
    Known,
    Leads,
    fill_places,
    from_answer,
    from_listing,
)
from envplatform.rollout.explorer.mentions import Mentions
from envplatform.rollout.explorer.trails import follow, try_keys
from envplatform.ws import Reply, Request

CALLS_A_TURN = 5
"""As many as a model makes at once, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One request that was granted."""

    request: Request
    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What a search came to."""

    answered: tuple[Answered, ...]
    """In the order of the requests; refusals are left out."""
    turns: int
    calls: int
    is_exhausted: bool
    """Whether the turns ended before the leads did."""

    def contents(self) -> frozenset[bytes]:
        """Return everything that was read, parts of one text put together again."""
        found = {one.reply.content for one in self.answered if one.reply.content}
        return frozenset(found | set(_assembled(self.answered)))


def explore(ask: Callable[[Request], Reply], *, turns: int, goal: str = "") -> Explored:
    """Look for whatever can be had within `turns` turns.

    `goal`: the instruction; values in it are tried like any others.
    """
    leads, known, mentions = Leads(), Known(), Mentions()
    known.learn(goal)
    answered: list[Answered] = []
    calls = 0
    leads.add(0, "list")
    used = 0
    while leads.queue and used < turns:
        used += 1
        for request in leads.take(CALLS_A_TURN):
            reply = ask(request)
            calls += 1
            if reply.ok:
                answered.append(Answered(request=request, reply=reply))
            if request.operation == "list" and reply.ok:
                from_listing(leads, reply.data["names"])
                mentions.learn_list(reply.data["names"])
            else:
                from_answer(leads, known, request, reply)
            follow(leads, mentions, request, reply)
        fill_places(leads, known)
        try_keys(leads, mentions)
    return Explored(
        answered=tuple(answered),
        turns=used,
        calls=calls,
        is_exhausted=bool(leads.queue),
    )


def _assembled(answered: Sequence[Answered]) -> list[bytes]:
    """Put parts that name their successors together, one text a name."""
    parts: dict[str, dict[str, tuple[str, str]]] = {}
    for one in answered:
        data = one.reply.data
        if one.request.operation == "read" and isinstance(data, dict):
            arguments = one.request.arguments
            pages = parts.setdefault(arguments["name"], {})
            following = str(data.get("next") or "")
            pages[arguments.get("cursor", "")] = (str(data.get("content")), following)
    return [_whole(pages) for pages in parts.values()]


def _whole(pages: dict[str, tuple[str, str]]) -> bytes:
    text, at, seen = "", "", set[str]()
    while at in pages and at not in seen:
        seen.add(at)
        content, at = pages[at]
        text += content
        if not at:
            break
    return text.encode("utf-8", "surrogatepass")
