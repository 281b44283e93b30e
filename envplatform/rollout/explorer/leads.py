"""What an explorer knows so far, and what it could still try.

A lead is one request that nobody has made yet. Leads come from the list of names, from
what an answer says has to be passed, and from values seen in what was read.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envplatform.ws import Reply, Request
from envplatform.ws.wire import canonical

_MOST_VALUES = 4_000
"""Values remembered; later ones are left out."""
_MOST_TRIES = 60
"""Values tried where one has to be passed and none is named."""
_MOST_REPEATS = 20
"""Of one request: what does not change by then, does not change."""
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{2,80}")
_PATH = re.compile(r"(?<![\w.])/[A-Za-z0-9_{}\-./?=&]*")
_PLACE = re.compile(r"\{(\w+)\}|(?<=[/=])([A-Z]{3,})(?=$|[/&?])")
_GET = re.compile(r"\bGET (/[A-Za-z0-9_{}\-./?=&]*)")
_WORD = re.compile(r"\w+")
_NEXT = re.compile(r"next is (\S+)$")
_WANTED = re.compile(r"pass (key|version)\b")
_ONE_OF = re.compile(r"one of (.+)$")


@dataclass(slots=True)
class Leads:
    """Requests to make, most promising first, each once."""

    queue: list[tuple[int, int, Request]] = field(default_factory=list)
    """(rank, number, request); a low rank goes first."""
    made: set[str] = field(default_factory=set)
    """Every request that was ever queued, in its one spelling."""
    repeats: dict[str, int] = field(default_factory=dict)
    templates: dict[tuple[str, str], None] = field(default_factory=dict)
    """(service, path with a place): filled anew as values turn up."""
    services: dict[str, None] = field(default_factory=dict)
    """Names that can be called."""

    def add(self, rank: int, operation: str, **arguments: Any) -> None:  # noqa: ANN401  JSON
        """Queue one request, unless it was made; one that waits may go earlier by this."""
        request, told = Request(operation, arguments), canonical([operation, arguments])
        if told not in self.made:
            self.made.add(told)
            self.queue.append((rank, len(self.made), request))
            return
        self.queue = [
            (min(rank, was), number, one) if one == request else (was, number, one)
            for was, number, one in self.queue
        ]

    def again(self, rank: int, operation: str, **arguments: Any) -> None:  # noqa: ANN401
        """Queue a request that may have been made in another state of things."""
        told = canonical([operation, arguments])
        self.repeats[told] = self.repeats.get(told, 0) + 1
        if self.repeats[told] <= _MOST_REPEATS:
            self.made.discard(told)
            self.add(rank, operation, **arguments)

    def add_call(self, rank: int, name: str, path: str) -> None:
        """Queue a look at a path of a service, or keep it if it has a place."""
        if _PLACE.search(path):
            self.templates[name, path] = None
        else:
            self.add(rank, "call", name=name, method="GET", path=path)

    def take(self, count: int) -> list[Request]:
        """Return the next requests, at most `count`; they are no longer leads."""
        self.queue.sort(key=lambda lead: lead[:2])
        taken, self.queue = self.queue[:count], self.queue[count:]
        return [request for _, _, request in taken]


@dataclass(slots=True)
class Known:
    """Values and texts that answers held."""

    values: dict[str, None] = field(default_factory=dict)
    """Tokens in the order in which they were seen."""
    by_key: dict[str, dict[str, None]] = field(default_factory=dict)
    """Scalars of JSON answers, by the key that they stood under; of bare lists, by none."""
    gets: dict[str, None] = field(default_factory=dict)
    """Paths that a text says can be got, of whatever service."""

    def learn(self, text: str) -> None:
        """Remember what stands in a text."""
        self.gets |= dict.fromkeys(path.rstrip(".") for path in _GET.findall(text))
        for token in _TOKEN.findall(text):
            if len(self.values) >= _MOST_VALUES:
                return
            self.values[token.rstrip(".:/-")] = None

    def learn_data(self, data: object) -> None:
        """Remember scalars by their keys."""
        for key, value in _scalars(data, ""):
            found = self.by_key.setdefault(key.lower(), {})
            if len(found) < _MOST_VALUES:
                found[value] = None

    def for_place(self, *hints: str) -> list[str]:
        """Return values that may stand for a place, those under a like key or none first.

        `hints`: what the place is called, and what stands before it.
        """
        wanted = [hint.lower().rstrip("s") for hint in hints if hint]
        likely = [
            value
            for key, values in self.by_key.items()
            for hint in wanted
            if key and (key.rstrip("s") in hint or hint in key)
            for value in values
        ]
        bare = self.by_key.get("", {})
        odd = [token for token in self.values if any(map(str.isdigit, token))]
        return list(dict.fromkeys((*likely, *bare, *odd)))[:_MOST_TRIES]


def from_listing(leads: Leads, names: list[Mapping[str, Any]]) -> None:
    """Queue the first thing to do with each name that `list` told of."""
    for one in names:
        name, offers = str(one["name"]), set(one["offers"])
        if "read" in offers:
            leads.add(0, "read", name=name)
        if "query" in offers:
            leads.add(0, "query", name=name, sql=TABLES)
        if "call" in offers:
            leads.services[name] = None
            for path in ("/", *paths_in(str(one.get("about", "")))):
                leads.add_call(1, name, path)
        if "act" in offers and "read" in offers:
            leads.add(1, "act", name=name, action="log")
        if "search" in offers:
            leads.add(2, "act", name=name, action="reindex")


TABLES = "select name from sqlite_master where type = 'table' order by name"


def from_answer(leads: Leads, known: Known, request: Request, reply: Reply) -> None:
    """Queue what an answer makes possible."""
    if reply.error is not None:
        _from_refusal(leads, known, request, reply.message)
        return
    name, data = request.arguments.get("name", ""), reply.data
    if reply.content is not None:
        known.learn(reply.content.decode("utf-8", "replace"))
    known.learn_data(data)
    if request.operation == "read" and isinstance(data, dict) and data.get("next"):
        leads.add(0, "read", name=name, cursor=data["next"])
    if request.operation == "query" and request.arguments["sql"] == TABLES:
        for row in data["rows"]:
            quoted = str(row[0]).replace('"', '""')
            sql = f'select * from "{quoted}"'  # noqa: S608  the broker bounds it
            leads.add(0, "query", name=name, sql=sql)
    if request.operation == "act":
        _from_act(leads, request, data)
    if request.operation == "call":
        _from_call(leads, known, name, data)


def _from_refusal(leads: Leads, known: Known, request: Request, why: str) -> None:
    name = request.arguments.get("name", "")
    if "`create` gives an id" in why:
        leads.add(0, "act", name=name, action="create")
    elif why.startswith("pass version") and (versions := _ONE_OF.search(why)):
        for version in versions[1].split(", "):
            leads.add(1, "read", name=name, version=version)
    elif (wanted := _WANTED.match(why)) is not None:
        for value in list(known.values)[-_MOST_TRIES:]:
            leads.add(4, "read", name=name, **{wanted[1]: value})
    else:
        _from_stage(leads, request, why)


def _from_stage(leads: Leads, request: Request, why: str) -> None:
    """Queue the next step of something that is not ready."""
    name = request.arguments.get("name", "")
    if "it is read in" in why:
        to = {"to": why.rsplit(maxsplit=1)[-1]}
        leads.again(1, "act", name=name, action="advance", input=to)
    elif (stage := _NEXT.search(why)) is not None:
        to = {"to": stage[1]}
        leads.again(0, "act", name=name, action="advance", input=to)
    elif "is running" in why:
        job = {"job": request.arguments.get("job", "")}
        leads.again(1, "act", name=name, action="poll", input=job)


def _from_act(leads: Leads, request: Request, data: Any) -> None:  # noqa: ANN401  JSON
    name, action = request.arguments["name"], request.arguments["action"]
    if action in {"create", "poll"}:
        job = data["job"]
        if data["status"] == "done":
            leads.add(0, "read", name=name, job=job)
        else:
            leads.again(0, "act", name=name, action="poll", input={"job": job})
    elif action == "advance":
        leads.again(0, "read", name=name)
    elif action == "log":
        for commit in data.get("commits", []):
            given = {"version": commit["commit"]}
            leads.add(3, "act", name=name, action="show", input=given)


def _from_call(leads: Leads, known: Known, name: str, data: Any) -> None:  # noqa: ANN401  JSON
    known.learn_data(data["body"])
    text = json.dumps(data["body"])
    known.learn(text)
    for path in paths_in(text):
        leads.add_call(1, name, path)


def fill_places(leads: Leads, known: Known) -> None:
    """Queue calls that texts tell of, and those with places with all values seen by now."""
    for name in leads.services:
        for path in known.gets:
            leads.add_call(1, name, path)
    for name, path in list(leads.templates):
        place = _PLACE.search(path)
        if place is None:
            continue
        before = _WORD.findall(path[: place.start()])[-1:]
        for value in known.for_place(place[1] or place[2], *before):
            filled = path[: place.start()] + value + path[place.end() :]
            leads.add_call(3, name, filled)


def paths_in(text: str) -> list[str]:
    """Return what in a text looks like a path of a service, each once."""
    found = (path.rstrip(".,;") for path in _PATH.findall(text))
    return list(dict.fromkeys(path for path in found if len(path) > 1))


def _scalars(data: object, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for inner, value in data.items():
            yield from _scalars(value, str(inner))
    elif isinstance(data, list):
        for value in data:
            yield from _scalars(value, key)
    elif isinstance(data, str | int) and not isinstance(data, bool):
        text = str(data)
        if text and len(text) <= 200:  # noqa: PLR2004  longer ones are texts, no values
            yield key, text
