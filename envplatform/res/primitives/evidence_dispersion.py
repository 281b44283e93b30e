"""Each record in pieces, the pieces in several sources, joined on a public key."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, groups, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import (
    at,
    each,
    get,
    joined,
    let,
    parsed,
    plain,
    var,
)
from envplatform.workspace.recovery import Node


class EvidenceDispersion(Primitive):
    """Join on the key."""

    name = "evidence_dispersion"
    summary = (
        "records are cut into pieces that lie in two or three sources by their key"
    )

    def options(self) -> tuple[str, ...]:
        """`sources`: 2 or 3."""
        return ("sources",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "sources", 2, 3)
        records = _records(draft.lines, count)
        if len(records) < 2:  # noqa: PLR2004  one record needs no join
            draft.refuse("there are too few records, or too short ones")
        keys = [draft.token("key", place)[:6] for place in range(len(records))]
        names = [draft.hidden_name(place) for place in range(count)]
        draft.entry(
            {STAMP: draft.token(STAMP), "keys": keys, "sources": names},
            "Each record lies in pieces by its key in `sources`: join the pieces of a key "
            "in the order of the sources, and the records in the order of the keys.",
        )
        cut = [_pieces(record, count) for record in records]
        for place, name in enumerate(names):
            held = compact(
                {key: pieces[place] for key, pieces in zip(keys, cut, strict=True)}
            )
            draft.show(
                name,
                "content",
                draft.hold(held),
                about="Pieces of records by key.",
                needs=(draft.name,),
            )
        told = var("told")
        sources = each("source", at(told, "sources"), parsed(get(var("source"))))
        record = joined(each("one", var("pieces"), at(var("one"), var("key"))))
        records_of = joined(each("key", at(told, "keys"), record))
        return let(
            "told", parsed(plain(draft.name)), let("pieces", sources, records_of)
        )

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """No source has a whole record."""
        session = opened()
        told = session.document(binding.name)
        records = content.decode("utf-8")
        for name in told["sources"]:
            pieces = session.document(name).values()
            if any(len(piece) >= len(records) for piece in pieces) or not all(pieces):
                msg = f"{self.name} of {binding.name}: {name} alone is enough"
                raise BundleError(msg)


def _records(lines: list[str], count: int) -> list[str]:
    """Return runs of lines, each long enough for `count` pieces."""
    records = [""]
    for run in groups(lines, 24):
        if len(records[-1].strip()) >= count:
            records.append("")
        records[-1] += "".join(run)
    if len(records) > 1 and len(records[-1]) < count:
        records[-2:] = ["".join(records[-2:])]
    return records


def _pieces(record: str, count: int) -> list[str]:
    return ["".join(run) for run in groups(list(record), count)]


PRIMITIVE = EvidenceDispersion()
