"""What is drawn: volumes, their daily samples, windows, silences and thresholds."""

import datetime as dt
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json
from envplatform.cowork.words import Names

DAYS = 15
CASES = (
    *("calm",) * 4,
    *("full_soon",) * 4,
    *("full_later",) * 4,
    *("stuffed",) * 2,
    *("jump",) * 2,
    *("lost",) * 2,
    *("silenced",) * 2,
    *("was_silenced",) * 2,
    *("window",) * 2,
)
"""What volumes are drawn for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    growth: Literal["week", "whole", "highest"]
    usable: Literal["all", "percent", "fixed"]
    """How much of a volume may be filled."""
    silence: Literal["left_out", "level", "lowered"]
    listed: Literal["alerts", "all", "urgent"]
    order: Literal["volume", "days", "level"]
    summary: Literal["teams", "levels", "hosts"]
    extra: Literal["none", "pages", "orders"]
    samples: Literal["csv", "store", "folder"]
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """One volume; sizes in MB."""

    name: str
    host: str
    team: str
    size: int
    used: Mapping[str, int]
    """By day; a day can be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Days on which something holds for a volume, both included."""

    volume: str
    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """All that this one is about."""

    facets: Facets
    days: tuple[str, ...]
    critical: int
    warning: int
    """Fewer days to full than these."""
    fill: int
    """Percent of what is usable from which it is critical anyhow."""
    reserve: int
    """Percent or MB that stay free."""
    jump: int
    """Percent of the size, between two samples."""
    volumes: tuple[Volume, ...]
    silences: tuple[Span, ...]
    windows: tuple[Span, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return what the verifier needs: the rules."""
        return {
            "facets": dict(asdict(self.facets)),
            "days": list(self.days),
            "critical": self.critical,
            "warning": self.warning,
            "fill": self.fill,
            "reserve": self.reserve,
            "jump": self.jump,
        }


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        growth=chance.choice(("week", "whole", "highest")),
        usable=chance.choice(("all", "percent", "fixed")),
        silence=chance.choice(("left_out", "level", "lowered")),
        listed=chance.choice(("alerts", "all", "urgent")),
        order=chance.choice(("volume", "days", "level")),
        summary=chance.choice(("teams", "levels", "hosts")),
        extra=chance.choice(("none", "pages", "orders")),
        samples=chance.choice(("csv", "store", "folder")),
        at=chance.choice(("monitoring", "ops/capacity", "metrics")),
    )


def draw_fleet(chance: random.Random, names: Names) -> Fleet:
    """Draw volumes among which each rule decides something."""
    facets = draw_facets(chance)
    first = dt.date(2025, 3, 3) + dt.timedelta(days=chance.randint(0, 90))
    days = tuple((first + dt.timedelta(days=one)).isoformat() for one in range(DAYS))
    services, teams = names.some("service", 8), names.some("department", 4)
    hosts = {service: chance.choice(teams) for service in services}
    critical = chance.choice((5, 7, 10))
    reserve = {"percent": chance.choice((3, 5)), "fixed": 12_000}.get(facets.usable, 0)
    warning = critical + chance.choice((14, 20, 25))
    cases = chance.sample(CASES, len(CASES))
    volumes, silences, windows = [], [], []
    for place, case in enumerate(cases):
        host = services[place % len(services)]
        name = f"{host}-{'abc'[place // len(services)]}"
        size = chance.randint(30, 90) * 10_000
        free = {"percent": size * reserve // 100, "fixed": reserve}.get(
            facets.usable, 0
        )
        used = _samples(chance, case, size, free, days, (critical, warning))
        volumes.append(
            Volume(name=name, host=host, team=hosts[host], size=size, used=used)
        )
        if case == "silenced":
            silences.append(Span(volume=name, first=days[9], last=_later(days, 6)))
        if case == "was_silenced":
            silences.append(Span(volume=name, first=days[2], last=days[DAYS - 2]))
        if case == "window":
            windows.append(Span(volume=name, first=days[10], last=days[11]))
    return Fleet(
        facets=facets,
        days=days,
        critical=critical,
        warning=warning,
        fill=chance.choice((92, 94, 95)),
        reserve=reserve,
        jump=chance.choice((8, 9)),
        volumes=tuple(volumes),
        silences=tuple(chance.sample(silences, len(silences))),
        windows=tuple(windows),
    )


def _later(days: tuple[str, ...], more: int) -> str:
    return (dt.date.fromisoformat(days[-1]) + dt.timedelta(days=more)).isoformat()


def _samples(
    chance: random.Random,
    case: str,
    size: int,
    free: int,
    days: tuple[str, ...],
    limits: tuple[int, int],
) -> Mapping[str, int]:
    """Return samples that end where the case wants them to, `free` MB aside."""
    step = size // 120 + chance.randint(-size // 900, size // 900)
    step = {"calm": step // 2, "stuffed": size // 4000}.get(case, step)
    left = {
        "calm": (limits[1] + 25) * step,
        "full_later": (limits[0] + 8) * step,
        "stuffed": size // 40,
    }.get(case, (limits[0] - 1) * step)
    last = size - free - left
    used = {}
    for place, day in enumerate(days):
        noise = chance.randint(-step // 6, step // 6) if 0 < place < DAYS - 1 else 0
        used[day] = last - (DAYS - 1 - place) * step + noise
    less = {"jump": (days[:9], 5), "window": (days[10:12], 4)}.get(case, ((), 1))
    for day in less[0]:
        used[day] -= size // less[1]
    if case == "lost":
        del used[days[-1]]
    if case in {"calm", "full_later"} and chance.random() < 0.5:
        del used[days[chance.randint(1, 5)]]
    return used
