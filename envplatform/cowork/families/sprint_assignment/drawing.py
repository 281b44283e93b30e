"""What is drawn: a period, a team, items of which each rule decides some."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from envplatform.cowork.families.sprint_assignment.records import (
    Absence,
    Change,
    Facets,
    Item,
    Person,
    Planning,
)
from envplatform.cowork.words import Names

_STARTS = ("2025-03-03", "2025-03-31", "2025-06-16", "2025-09-08", "2025-10-06")
_WEEKS = {"one": 1, "two": 2, "three": 3}
_OPEN = 27
_DONE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """Words of one kind of team."""

    skills: tuple[str, ...]
    """Four that the team has, and one that nobody has."""
    verbs: tuple[str, ...]
    things: tuple[str, ...]


TRADES: Mapping[str, Trade] = {
    "software": Trade(
        skills=("backend", "frontend", "data", "testing", "security"),
        verbs=("Rework", "Extend", "Fix", "Document", "Speed up", "Replace"),
        things=(
            *("login page", "export job", "search index", "price import"),
            *("audit trail", "settings dialogue", "mail templates", "nightly backup"),
        ),
    ),
    "maintenance": Trade(
        skills=("electrics", "plumbing", "joinery", "heating", "lifts"),
        verbs=("Inspect", "Repair", "Replace", "Clean", "Adjust", "Refit"),
        things=(
            *("pump room", "east stairway", "loading gate", "server room"),
            *("canteen kitchen", "roof hatch", "meeting rooms", "cold store"),
        ),
    ),
    "marketing": Trade(
        skills=("writing", "design", "video", "events", "translation"),
        verbs=("Draft", "Revise", "Produce", "Plan", "Check", "Update"),
        things=(
            *("spring brochure", "fair stand", "customer story", "landing page"),
            *("newsletter", "product film", "partner day", "press kit"),
        ),
    ),
}


def draw_planning(chance: random.Random, names: Names) -> Planning:
    """Draw a planning whose outcome depends on every rule."""
    facets = draw_facets(chance)
    weeks = _WEEKS[facets.weeks]
    start = date.fromisoformat(chance.choice(_STARTS))
    days = [
        start + timedelta(days=7 * week + day)
        for week in range(weeks)
        for day in range(5)
    ]
    people = _people(chance, names, TRADES[facets.trade].skills)
    items = _items(chance, facets, start, weeks)
    return Planning(
        facets=facets,
        lead=names.people(1)[0],
        start=days[0].isoformat(),
        end=days[-1].isoformat(),
        closed=(chance.choice((days[0], days[-1])).isoformat(),),
        reserve=chance.choice((10, 15, 20, 25)),
        items=items,
        people=people,
        absences=_absences(chance, people, days),
        change=_change(chance, facets, items, people, days),
    )


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        trade=chance.choice(("software", "maintenance", "marketing")),
        weeks=chance.choice(("one", "two", "three")),
        order=chance.choice(("smaller", "older", "value")),
        depends=chance.choice(("taken_before", "done_only", "first_ready")),
        skills=chance.choice(("any", "main_first", "main_only")),
        chooses=chance.choice(("most_free", "roster", "fewest_items")),
        away=chance.choice(("all", "approved", "training_half")),
        items_in=chance.choice(("csv", "store", "tickets")),
        absences_in=chance.choice(("csv", "calendar")),
        root=chance.choice(("planning", "team", "work/next")),
        listed=chance.choice(("taken", "all")),
        rows=chance.choice(("turn", "person", "item")),
        load=chance.choice(("csv", "json", "percent")),
        left=chance.choice(("csv", "json", "txt")),
        extra=chance.choice(("none", "skills", "note")),
        event=chance.choice(("absence", "estimate", "part_time")),
        telling=chance.choice(("quiet", "at_once")),
    )


def _people(
    chance: random.Random, names: Names, skills: tuple[str, ...]
) -> tuple[Person, ...]:
    """Return six; each of four skills is somebody's main one, and another's second."""
    first, second, third, fourth, _ = skills
    pairs = [
        *((first, second), (second, third), (third, fourth)),
        *((fourth, first), (first, fourth), (second, first)),
    ]
    hours = chance.sample((8, 8, 8, 6, 6, 4), 6)
    chance.shuffle(pairs)
    return tuple(
        Person(name=name, hours_a_day=much, skills=pair)
        for name, much, pair in zip(names.people(6), hours, pairs, strict=True)
    )


def _items(
    chance: random.Random, facets: Facets, start: date, weeks: int
) -> tuple[Item, ...]:
    trade = TRADES[facets.trade]
    titles = [f"{verb} the {thing}" for verb in trade.verbs for thing in trade.things]
    count = _OPEN + _DONE
    numbers = [f"W-{210 + place * 3}" for place in range(count)]
    kinds = ["done"] * _DONE + ["open"] * _OPEN
    chance.shuffle(kinds)
    lacking = chance.sample([at for at in range(count) if kinds[at] == "open"], 2)
    wanted = chance.sample([at for at in range(count) if at not in lacking], 8)
    needs = _needs(chance, kinds, lacking, wanted, numbers)
    return tuple(
        Item(
            number=numbers[at],
            title=title,
            skill=trade.skills[4] if at in lacking else chance.choice(trade.skills[:4]),
            priority=chance.choice((1, 2, 2, 3, 3, 4)),
            hours=weeks * chance.choice((2, 3, 4, 5, 6, 8, 10)),
            value=5 * chance.randint(2, 19),
            created=(start - timedelta(days=chance.randint(10, 120))).isoformat(),
            depends_on=needs.get(at, ()),
            status="open" if kinds[at] == "open" else "done",
        )
        for at, title in enumerate(chance.sample(titles, count))
    )


def _needs(
    chance: random.Random,
    kinds: list[str],
    lacking: list[int],
    wanted: list[int],
    numbers: list[str],
) -> dict[int, tuple[str, ...]]:
    """Return what some depend on: what is done, what nobody can do, what is open.

    Nothing depends on what comes before it here, so there are no circles.
    """
    done = [at for at, kind in enumerate(kinds) if kind == "done"]
    able = [at for at in wanted if kinds[at] == "open"]
    found: dict[int, tuple[str, ...]] = {}
    for place, at in enumerate(able):
        on = {
            0: [chance.choice(done)],
            1: [lacking[0]],
            2: [lacking[1], chance.choice(done)],
        }.get(place) or [
            chance.choice(
                [
                    other
                    for other in range(len(kinds))
                    if other not in (*able, *lacking) and kinds[other] == "open"
                ]
            )
        ]
        found[at] = tuple(sorted(numbers[one] for one in on))
    return found


def _absences(
    chance: random.Random, people: tuple[Person, ...], days: list[date]
) -> tuple[Absence, ...]:
    """Return three: leave that is approved or only asked for, and a training."""
    kinds = [("leave", "approved"), ("leave", "requested"), ("training", "approved")]
    found = []
    for one, (kind, status) in zip(people[1:4], kinds, strict=True):
        first = chance.choice(days[1:-1])
        last = first + timedelta(days=chance.randint(1, 4))
        if first == days[1]:
            last = first + timedelta(days=1)
            first -= timedelta(days=chance.randint(2, 5))  # began before the period
        found.append(
            Absence(
                name=one.name,
                first=first.isoformat(),
                last=last.isoformat(),
                kind="training" if kind == "training" else "leave",
                status="requested" if status == "requested" else "approved",
            )
        )
    chance.shuffle(found)
    return tuple(found)


def _change(
    chance: random.Random,
    facets: Facets,
    items: tuple[Item, ...],
    people: tuple[Person, ...],
    days: list[date],
) -> Change:
    person = people[0]
    if facets.event == "absence":
        away = Absence(
            name=person.name,
            first=days[2].isoformat(),
            last=days[-1].isoformat(),
            kind="leave",
            status="approved",
        )
        return Change(name=person.name, before=0, after=0, absence=away)
    if facets.event == "part_time":
        before = person.hours_a_day
        return Change(name=person.name, before=before, after=before // 2)
    able = [one for one in items if one.status == "open" and not one.depends_on]
    sure = [one for one in able if one.skill == person.skills[0]] or able
    first = min(sure, key=lambda one: _turn(facets, one))
    after = first.hours + chance.choice((2, 3, 5))
    return Change(name=first.number, before=first.hours, after=after)


def _turn(facets: Facets, one: Item) -> tuple[int | str, ...]:
    """Return by what an item's turn comes early."""
    match facets.order:
        case "smaller":
            return (one.priority, one.hours, one.number)
        case "older":
            return (one.priority, one.created, one.number)
        case _:
            return (-one.value, one.number)
