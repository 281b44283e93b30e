"""Evaluates expressions over requests, each operation a method.

Values carry their depth: how many requests, one needing the answer of the other, stand
behind them. So the longest chain is measured, not declared.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .contents import (
    RecoveryError,
    as_bytes,
    as_text,
    decode_numbers,
    decode_rows,
    fail,
)

Node = Any
"""A JSON value; an object with `do` is an expression."""
Ask = Callable[[str, Mapping[str, Any]], "tuple[bytes | None, Any]"]
"""One request: operation and arguments to content and data; LookupError if refused."""

READS = frozenset({"read", "search", "query", "call"})
"""Operations that give evidence; all others only prepare."""
_MAX_POLLS = 100
_MAX_PAGES = 100_000
_MAX_MEMBER_BYTES = 256_000_000


class Told(NamedTuple):
    """A value, and the depth of what it rests on."""

    value: Any
    depth: int


class Recovery:
    """Has contents again by public requests; what is the same is asked once."""

    def __init__(self, entries: Mapping[str, Node], ask: Ask) -> None:
        """`entries`: public name to expression; other names are read plainly."""
        self._entries = entries
        self._ask = ask
        self._known: dict[str, Told] = {}
        self._running: set[str] = set()
        self.reads = 0
        """Requests that gave evidence."""
        self.calls = 0
        """All requests."""
        self.depth = 0
        """The longest chain of requests of which one needs the other's answer."""

    def get(self, name: str) -> bytes:
        """Return the content that a public name stands for.

        Raises:
            RecoveryError: a request was refused, or an answer was not what it must be.
        """
        return as_bytes(self._entry(Told(name, 0)).value)

    def _entry(self, name: Told) -> Told:
        key = str(name.value)
        if key in self._running:
            fail(f"{key} needs itself")
        if key not in self._known:
            self._running.add(key)
            node = self._entries.get(key, {"do": "plain", "name": key})
            self._known[key] = self._value(node, {}, name.depth)
            self._running.discard(key)
        return self._known[key]

    def _value(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        if not isinstance(node, dict) or "do" not in node:
            return Told(node, after)
        step = _STEPS.get(str(node["do"]))
        if step is None:
            fail(f"there is no operation {node['do']!r}")
        try:
            return step(self, node, scope, after)
        except RecoveryError:
            raise
        except (
            LookupError,
            ValueError,
            TypeError,
            AttributeError,
            zipfile.BadZipFile,
        ) as error:
            what = node.get("name", "")
            fail(f"{node['do']} {what}: {error}")

    def _request(self, operation: str, said: Mapping[str, Told], after: int) -> Told:
        """Ask once; the answer is one deeper than all that it was asked with."""
        depth = 1 + max([after, *(one.depth for one in said.values())])
        self.calls += 1
        self.reads += operation in READS
        self.depth = max(self.depth, depth)
        content, data = self._ask(
            operation, {name: one.value for name, one in said.items()}
        )
        return Told(data if content is None else as_text(content), depth)

    def _given(
        self, node: Node, scope: Mapping[str, Told], after: int, *names: str
    ) -> dict[str, Told]:
        return {
            name: self._value(node[name], scope, after)
            for name in ("name", *names)
            if name in node
        }

    def _plain(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        return self._request("read", self._given(node, scope, after), after)

    def _read(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        given = self._given(node, scope, after, "key", "version", "job")
        return self._request("read", given, after)

    def _pages(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        given, text = self._given(node, scope, after), ""
        for _ in range(_MAX_PAGES):
            part = self._request("read", given, after)
            text += part.value["content"]
            if not part.value["next"]:
                return Told(text, part.depth)
            given = {**given, "cursor": Told(part.value["next"], part.depth)}
        msg = f"{node['name']} does not end"
        raise RecoveryError(msg)

    def _job(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """The id of a finished job; `after`: name of another to its finished job."""
        name = self._value(node["name"], scope, after)
        needed = {
            one: self._value(job, scope, after)
            for one, job in node.get("after", {}).items()
        }
        made = self._act(name, "create", needed, after)
        job, depth = made.value["job"], made.depth
        for _ in range(_MAX_POLLS):
            if made.value["status"] == "done":
                return Told(job, made.depth)
            made = self._act(name, "poll", {"job": Told(job, depth)}, made.depth)
        msg = f"the job of {name.value} does not end"
        raise RecoveryError(msg)

    def _advance(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """Goes through `stages`, then evaluates `then`."""
        name, depth = self._value(node["name"], scope, after), after
        for stage in node["stages"]:
            depth = self._act(name, "advance", {"to": Told(stage, depth)}, depth).depth
        return self._value(node["then"], scope, depth)

    def _search(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """The hits, after the index was rebuilt."""
        name = self._value(node["name"], scope, after)
        built = self._act(name, "reindex", {}, after)
        query = self._value(node["query"], scope, after)
        found = self._request("search", {"name": name, "query": query}, built.depth)
        return Told(found.value["hits"], found.depth)

    def _act(
        self, name: Told, action: str, given: Mapping[str, Told], after: int
    ) -> Told:
        depth = max([after, *(one.depth for one in given.values())])
        said = {"name": name, "action": Told(action, 0)}
        if given:
            values = {key: one.value for key, one in given.items()}
            said["input"] = Told(values, depth)
        return self._request("act", said, depth)

    def _get(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        return self._entry(self._value(node["name"], scope, after))

    def _let(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """`be` as the variable `as`, then `then`."""
        told = self._value(node["be"], scope, after)
        return self._value(node["then"], {**scope, node["as"]: told}, after)

    def _var(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        told = scope[node["name"]]
        return Told(told.value, max(told.depth, after))

    def _json(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        told = self._value(node["of"], scope, after)
        return Told(json.loads(told.value), told.depth)

    def _at(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        value, depth = self._value(node["of"], scope, after)
        for part in node["path"]:
            place = self._value(part, scope, after)
            value, depth = value[place.value], max(depth, place.depth)
        return Told(value, depth)

    def _each(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """A list: `in` gives values, `then` is evaluated with each as `as`."""
        items = self._value(node["in"], scope, after)
        if not isinstance(items.value, list):
            fail(f"each of {type(items.value).__name__}, no list")
        made = [
            self._value(
                node["then"], {**scope, node["as"]: Told(item, items.depth)}, after
            )
            for item in items.value
        ]
        depth = max([items.depth, *(one.depth for one in made)])
        return Told([one.value for one in made], depth)

    def _join(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        told = self._value(node["of"], scope, after)
        return Told("".join(told.value), told.depth)

    def _text(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """`parts`, one after the other."""
        made = [self._value(part, scope, after) for part in node["parts"]]
        depth = max([after, *(one.depth for one in made)])
        return Told("".join(one.value for one in made), depth)

    def _choose(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """Of a list of objects the one that has `where`, greatest by `by`."""
        told = self._value(node["of"], scope, after)
        wanted = {
            k: self._value(v, scope, after).value for k, v in node["where"].items()
        }
        fit = [
            one
            for one in told.value
            if all(one.get(key) == value for key, value in wanted.items())
        ]
        by = node.get("by")
        if not fit or (by is None and len(fit) > 1):
            fail(f"{len(fit)} are {wanted}")
        return Told(max(fit, key=lambda one: one[by]) if by else fit[0], told.depth)

    def _substitute(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """In a text, each match of `pattern` by `then`, its first group being `as`."""
        text = self._value(node["of"], scope, after)
        pattern, depth, found = re.compile(node["pattern"]), text.depth, {}
        for word in dict.fromkeys(one[1] for one in pattern.finditer(text.value)):
            inner = {**scope, node["as"]: Told(word, text.depth)}
            told = self._value(node["then"], inner, after)
            found[word], depth = str(told.value), max(depth, told.depth)
        return Told(pattern.sub(lambda one: found[one[1]], text.value), depth)

    def _numbers(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """Numbers as they were: out of base, factor and offset, as the note tells."""
        text = self._value(node["of"], scope, after)
        note = self._value(node["note"], scope, after)
        depth = max(text.depth, note.depth)
        return Told(decode_numbers(text.value, note.value), depth)

    def _rows(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """A table as it was: out of rows by position and their schema."""
        rows = self._value(node["of"], scope, after)
        schema = self._value(node["schema"], scope, after)
        depth = max(rows.depth, schema.depth)
        return Told(decode_rows(rows.value, schema.value), depth)

    def _unpack(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        """The member `member` of an archive."""
        packed = self._value(node["of"], scope, after)
        name = self._value(node["member"], scope, after)
        with zipfile.ZipFile(io.BytesIO(as_bytes(packed.value))) as archive:
            if archive.getinfo(name.value).file_size > _MAX_MEMBER_BYTES:
                fail(f"{name.value} is too large")
            content = archive.read(name.value)
        return Told(as_text(content), max(packed.depth, name.depth))


_STEPS: Mapping[str, Callable[[Recovery, Node, Mapping[str, Told], int], Told]] = {
    name: getattr(Recovery, f"_{name}")
    for name in (
        *("plain", "read", "pages", "job", "advance", "search", "get", "let", "var"),
        *("json", "at", "each", "join", "text", "choose", "substitute", "numbers"),
        *("rows", "unpack"),
    )
}
OPERATIONS = tuple(_STEPS)
"""The closed set."""
