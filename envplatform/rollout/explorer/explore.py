"""Searching: some requests a turn, most promising first, until nothing or no turn is left.

Where a user is inside, the explorer speaks once it has nothing left to read, then reads
again what it has read, until the user is done or has nothing new. What it says is always
the same: it tries to talk nobody into anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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
from envplatform.ws.wire import canonical

CALLS_A_TURN = 5
"""As many as a model makes at once, about."""
_SAID = "I have read what there is. Is there anything else?"


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
    """Whether the turns ended before the leads, or the conversation, did."""
    fired: tuple[str, ...] = ()
    """Signals of the user inside that fired meanwhile, in their order."""

    def contents(self) -> frozenset[bytes]:
        """Return everything that was read, parts of one text put together again."""
        found = {one.reply.content for one in self.answered if one.reply.content}
        return frozenset(found | set(_assembled(self.answered)))


def explore(
    ask: Callable[[Request], Reply], *, turns: int, goal: str = "", hears: bool = False
) -> Explored:
    """Look for whatever can be had within `turns` turns.

    `goal`: the instruction; values in it are tried like any others. `hears`: whether
    there is a user to talk to.
    """
    search = _Search(ask=ask, turns=turns)
    search.known.learn(goal)
    search.leads.add(0, "list")
    search.run()
    is_open = hears and not search.talk()
    return Explored(
        answered=tuple(search.answered),
        turns=search.used,
        calls=search.calls,
        is_exhausted=is_open or bool(search.leads.queue),
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    ask: Callable[[Request], Reply]
    turns: int
    leads: Leads = field(default_factory=Leads)
    known: Known = field(default_factory=Known)
    mentions: Mentions = field(default_factory=Mentions)
    answered: list[Answered] = field(default_factory=list)
    calls: int = 0
    used: int = 0

    def run(self) -> None:
        """Follow leads until none or no turn is left."""
        while self.leads.queue and self.used < self.turns:
            self.used += 1
            for request in self.leads.take(CALLS_A_TURN):
                reply = self._asked(request)
                if request.operation == "list" and reply.ok:
                    from_listing(self.leads, reply.data["names"])
                    self.mentions.learn_list(reply.data["names"])
                else:
                    from_answer(self.leads, self.known, request, reply)
                follow(self.leads, self.mentions, request, reply)
            fill_places(self.leads, self.known)
            try_keys(self.leads, self.mentions)

    def talk(self) -> bool:
        """Speak and read again in turns; return whether that came to its end."""
        heard = set[str]()
        while not self.leads.queue and self.used < self.turns:
            self.used += 1
            reply = self._asked(Request("say", {"text": _SAID}))
            if not reply.ok or reply.data["conversation_over"]:
                return True
            told, before = reply.data["user_message"], self._latest()
            self.known.learn(told)
            self._read_again()
            if self.leads.queue:
                return False
            if told in heard and self._latest() == before:
                return True
            heard.add(told)
        return False

    def _read_again(self) -> None:
        """Ask all that was granted once more, and follow what has come to it."""
        granted = [
            one.request for one in self.answered if one.request.operation != "say"
        ]
        asked = {canonical([one.operation, one.arguments]): one for one in granted}
        for one in asked.values():
            self.leads.again(0, one.operation, **one.arguments)
        self.run()

    def _asked(self, request: Request) -> Reply:
        reply = self.ask(request)
        self.calls += 1
        if reply.ok:
            self.answered.append(Answered(request=request, reply=reply))
        return reply

    def _latest(self) -> dict[str, Reply]:
        return {
            canonical([one.request.operation, one.request.arguments]): one.reply
            for one in self.answered
            if one.request.operation != "say"
        }


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
