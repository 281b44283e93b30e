"""Whether every rule of a round decides something; who draws wants to know.

Neither oracle nor verifier has a part in it: they place the meetings anew, apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from envplatform.cowork.families.meeting_slots.records import Meeting, Person, Round

RULES = ("user", "zones", "calendars", "seats")
_STEPS = {"quarter": 15, "half": 30, "hour": 60}
_NOON, _DAY = 12 * 60, 24 * 60
_WEEKEND = 6
_Placed = dict[str, tuple[str, int, int, int, str] | str]
"""Meeting to day, minutes, seats, start and room; or to why it has no place."""


def every_rule_decides(round_: Round) -> bool:
    """Whether each rule, forgotten, would change where some meeting is."""
    right = _Placing(round_).placed
    return all(_Placing(round_, rule).placed != right for rule in RULES)


class _Placing:
    """Places meetings by all rules but one."""

    def __init__(self, round_: Round, forgotten: str = "") -> None:
        self._round = round_
        self._forgotten = forgotten
        self._people = {one.name: one for one in round_.people}
        self._rooms: list[tuple[str, str, int, int]] = [
            (one.who, one.day, one.start, one.end) for one in round_.bookings
        ]
        self._busy = [] if forgotten == "calendars" else list(self._entries())
        self._used: list[str] = []
        self.placed: _Placed = {}
        for meeting in self._in_turn():
            self.placed[meeting.number] = self._place(meeting)

    def _entries(self) -> Iterator[tuple[str, str, int, int]]:
        for one in self._round.calendar:
            if one.is_tentative and self._round.facets.tentative == "free":
                continue
            # Who takes all clocks for the office's reads those of others as they stand.
            is_misread = (
                self._forgotten == "zones" and self._round.facets.clock == "own"
            )
            later = self._really_ahead(self._people[one.who]) if is_misread else 0
            yield one.who, one.day, one.start + later, one.end + later

    def _really_ahead(self, person: Person) -> int:
        return 60 * (person.offset - self._round.office)

    def _ahead(self, person: Person) -> int:
        return 0 if self._forgotten == "zones" else self._really_ahead(person)

    def _in_turn(self) -> Sequence[Meeting]:
        meetings = sorted(map(self._as_told, self._round.meetings), key=_number)
        match self._round.facets.turns:
            case "longest":
                return sorted(meetings, key=lambda one: -one.minutes)
            case "people":
                return sorted(meetings, key=lambda one: -_seats(one))
            case _:
                return meetings

    def _as_told(self, meeting: Meeting) -> Meeting:
        """What the user says of a meeting, for who hears it."""
        if self._forgotten == "user":
            return meeting
        untold = self._round.facets.untold
        if untold == "person" and meeting.number == self._round.added[0]:
            return replace(meeting, people=(*meeting.people, self._round.added[1]))
        if untold == "length" and meeting.number == self._round.longer[0]:
            return replace(meeting, minutes=self._round.longer[1])
        return meeting

    def _place(self, meeting: Meeting) -> tuple[str, int, int, int, str] | str:
        fits = {
            one.name: one.seats
            for one in self._round.rooms
            if one.seats >= _seats(meeting) or self._forgotten == "seats"
        }
        for day in self._days(meeting):
            for start in range(0, _DAY, _STEPS[self._round.facets.grid]):
                end = start + meeting.minutes
                free = [n for n in fits if _is_free(self._rooms, n, day, start, end)]
                if free and all(
                    self._has_time(self._people[name], day, start, end)
                    for name in meeting.people
                ):
                    room = self._chosen(free, fits)
                    self._used.append(room)
                    self._rooms.append((room, day, start, end))
                    self._busy += [(name, day, start, end) for name in meeting.people]
                    return day, meeting.minutes, _seats(meeting), start, room
        return "no_time" if fits else "no_room"

    def _days(self, meeting: Meeting) -> Iterator[str]:
        is_closed = self._round.facets.untold == "day" and self._forgotten != "user"
        closed = self._round.days[0] if is_closed else ""
        day, last = date.fromisoformat(meeting.first), date.fromisoformat(meeting.last)
        while day <= last:
            if day.isoweekday() < _WEEKEND and day.isoformat() != closed:
                yield day.isoformat()
            day += timedelta(days=1)

    def _has_time(self, person: Person, day: str, start: int, end: int) -> bool:
        ahead, begins = self._ahead(person), person.begins * 60
        if start + ahead < begins or end + ahead > begins + 8 * 60:
            return False
        lunch = self._round.facets.lunch
        eats = start + (ahead if lunch == "own" else 0)
        if lunch != "none" and eats < _NOON + 60 and eats + end - start > _NOON:
            return False
        gap = 0 if self._round.facets.gap == "none" else int(self._round.facets.gap)
        return _is_free(self._busy, person.name, day, start - gap, end + gap)

    def _chosen(self, free: list[str], seats: dict[str, int]) -> str:
        match self._round.facets.rooms:
            case "smallest" if self._forgotten != "seats":
                return min(free, key=seats.__getitem__)
            case "fewest":
                return min(free, key=self._used.count)
            case _:
                return free[0]


def _is_free(
    taken: list[tuple[str, str, int, int]], name: str, day: str, start: int, end: int
) -> bool:
    return all(
        (who, on) != (name, day) or end <= first or last <= start
        for who, on, first, last in taken
    )


def _number(meeting: Meeting) -> str:
    return meeting.number


def _seats(meeting: Meeting) -> int:
    return len(meeting.people) + meeting.guests
