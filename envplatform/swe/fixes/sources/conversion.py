"""From the rows of a source to instances, each row once. Knows no file format."""

import hashlib
from collections.abc import Iterable, Iterator

from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.sources.layouts import Layout, Place
from envplatform.swe.fixes.sources.names import checked_id
from envplatform.swe.fixes.sources.rows import BrokenRow, Row, RowRefused

Entry = FixInstance | QuarantinedRow


def convert_rows(
    rows: Iterable[Row | BrokenRow], layout: Layout, place: Place
) -> Iterator[Entry]:
    """Yield what becomes of each row, in order; one bad row costs no other."""
    return refuse_repeats(_convert(row, layout, place) for row in rows)


def _convert(row: Row | BrokenRow, layout: Layout, place: Place) -> tuple[str, Entry]:
    if isinstance(row, BrokenRow):
        return row.where, _set_aside(row, place, row.reason, row.detail)
    try:
        return row.where, layout.read(row, place)
    except RowRefused as refused:
        return row.where, _set_aside(row, place, refused.reason, refused.detail)


def _set_aside(
    row: Row | BrokenRow, place: Place, reason: str, detail: str
) -> QuarantinedRow:
    return QuarantinedRow(
        source=place.source,
        row=row.where,
        instance_id=readable_id(row) if isinstance(row, Row) else "",
        reason=reason,
        detail=detail,
    )


def readable_id(row: Row) -> str:
    """The row's instance id; empty if it has none, or none that may be stored."""
    try:
        return checked_id(row.text("instance_id", "id"))
    except RowRefused:
        return ""


def refuse_repeats(entries: Iterable[tuple[str, Entry]]) -> Iterator[Entry]:
    """Set aside each instance whose id was there before; the first one stands.

    Keeps some 80 bytes an instance, not the instances.

    Args:
        entries: Where each stands, and what it is.
    """
    ids: set[bytes] = set()
    contents: set[bytes] = set()
    for where, entry in entries:
        if isinstance(entry, QuarantinedRow):
            yield entry
            continue
        name, content = _short_digest(entry.instance_id), _short_digest(repr(entry))
        if name not in ids:
            ids.add(name)
            contents.add(content)
            yield entry
            continue
        same = content in contents
        yield QuarantinedRow(
            source=entry.source,
            row=where,
            instance_id=entry.instance_id,
            reason="repeated_row" if same else "duplicate_id",
            detail="equal to an earlier row" if same else "an earlier row differs",
        )


def _short_digest(text: str) -> bytes:
    """Sixteen bytes: no accident makes two equal, and an attacker only loses rows."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).digest()
