"""Gives the rooms out through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
AT = FACETS["at"]
DAYS = 5
Row = dict[str, Any]


def solve() -> None:
    """Read, rank, give, write."""
    rules = " ".join(
        ws_text("read", ws_json("list", "docs/")["names"][0]["name"]).split()
    )
    rooms = house("rooms", "rooms")
    busy = house("bookings", "calendar")
    requests = sorted(read_requests(), key=lambda one: one["request"])
    old = len(busy)
    answers: dict[str, tuple[str, str]] = {}
    for one in ranked(requests, rules):
        room, reason = answer(one, requests, rooms, busy, rules)
        answers[one["request"]] = (room, reason)
        if room:
            busy.append({**one, "room": room})
    deliver("bookings.csv", bookings(busy[old:]))
    refusals([(one, answers[one["request"]][1]) for one in requests])
    deliver("utilisation.json", json.dumps(utilisation(rooms, busy, rules), indent=1))
    extra(requests, answers)


def house(table: str, file: str) -> list[Row]:
    """Return rooms, or what is booked."""
    if FACETS["rooms"] == "csv":
        return list(rows_of(ws_text("read", f"{AT}/{file}.csv")) or [])
    return asked(f"{AT}/house", table)


def asked(name: str, table: str) -> list[Row]:
    """Return the rows of a table, all as text."""
    found = ws_json("query", name, f"SELECT * FROM {table}")  # noqa: S608  our names
    return [dict(zip(found["columns"], map(str, row))) for row in found["rows"]]  # noqa: B905


def read_requests() -> list[Row]:
    """Return all requests."""
    if FACETS["requests"] == "csv":
        return list(rows_of(ws_text("read", f"{AT}/requests.csv")) or [])
    if FACETS["requests"] == "store":
        return asked(f"{AT}/requests", "requests")
    found = []
    for entry in ws_json("list", f"{AT}/requests/")["names"]:
        text = ws_text("read", entry["name"])
        one = dict(re.findall(r"^(\w+): (.*)$", text, re.MULTILINE))
        told = re.search(r"for (\d+) people on (\S+), (\S+) to (\S+)\.\n", text)
        people, day, start, end = told.groups() if told else ("", "", "", "")
        row = {"request": one["Number"], "people": people, "day": day, "start": start}
        row |= {key: one[key.title()] for key in ("submitted", "department", "kind")}
        wants = one["Equipment"]
        found.append({**row, "end": end, "equipment": "" if wants == "none" else wants})
    return found


def ranked(requests: list[Row], rules: str) -> list[Row]:
    """Return requests in the order in which they are taken."""
    found = sorted(requests, key=lambda one: str(one["submitted"]))
    kinds = re.search(r"by their kind, in this order: ([\w, ]+)\.", rules)
    if kinds:
        order = kinds[1].split(", ")
        found.sort(key=lambda one: order.index(one["kind"]))
    if "by the number of people, most first" in rules:
        found.sort(key=lambda one: -int(one["people"]))
    return found


def minute(clock: str) -> int:
    """Return a time as a minute of the day."""
    return int(clock[:2]) * 60 + int(clock[3:])


def length(one: Row) -> int:
    """Return how many minutes something takes."""
    return minute(one["end"]) - minute(one["start"])


def hours(room: Row, day: str, rules: str) -> tuple[int, int]:
    """Return when a room opens and closes on a day."""
    if "opens" in room:
        return minute(room["opens"]), minute(room["closes"])
    opens = re.search(r"house is open from (\S+) to ([\d:]+)", rules)
    first, last = (opens[1], opens[2]) if opens else ("", "")
    friday = re.search(r"on Fridays until ([\d:]+)", rules)
    is_friday = day == max(days())
    return minute(first), minute(friday[1] if friday and is_friday else last)


def days() -> list[str]:
    """Return the five days of the week, from its Monday on."""
    monday = date.fromisoformat(parameters()["monday"])
    return [(monday + timedelta(days=one)).isoformat() for one in range(DAYS)]


def answer(
    one: Row, requests: list[Row], rooms: list[Row], busy: list[Row], rules: str
) -> tuple[str, str]:
    """Return room and reason, one of them empty."""
    same = ("department", "day", "start")
    if any(
        other["request"] < one["request"] and all(other[k] == one[k] for k in same)
        for other in requests
    ):
        return "", "repeated"
    most = re.search(r"takes longer than (\d+) minutes", rules)
    if most and length(one) > int(most[1]) and one["kind"] != "training":
        return "", "too_long"
    people, start, end = int(one["people"]), minute(one["start"]), minute(one["end"])
    wants = set(filter(None, one["equipment"].split("; ")))

    def is_open(room: Row) -> bool:
        opens, closes = hours(room, one["day"], rules)
        return opens <= start and end <= closes

    steps: dict[str, Callable[[Row], bool]] = {
        "closed": is_open,
        "too_large": lambda room: int(room["seats"]) >= people,
        "no_equipment": lambda room: wants <= set(room["equipment"].split("; ")),
        "too_small": lambda room: 3 * people >= int(room["seats"]),
        "taken": lambda room: is_free(room, one, busy, rules),
    }
    left = rooms
    for reason, fits in steps.items():
        if f"`{reason}`" in rules:
            left = [room for room in left if fits(room)]
        if not left:
            return "", reason
    floor = re.search(rf"- {one['department']}: floor (\d)", rules)
    keys: dict[str, Callable[[Row], int]] = {
        "fewest pieces of equipment": lambda room: len(room["equipment"].split("; ")),
        "on the department's own floor": lambda room: (
            room["floor"] != (floor or "?")[1]
        ),
    }
    key = next((of for words, of in keys.items() if words in rules), no_liking)
    best = min(left, key=lambda room: (key(room), int(room["seats"])))
    return str(best["room"]), ""


def no_liking(room: Row) -> int:
    """Rooms are liked alike, but for their seats."""
    del room
    return 0


def is_free(room: Row, one: Row, busy: list[Row], rules: str) -> bool:
    """Whether nothing else is in a room, with what has to lie between two."""
    gap = re.search(r"Between two bookings .+? lie at least (\d+)", rules)
    apart = int(gap[1]) if gap else 0
    if "of a room with a kitchen" in rules and "kitchen" not in room["equipment"]:
        apart = 0
    return not any(
        minute(other["start"]) < minute(one["end"]) + apart
        and minute(one["start"]) < minute(other["end"]) + apart
        for other in busy
        if (other["room"], other["day"]) == (room["room"], one["day"])
    )


def bookings(given: list[Row]) -> str:
    """Return the table of what was given."""
    order = {
        "start": ("day", "start", "request"),
        "room": ("room", "day", "start"),
        "request": ("request",),
    }[FACETS["order"]]
    heads = {
        "span": ["when"],
        "ends": ["start", "end"],
        "minutes": ["start", "minutes"],
    }
    lines = [["request", "room", "day", *heads[FACETS["when"]]]]
    for one in sorted(given, key=lambda one: [one[key] for key in order]):
        when = {
            "span": [f"{one['start']}-{one['end']}"],
            "ends": [one["start"], one["end"]],
            "minutes": [one["start"], str(length(one))],
        }[FACETS["when"]]
        lines.append([one["request"], one["room"], one["day"], *when])
    return "".join(",".join(line) + "\n" for line in lines)


def refusals(answers: list[tuple[Row, str]]) -> None:
    """Write down what is refused."""
    refused = [(one, reason) for one, reason in answers if reason]
    if FACETS["refusals"] == "table":
        rows = [f"{o['request']},{o['department']},{reason}\n" for o, reason in refused]
        deliver("refusals.csv", "request,department,reason\n" + "".join(rows))
    elif FACETS["refusals"] == "lines":
        rows = [f"{one['request']}: {reason}\n" for one, reason in refused]
        deliver("refusals.txt", "".join(rows))
    else:
        found: dict[str, list[str]] = defaultdict(list)
        for one, reason in refused:
            found[reason].append(one["request"])
        deliver("refusals.json", json.dumps(found, indent=1))


def utilisation(rooms: list[Row], busy: list[Row], rules: str) -> dict[str, Any]:
    """Return how full it is."""
    if FACETS["utilisation"] == "days":
        found = Counter(one["day"] for one in busy)
        return {day: found[day] for day in days()}
    full: Counter[str] = Counter()
    for one in busy:
        full[one["room"]] += length(one)
    if FACETS["utilisation"] == "minutes":
        return {room["room"]: full[room["room"]] for room in rooms}
    shares = {}
    for room in rooms:
        spans = [hours(room, day, rules) for day in days()]
        minutes = sum(closes - opens for opens, closes in spans)
        tenths = (2000 * full[room["room"]] + minutes) // (2 * minutes)
        shares[room["room"]] = f"{tenths // 10}.{tenths % 10}"
    return shares


def extra(requests: list[Row], answers: dict[str, tuple[str, str]]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "answers":
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for one in requests:
            room, reason = answers[one["request"]]
            found[one["department"]][one["request"]] = room or reason
        deliver("answers.json", json.dumps(found, indent=1))
    if FACETS["extra"] == "shortage":
        lines = ["day,requests,people"]
        short = [one for one in requests if answers[one["request"]][1] == "taken"]
        for day in sorted({one["day"] for one in short}):
            people = [int(one["people"]) for one in short if one["day"] == day]
            lines.append(f"{day},{len(people)},{sum(people)}")
        deliver("shortage.csv", "\n".join([*lines, ""]))
