"""Merges the leads through `ws`; rules are read off the document."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
FIELDS = ("name", "company", "email", "phone", "city")
COLUMNS = ("id", *FIELDS, "opt_in", "segment")


def solve() -> None:
    """Read, leave out, group, merge, write."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    rules = " ".join(ws_text("read", name).split())
    leads = [cleaned(row) for row in records()]
    left_out = {one["id"]: reason for one in leads if (reason := unfit(one, rules))}
    groups: list[list[dict[str, str]]] = []
    for one in leads:
        if one["id"] in left_out:
            continue
        mine = [group for group in groups if any(same(one, o, rules) for o in group)]
        groups = [group for group in groups if group not in mine]
        groups.append([one, *(other for group in mine for other in group)])
    contacts = [merged(group, rules) for group in groups]
    write_contacts(contacts)
    mapping = {
        r["id"]: c["id"] for c, g in zip(contacts, groups, strict=True) for r in g
    }
    if FACETS["leftovers"] == "mapping":
        mapping |= left_out
    if FACETS["leftovers"] == "file":
        deliver("left_out.csv", table("record,reason", sorted(left_out.items())))
    deliver("mapping.csv", table("record,contact", sorted(mapping.items())))
    report: dict[str, Any] = {"records": len(leads), "contacts": len(contacts)}
    report |= counted(contacts, groups)
    if FACETS["leftovers"] == "report":
        report["left_out"] = left_out
    deliver("report.json", json.dumps(report, indent=1))


def records() -> list[dict[str, str]]:
    """Return all records with their source."""
    told = ws_json("query", "crm/leads", "SELECT * FROM leads")
    found = [
        {**dict(zip(told["columns"], row, strict=True)), "source": "crm"}
        for row in told["rows"]
    ]
    sources = {"form": rows_of(ws_text("read", "incoming/form.csv")) or []}
    if FACETS["cards"] == "csv":
        sources["fair"] = rows_of(ws_text("read", "incoming/fair.csv")) or []
    else:
        names = [one["name"] for one in ws_json("list", "incoming/fair/")["names"]]
        sources["fair"] = [card(ws_text("read", name)) for name in names]
    for source, rows in sources.items():
        found += [{**row, "source": source} for row in rows]
    return found


def card(text: str) -> dict[str, str]:
    """Read a card."""
    pattern = (
        r"Card (?P<id>\S+)\nName: (?P<name>.*)\nCompany: (?P<company>.*) "
        r"\((?P<employees>\d+) people\)\nMail: (?P<email>.*)\nPhone: (?P<phone>.*)\n"
        r"City: (?P<city>.*)\n.*\? (?P<opt_in>\w+)\nTaken on (?P<updated>\S+)"
    )
    match = re.match(pattern, text)
    return match.groupdict() if match else {}


def cleaned(row: dict[str, str]) -> dict[str, str]:
    """Return a record as values are compared and kept."""
    one = {key: value.strip() for key, value in row.items()}
    one["name"] = " ".join(word.capitalize() for word in one["name"].split())
    one["email"] = one["email"].lower()
    digits = re.sub(r"\D", "", one["phone"])
    one["phone"] = f"+{digits.removeprefix('00')}" if digits else ""
    return one


def unfit(one: dict[str, str], rules: str) -> str:
    """Return why a record is left out; empty if it is not."""
    if not one["email"] and not one["phone"]:
        return "no_contact"
    domain = one["email"].partition("@")[2]
    own = re.search(r"one of our own, `@(\S+)`", rules)
    rivals = re.search(r"the mail address is at (.+?)\. ##", rules)
    stale = re.search(r"last updated before (\S+)\. ", rules)
    if own and domain == own[1]:
        return "internal"
    if rivals and domain in re.findall(r"`(\S+)`", rivals[1]):
        return "competitor"
    return "stale" if stale and one["updated"] < stale[1] else ""


def same(one: dict[str, str], other: dict[str, str], rules: str) -> bool:
    """Whether two records are the same contact by themselves."""
    if "if name and company agree" in rules:
        return all(one[key] == other[key] for key in ("name", "company"))
    keys = ["email", "phone"] if "or their phone numbers do" in rules else ["email"]
    return any(one[key] and one[key] == other[key] for key in keys)


def merged(group: list[dict[str, str]], rules: str) -> dict[str, str]:
    """Return the one record of a contact."""
    newest = sorted(group, key=lambda one: one["updated"], reverse=True)
    order = list(newest)
    if "the best source that has one" in rules:
        order.sort(key=lambda one: ("crm", "form", "fair").index(one["source"]))
    if "with the most values" in rules:
        base = min(newest, key=lambda one: sum(not one[field] for field in FIELDS))
        order = [base, *(one for one in newest if one is not base)]
    contact = {f: next((o[f] for o in order if o[f]), "") for f in FIELDS}
    of_crm = [one for one in newest if one["source"] == "crm"]
    if "as soon as one record" in rules:
        said = min(one["opt_in"] for one in group)
    elif "says that was updated last" in rules:
        said = newest[0]["opt_in"]
    else:
        said = of_crm[0]["opt_in"] if of_crm else "no"
    ids = [one["id"] for one in group]
    if "update lies back longest" in rules:
        ids = [newest[-1]["id"]]
    elif "among its records from `crm`" in rules and of_crm:
        ids = [one["id"] for one in of_crm]
    contact |= {"opt_in": said, "id": min(ids), "updated": newest[0]["updated"]}
    return {**contact, "segment": segment(contact, group, rules)}


def segment(contact: dict[str, str], group: list[dict[str, str]], rules: str) -> str:
    """Return the segment of a contact."""
    sizes = re.search(r"`small` below (\d+) employees, `medium` below (\d+)", rules)
    if sizes:
        most = max(int(one["employees"]) for one in group)
        if most < int(sizes[1]):
            return "small"
        return "medium" if most < int(sizes[2]) else "large"
    if "`warm` if" in rules:
        return "warm" if len({one["source"] for one in group}) > 1 else "cold"
    for region in ("Coast", "North", "South"):
        cities = re.search(rf"{region}: ([\w, ]+)", rules)
        if cities and contact["city"] in cities[1].split(", "):
            return region
    return "unknown"


def write_contacts(contacts: list[dict[str, str]]) -> None:
    """Put the contacts where they are wanted."""
    contacts = sorted(contacts, key=lambda one: one["id"])
    if FACETS["order_by"] == "company":
        contacts.sort(key=lambda one: one["company"])
    if FACETS["order_by"] == "updated":
        contacts.sort(key=lambda one: one["updated"], reverse=True)
    rows = [[one[column] for column in COLUMNS] for one in contacts]
    if FACETS["target"] == "csv":
        deliver("contacts.csv", table(",".join(COLUMNS), rows))
        return
    values = ", ".join(f"({', '.join(map(quoted, row))})" for row in rows)
    sql = f"INSERT INTO contacts ({', '.join(COLUMNS)}) VALUES {values}"  # noqa: S608  our own values
    ws_json("query", "crm/contacts", sql)


def quoted(text: str) -> str:
    """Return a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def counted(
    contacts: list[dict[str, str]], groups: list[list[dict[str, str]]]
) -> dict[str, dict[str, int]]:
    """Return the counts that the report wants."""
    if FACETS["report"] == "segments":
        return {"segments": dict(Counter(one["segment"] for one in contacts))}
    if FACETS["report"] == "sizes":
        return {"sizes": dict(Counter(str(len(group)) for group in groups))}
    sources = [{one["source"] for one in group} for group in groups]
    names = ("crm", "form", "fair")
    return {"sources": {name: sum(name in one for one in sources) for name in names}}


def table(head: str, rows: list[Any]) -> str:
    """Return CSV."""
    return "".join([f"{head}\n", *(",".join(row) + "\n" for row in rows)])
