"""Places the meetings through `ws`."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
Row = dict[str, Any]
Span = tuple[datetime, datetime]
HOUR = timedelta(hours=1)


class Placed(NamedTuple):
    """A meeting with its place; times of the office."""

    number: str
    start: datetime
    end: datetime
    room: str
    meeting: Row


def solve() -> None:
    """Read, tell, place, write."""
    rules = " ".join(
        ws_text("read", ws_json("list", "docs/")["names"][0]["name"]).split()
    )
    office = int(re.findall(r"Office time is UTC\+(\d)", rules)[0])
    people = {
        one["person"]: one for one in rows_of(ws_text("read", "directory.csv")) or []
    }
    for one in people.values():
        one["ahead"] = int(one["hours_ahead_of_utc"]) - office
    meetings = read_requests()
    busy = read_calendars(people, rules)
    seats, taken = read_rooms()
    said = ws_json("say", "I have read calendars, rooms and requests.")["user_message"]
    closed = heed(said, meetings)
    found: dict[str, Placed] = {}
    unplaced: dict[str, str] = {}
    used: Counter[str] = Counter()
    for one in in_turn(meetings, rules):
        big = [room for room in seats if seats[room] >= heads(one)]
        place = search(one, people, busy, (seats, taken, used), (rules, closed))
        if place is None:
            unplaced[one["meeting"]] = "no_time" if big else "no_room"
            continue
        found[place.number] = place
        used[place.room] += 1
        taken.setdefault(place.room, []).append((place.start, place.end))
        for name in one["people"]:
            busy[name].append((place.start, place.end))
    write_table(list(found.values()), office)
    write_invitations([found[number] for number in sorted(found)], people, office)
    write_rest(found, unplaced, list(people))


def read_requests() -> list[Row]:
    """Return the meetings asked for, by number."""
    names = [one["name"] for one in ws_json("list", "inbox/requests/")["names"]]
    found = [mail(ws_text("read", name)) for name in names]
    for one in found:
        one["minutes"], one["guests"] = int(one["minutes"]), int(one["guests"])
        one["people"] = re.split(r"[;,] ", one["people"])
    return sorted(found, key=lambda one: str(one["meeting"]))


def mail(text: str) -> Row:
    """Return what a request says."""
    fields = dict(re.findall(r"^([\w ]+): (.+)$", text, re.MULTILINE))
    number, _, title = fields["Subject"].partition(" ")
    return {
        "meeting": number,
        "title": title,
        "minutes": fields["Minutes"],
        "people": fields["Must attend"],
        "guests": fields["Guests from outside"],
        "earliest": fields["Earliest"],
        "latest": fields["Latest"],
    }


def read_calendars(people: dict[str, Row], rules: str) -> dict[str, list[Span]]:
    """Return when everybody is busy, in office time."""
    entries: list[tuple[str, str, str, str, bool]] = []
    if FACETS["calendars"] == "service":
        for slug in ws_json("call", "services/calendar", "GET", "/people")["body"]:
            path = f"/calendars/{slug}"
            body = ws_json("call", "services/calendar", "GET", path)["body"]
            for one in body["entries"]:
                when = (one["day"], one["from"], one["to"])
                entries.append((body["person"], *when, one["tentative"]))
    else:
        for name in people:
            text = ws_text("read", f"calendars/{name.lower().replace(' ', '_')}.txt")
            lines = re.findall(r"^(\S+)  (\S+)-(\S+)  (.+)$", text, re.MULTILINE)
            entries += [
                (name, d, a, b, "(tentative)" in what) for d, a, b, what in lines
            ]
    found: dict[str, list[Span]] = {name: [] for name in people}
    for name, day, start, end, is_tentative in entries:
        if is_tentative and "counts as free" in rules:
            continue
        ahead = (
            people[name]["ahead"] if "keeps the calendar in their own" in rules else 0
        )
        found[name].append(tuple(at(day, t) - ahead * HOUR for t in (start, end)))  # type: ignore[arg-type]
    return found


def read_rooms() -> tuple[dict[str, int], dict[str, list[Span]]]:
    """Return seats, and when each room is taken."""
    asked = "SELECT * FROM rooms ORDER BY rowid"
    rooms = ws_json("query", "stores/rooms", asked)["rows"]
    bookings = ws_json("query", "stores/rooms", "SELECT * FROM bookings")["rows"]
    taken: dict[str, list[Span]] = {}
    for room, day, start, end, _ in bookings:
        taken.setdefault(room, []).append((at(day, start), at(day, end)))
    return {name: int(seats) for name, seats in rooms}, taken


def heed(said: str, meetings: list[Row]) -> str:
    """Take what the host says into account; return the day on which nothing can be."""
    by_number = {one["meeting"]: one for one in meetings}
    for name, number in re.findall(r"([A-Z]\w+ [A-Z]\w+) has to be in (M-\d+)", said):
        by_number[number]["people"].append(name)
    for number, minutes in re.findall(r"(M-\d+) takes (\d+) minutes", said):
        by_number[number]["minutes"] = int(minutes)
    closed = re.findall(r"nothing can be on (\d{4}-\d\d-\d\d)", said)
    return closed[0] if closed else ""


def in_turn(meetings: list[Row], rules: str) -> list[Row]:
    """Return the meetings in the order in which they are placed."""
    if "longest meeting is placed first" in rules:
        return sorted(meetings, key=lambda one: -int(one["minutes"]))
    if "with most people is placed first" in rules:
        return sorted(meetings, key=lambda one: -heads(one))
    return meetings


def heads(one: Row) -> int:
    """Return how many seats a meeting needs."""
    return len(one["people"]) + int(one["guests"])


def search(
    one: Row,
    people: dict[str, Row],
    busy: dict[str, list[Span]],
    rooms: tuple[dict[str, int], dict[str, list[Span]], Counter[str]],
    limits: tuple[str, str],
) -> Placed | None:
    """Return the earliest place of a meeting."""
    rules, closed = limits
    seats, taken, used = rooms
    big = [room for room in seats if seats[room] >= heads(one)]
    step = (
        15
        if "15, 30 or 45 minutes past" in rules
        else 30
        if "half past" in rules
        else 60
    )
    start = at(one["earliest"], "00:00")
    while start.date().isoformat() <= one["latest"]:
        end = start + timedelta(minutes=one["minutes"])
        today = start.date()
        if today.weekday() < 5 and today.isoformat() != closed:
            fits = all(
                can(people[n], busy[n], (start, end), rules) for n in one["people"]
            )
            free = [r for r in big if not meets((start, end), taken.get(r, []))]
            if fits and free:
                room = pick(free, seats, used, rules)
                return Placed(one["meeting"], start, end, room, one)
        start += timedelta(minutes=step)
    return None


def pick(free: list[str], seats: dict[str, int], used: Counter[str], rules: str) -> str:
    """Return the room of those free, which are in the order of the list."""
    if "the one with fewest seats" in rules:
        return min(free, key=lambda room: seats[room])
    return (
        min(free, key=lambda room: used[room]) if "placed fewest" in rules else free[0]
    )


def can(person: Row, busy: list[Span], span: Span, rules: str) -> bool:
    """Return whether somebody can be there."""
    ahead = person["ahead"] * HOUR
    day = span[0].date().isoformat()
    starts, ends = (at(day, person[key]) - ahead for key in ("works_from", "works_to"))
    if span[0] < starts or span[1] > ends:
        return False
    noon: list[Span] = []
    if "From 12:00 to 13:00 office time" in rules:
        noon = [(at(day, "12:00"), at(day, "13:00"))]
    if "between 12:00 and 13:00 of their own" in rules:
        noon = [(at(day, "12:00") - ahead, at(day, "13:00") - ahead)]
    pause = re.search(r"(\d+) minutes between a meeting|there are (\d+) minutes", rules)
    gap = timedelta(minutes=int(pause[1] or pause[2]) if pause else 0)
    return not meets(span, noon) and not meets((span[0] - gap, span[1] + gap), busy)


def meets(span: Span, others: list[Span]) -> bool:
    """Return whether a span overlaps one of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def at(day: str, clock: str) -> datetime:
    """Return a moment."""
    return datetime.fromisoformat(f"{day}T{clock}")


def shown(moment: datetime, office: int) -> str:
    """Return day and time as they are wanted."""
    if FACETS["shown"] == "utc":
        moment -= office * HOUR
    return moment.strftime("%Y-%m-%d %H:%M")


def write_table(found: list[Placed], office: int) -> None:
    """Write times and rooms."""
    keys: dict[str, Any] = {
        "start": lambda one: (one.start, one.number),
        "meeting": lambda one: one.number,
        "room": lambda one: (one.room, one.start),
    }
    lines = ["meeting,day,from,to,room,people"]
    for one in sorted(found, key=keys[FACETS["rows"]]):
        day, start = shown(one.start, office).split()
        end = shown(one.end, office)[11:]
        lines.append(
            f"{one.number},{day},{start},{end},{one.room},{heads(one.meeting)}"
        )
    deliver("meetings.csv", "\n".join([*lines, ""]))


def write_invitations(found: list[Placed], people: dict[str, Row], office: int) -> None:
    """Write one for each meeting."""
    blocks: dict[str, str] = {}
    objects: dict[str, Row] = {}
    for one in found:
        names = sorted(one.meeting["people"])
        local = {
            n: (one.start + people[n]["ahead"] * HOUR).strftime("%H:%M") for n in names
        }
        minutes = one.meeting["minutes"]
        told = {
            "subject": f"{one.number} {one.meeting['title']}",
            "when": f"{shown(one.start, office)}-{shown(one.end, office)[11:]}",
            "where": one.room,
        }
        more = {
            "none": "",
            "local": f"Local: {'; '.join(f'{n} {local[n]}' for n in names)}\n",
            "minutes": f"Length: {minutes} minutes\n",
        }[FACETS["says"]]
        lines = "".join(f"{key.title()}: {value}\n" for key, value in told.items())
        blocks[one.number] = f"{lines}To: {', '.join(names)}\n{more}"
        fields = {"local": {"local": local}, "minutes": {"minutes": minutes}}
        objects[one.number] = {**told, "to": names, **fields.get(FACETS["says"], {})}
    if FACETS["invites"] == "json":
        deliver("invitations.json", json.dumps(objects, indent=1))
    elif FACETS["invites"] == "one":
        deliver("invitations.md", "\n".join(blocks.values()))
    else:
        for number, text in blocks.items():
            deliver(f"invitations/{number}.txt", text)


def write_rest(
    found: dict[str, Placed], unplaced: dict[str, str], people: list[str]
) -> None:
    """Write what found no place, and sums."""
    rest = sorted(unplaced)
    if FACETS["unplaced"] == "json":
        deliver("unplaced.json", json.dumps(unplaced))
    else:
        deliver("unplaced.txt", "".join(f"{n}: {unplaced[n]}\n" for n in rest))
    if FACETS["extra"] == "people":
        rows = ["person,meetings,minutes"]
        for name in people:
            mine = [
                o.meeting["minutes"]
                for o in found.values()
                if name in o.meeting["people"]
            ]
            rows.append(f"{name},{len(mine)},{sum(mine)}")
        deliver("people.csv", "\n".join([*rows, ""]))
