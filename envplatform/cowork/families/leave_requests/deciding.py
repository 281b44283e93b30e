"""Whether every rule of an office decides something; who draws wants to know.

Neither oracle nor verifier has a part in it: they judge the requests anew, apart.
"""

import datetime as dt

from envplatform.cowork.families.leave_requests.drawing import Office, Person, Request

RULES = ("notice", "blocked", "balance", "coverage")
LEAST = 2
"""Requests that come out otherwise where a rule is forgotten."""


def every_rule_decides(office: Office) -> bool:
    """Whether each rule, forgotten, would change what becomes of two requests."""
    right = _reasons(office)
    return all(
        sum(right[one] != other[one] for one in right) >= LEAST
        for other in (_reasons(office, rule) for rule in RULES)
    )


def _reasons(office: Office, forgotten: str = "") -> dict[str, str]:
    staff = {one.number: one for one in office.staff}
    left = {one.number: one.balance for one in office.staff}
    off: dict[dt.date, list[Person]] = {}
    found = {}
    for one in _in_turn(office, staff):
        person, days = staff[one.number], _days(office, one)
        rules = {
            "notice": _days_before(one) < office.notice_days,
            "blocked": _is_blocked(office, person, one),
            "balance": len(days) > left[person.number],
            "coverage": any(_is_thin(office, person, off.get(day, [])) for day in days),
        }
        against = [name for name in RULES if rules[name] and name != forgotten]
        found[one.request] = against[0] if against else "-"
        if not against:
            left[person.number] -= len(days)
            for day in days:
                off.setdefault(day, []).append(person)
    return found


def _in_turn(office: Office, staff: dict[str, Person]) -> list[Request]:
    match office.facets.turn:
        case "submitted":
            return sorted(office.requests, key=lambda o: (o.submitted, o.request))
        case "seniority":
            since = {number: one.since for number, one in staff.items()}
            return sorted(office.requests, key=lambda o: (since[o.number], o.request))
    return sorted(office.requests, key=lambda o: (-len(_days(office, o)), o.request))


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _days_before(one: Request) -> int:
    return (_day(one.first) - _day(one.submitted)).days


def _days(office: Office, one: Request) -> list[dt.date]:
    """Return its days of leave."""
    first, last = _day(one.first), _day(one.last)
    span = [first + dt.timedelta(days=at) for at in range((last - first).days + 1)]
    if office.facets.counted == "calendar":
        return span
    most = 6 if office.facets.counted == "six_days" else 5
    return [
        day
        for day in span
        if day.isoweekday() <= most and day.isoformat() not in office.holidays
    ]


def _is_blocked(office: Office, person: Person, one: Request) -> bool:
    joined = dt.date(office.monday.year - office.senior_years, 1, 1)
    excepted = {
        "nobody": False,
        "parents": person.parent == "yes",
        "seniors": _day(person.since) < joined,
    }[office.facets.exempt]
    weeks = map(_day, office.blocked[person.team])
    return not excepted and any(
        _day(one.first) <= monday + dt.timedelta(days=6) and _day(one.last) >= monday
        for monday in weeks
    )


def _is_thin(office: Office, person: Person, away: list[Person]) -> bool:
    if office.facets.coverage == "deputy":
        return any(one.number == person.deputy for one in away)
    return sum(one.team == person.team for one in away) >= office.most_off
