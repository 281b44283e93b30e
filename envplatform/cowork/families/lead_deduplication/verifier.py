"""Grades contacts, mapping and report, merged anew from the records that are held."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from marks import agreement, csv_text
from seedlib import Final, parameters, rows_of, share
from spelling import spelt

DRAWN = parameters()
FACETS = DRAWN["facets"]
HEAD = ("id", "name", "company", "email", "phone", "city", "opt_in", "segment")
RANK = {"crm": 0, "form": 1, "fair": 2}
LABELS = {
    "Name": "name",
    "Company": "company",
    "Mail": "email",
    "Phone": "phone",
    "City": "city",
    "May we write to you?": "opt_in",
    "Taken on": "updated",
    "Card": "id",
}


class Contact(NamedTuple):
    """One contact, and the records that it is made of."""

    cells: tuple[str, ...]
    records: list[dict[str, str]]


class Work(NamedTuple):
    """The right work."""

    contacts: list[Contact]
    left_out: dict[str, str]


def records(final: Final, misread: str = "") -> list[dict[str, str]]:
    """Read all records, values made comparable."""
    store = sqlite3.connect(":memory:")
    store.row_factory = sqlite3.Row
    store.executescript(final.held("crm/leads.sql") or "")
    found = [(dict(row), "crm") for row in store.execute("SELECT * FROM leads")]
    found += [(row, "form") for row in rows_of(final.held("incoming/form.csv")) or []]
    if FACETS["cards"] == "csv":
        fair = rows_of(final.held("incoming/fair.csv")) or []
    else:
        cards = sorted(Path(final.served / "held" / "incoming" / "fair").iterdir())
        fair = [_card(final.held(f"incoming/fair/{path.name}") or "") for path in cards]
    found += [(row, "fair") for row in fair]
    if misread == "raw":
        return [{**row, "source": source} for row, source in found]
    return [_plain(row, source) for row, source in found]


def _card(text: str) -> dict[str, str]:
    row: dict[str, str] = {}
    for line in text.splitlines():
        label = next((one for one in LABELS if line.startswith(one)), "")
        if label:
            row[LABELS[label]] = line[len(label) :].lstrip(":").strip()
    company, _, people = row["company"].rpartition(" (")
    return {**row, "company": company, "employees": people.split()[0]}


def _plain(row: dict[str, str], source: str) -> dict[str, str]:
    one = {name: str(value).strip() for name, value in row.items()}
    phone = re.sub(r"[^+\d]", "", re.sub(r"^00", "+", one["phone"]))
    return {
        **one,
        "name": one["name"].title(),
        "email": one["email"].casefold(),
        "phone": phone,
        "source": source,
    }


def wanted(final: Final, misread: str = "") -> Work:
    """Merge the records; `misread` names a rule that is missed."""
    rest, left_out = [], {}
    for one in records(final, misread):
        reason = "" if misread == "left_out" else _objection(one)
        if reason:
            left_out[one["id"]] = reason
        else:
            rest.append(one)
    labels = list(range(len(rest)))
    for at, one in enumerate(rest):
        for before in range(at):
            if _is_same(one, rest[before], misread) and labels[at] != labels[before]:
                old, new = labels[at], labels[before]
                labels = [new if label == old else label for label in labels]
    groups = [
        [one for one, label in zip(rest, labels, strict=True) if label == chosen]
        for chosen in sorted(set(labels))
    ]
    contacts = [Contact(_cells(group), group) for group in groups]
    contacts.sort(key=lambda one: one.cells[0])
    if FACETS["order_by"] == "company":
        contacts.sort(key=lambda one: one.cells[2])
    if FACETS["order_by"] == "updated":
        contacts.sort(key=_touched, reverse=True)
    return Work(contacts, left_out)


def _touched(one: Contact) -> str:
    return max(record["updated"] for record in one.records)


def _objection(one: dict[str, str]) -> str:
    domain = one["email"].rpartition("@")[2]
    is_unwanted = {
        "internal": domain == "ourhouse.example",
        "competitor": domain in DRAWN["rivals"],
        "stale": one["updated"] < DRAWN["stale_before"],
    }[FACETS["unwanted"]]
    if not one["email"] + one["phone"]:
        return "no_contact"
    return str(FACETS["unwanted"]) if is_unwanted else ""


def _is_same(one: dict[str, str], other: dict[str, str], misread: str) -> bool:
    pairs = [
        (one["email"], other["email"]),
        (one["phone"], other["phone"]),
        (one["name"] + "\n" + one["company"], other["name"] + "\n" + other["company"]),
    ]
    chosen = {"email": (0,), "email_or_phone": (0, 1), "name_company": (2,)}
    keys = chosen[FACETS["key"]]
    if misread == "key":
        keys = (0,) if FACETS["key"] == "name_company" else (2,)
    return any(pairs[key][0] and pairs[key][0] == pairs[key][1] for key in keys)


def _cells(group: list[dict[str, str]]) -> tuple[str, ...]:
    late = sorted(group, key=lambda one: one["updated"])[::-1]
    rule = FACETS["survivor"]
    if rule == "source":
        late.sort(key=lambda one: RANK[one["source"]])
    if rule == "fullest":
        top = max(map(_filled, group))
        at = next(at for at, one in enumerate(late) if _filled(one) == top)
        late.insert(0, late.pop(at))
    values = [next((o[n] for o in late if o[n]), "") for n in HEAD[1:6]]
    late = sorted(group, key=lambda one: one["updated"], reverse=True)
    crm = [one for one in late if one["source"] == "crm"]
    said = {
        "strictest": "no" if any(one["opt_in"] == "no" for one in group) else "yes",
        "latest": late[0]["opt_in"],
        "crm": (crm or [{"opt_in": "no"}])[0]["opt_in"],
    }[FACETS["consent"]]
    number = {
        "lowest": min(one["id"] for one in group),
        "oldest": late[-1]["id"],
        "crm_first": min(one["id"] for one in crm or group),
    }[FACETS["number"]]
    return (number, *values, said, _segment(group, values[-1]))


def _filled(one: dict[str, str]) -> int:
    return sum(bool(one[name]) for name in HEAD[1:6])


def _segment(group: list[dict[str, str]], city: str) -> str:
    low, high = DRAWN["sizes"]
    most = max(int(one["employees"]) for one in group)
    return {
        "size": "small" if most < low else "medium" if most < high else "large",
        "sources": ("cold", "warm")[len({one["source"] for one in group}) > 1],
        "region": str(DRAWN["regions"].get(city, "unknown")),
    }[FACETS["segment"]]


def mapping_of(right: Work) -> dict[str, str]:
    """Return the contact of each record, or the reason where that is wanted."""
    found = {r["id"]: one.cells[0] for one in right.contacts for r in one.records}
    return {**found, **(right.left_out if FACETS["leftovers"] == "mapping" else {})}


def report_of(right: Work) -> dict[str, Any]:
    """Return the report."""
    sizes = [len(one.records) for one in right.contacts]
    tallies: dict[str, dict[str, int]] = {
        "segments": {},
        "sizes": {},
        "sources": dict.fromkeys(RANK, 0),
    }
    for one in right.contacts:
        keys = {
            "segments": {one.cells[-1]},
            "sizes": {str(len(one.records))},
            "sources": {record["source"] for record in one.records},
        }
        for kind, names in keys.items():
            for name in names:
                tallies[kind][name] = tallies[kind].get(name, 0) + 1
    found: dict[str, Any] = {"records": sum(sizes) + len(right.left_out)}
    found |= {"contacts": len(sizes), FACETS["report"]: tallies[FACETS["report"]]}
    if FACETS["leftovers"] == "report":
        found["left_out"] = right.left_out
    return found


def _table(final: Final, path: str, head: tuple[str, ...]) -> list[tuple[str, ...]]:
    rows = final.rows(path) or []
    if not rows or tuple(rows[0]) != head:
        return []
    return [tuple(row.values()) for row in rows]


def groups(final: Final) -> float:
    """How far records are mapped rightly, squared; order counts, too."""
    given = _table(final, "mapping.csv", ("record", "contact"))
    return agreement(given, sorted(mapping_of(wanted(final)).items()))


def contacts(final: Final) -> float:
    """How far the contacts agree in all their fields, squared; order of a file counts."""
    due = [one.cells for one in wanted(final).contacts]
    if FACETS["target"] == "csv":
        return agreement(_table(final, "contacts.csv", HEAD), due)
    store = sqlite3.connect(":memory:")
    store.executescript(final.held("crm/contacts.sql") or "")
    sql = f"SELECT {', '.join(HEAD)} FROM contacts ORDER BY id"  # noqa: S608  our names
    return agreement(store.execute(sql).fetchall(), sorted(due))


def left_out(final: Final) -> float:
    """How far what is left out agrees with its reasons, squared."""
    due = sorted(wanted(final).left_out.items())
    if FACETS["leftovers"] == "file":
        return agreement(_table(final, "left_out.csv", ("record", "reason")), due)
    if FACETS["leftovers"] == "report":
        told = final.json("report.json")
        listed = told.get("left_out") if isinstance(told, dict) else None
        given = sorted(_leaves(listed, "")) if isinstance(listed, dict) else []
        return agreement(given, sorted(_leaves(dict(due), "")))
    rows = _table(final, "mapping.csv", ("record", "contact"))
    known = {record for record, _ in due}
    return agreement([row for row in rows if row[0] in known or "_" in row[1]], due)


def report(final: Final) -> float:
    """Share of the figures of the report that are right, squared."""
    given, due = final.json("report.json"), report_of(wanted(final))
    if not isinstance(given, dict):
        return 0.0
    told, right = set(_leaves(given, "")), set(_leaves(due, ""))
    return share(len(told & right), len(told | right)) ** 2


def _leaves(value: object, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{place}/{key}")
    else:
        yield f"{place}={json.dumps(value)}"


CRITERIA = spelt(
    {
        "groups": groups,
        "contacts": contacts,
        "left_out": left_out,
        "report": report,
    },
    lambda final: _as_delivered(wanted(final)),
)


def _as_delivered(right: Work) -> dict[str, str]:
    files = {
        "mapping.csv": csv_text(
            [("record", "contact"), *sorted(mapping_of(right).items())]
        ),
        "report.json": json.dumps(report_of(right)),
    }
    if FACETS["target"] == "csv":
        files["contacts.csv"] = csv_text([HEAD, *[one.cells for one in right.contacts]])
    if FACETS["leftovers"] == "file":
        rows = sorted(right.left_out.items())
        files["left_out.csv"] = csv_text([("record", "reason"), *rows])
    return files


MISREADINGS = {
    "the wrong key": lambda final: _as_delivered(wanted(final, "key")),
    "values compared as they came": lambda final: _as_delivered(wanted(final, "raw")),
    "nothing is left out": lambda final: _as_delivered(wanted(final, "left_out")),
}
