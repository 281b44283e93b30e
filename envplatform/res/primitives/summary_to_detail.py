"""Records by their beginnings, and the rest of each by its id."""

import re
from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion, groups, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import (
    at,
    each,
    joined,
    parsed,
    plain,
    read,
    var,
)
from envplatform.workspace.recovery import Node

_HEAD = re.compile(r"[^,;|\t\s]{0,24}")
_ID_CHARACTERS = 8


class SummaryToDetail(Primitive):
    """List, then get each."""

    name = "summary_to_detail"
    summary = "records become a list of beginnings, and details that are had one by one"
    size = ("records", 2, 60)

    def options(self) -> tuple[str, ...]:
        """`records`: from 2 to 60; fewer where there are fewer lines."""
        return ("records",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "records", 2, 60)
        records = ["".join(run) for run in groups(draft.lines, count)]
        if len(records) < 2:  # noqa: PLR2004  one record needs no list
            draft.refuse("there are fewer than two lines")
        heads = [_head(record) for record in records]
        ids = [draft.token("id", place)[:_ID_CHARACTERS] for place in range(len(heads))]
        details = {
            one: record[len(head) :]
            for one, record, head in zip(ids, records, heads, strict=True)
        }
        rows = [list(row) for row in zip(ids, heads, strict=True)]
        named = f"{draft.name}.details-{draft.token('name')[:4]}"
        draft.entry(
            {STAMP: draft.token(STAMP), "rows": rows},
            f"A summary: `rows` has id and beginning of each record; {named} has the rest "
            "of each by its id, beginnings and rests make the whole in this order.",
        )
        draft.show(
            named,
            "lookup",
            draft.hold(compact(details)),
            about="The rest of one record, by its id.",
            needs=(draft.name,),
            needed_as="key",
        )
        row = var("row")
        whole_row = {
            "do": "text",
            "parts": [at(row, 1), read(named, key=at(row, 0))],
        }
        return joined(each("row", at(parsed(plain(draft.name)), "rows"), whole_row))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """The summary has beginnings alone, and all that it lacks is had by the ids."""
        session = opened()
        told = session.document(binding.name)
        details = companion(session, binding.name, "details")
        rests = [session.read(details, key=row[0]) for row in told["rows"]]
        if set(told) != {STAMP, "rows"} or not all(rests):
            msg = f"{self.name} of {binding.name}: the summary has whole records"
            raise BundleError(msg)
        whole_rows = [
            row[1].encode() + rest
            for row, rest in zip(told["rows"], rests, strict=True)
        ]
        if b"".join(whole_rows) != content:
            msg = f"{self.name} of {binding.name}: the records are not the content"
            raise BundleError(msg)


def _head(record: str) -> str:
    found = _HEAD.match(record)
    head = found[0] if found else ""
    return head if len(head) < len(record.rstrip("\n")) else ""


PRIMITIVE = SummaryToDetail()
