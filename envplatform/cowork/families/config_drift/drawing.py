"""What is drawn: a baseline, configurations that drifted from it, exceptions."""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from envplatform.cowork.families.config_drift.baseline import (
    ENVIRONMENTS,
    Setting,
    draw_baseline,
    fitting,
)
from envplatform.cowork.words import Names

Cell = tuple[str, str, str]
"""Service, environment, key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    form: Literal["env", "properties", "yaml"]
    scope: Literal["all", "not_dev"]
    missing: Literal["reported", "default"]
    """Whether a key that is not set drifts whatever its default is."""
    unknown: Literal["reported", "ignored"]
    booleans: Literal["same", "strict"]
    """Whether `yes` and `on` are `true`."""
    exceptions: Literal["value", "key", "approved"]
    """What an entry of the register excuses."""
    columns: Literal["full", "brief", "file"]
    """Of the table."""
    listed: Literal["open", "all"]
    order: Literal["service", "environment", "key"]
    summary: Literal["by_service", "by_kind", "by_environment"]
    fix: Literal["in_place", "sorted"]
    extra: Literal["none", "expired", "keys"]
    register: Literal["csv", "store"]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """One entry of the register."""

    number: str
    service: str
    environment: str
    """`all` for every one."""
    key: str
    value: str
    until: str
    approved: str
    """By whom; `-` if by nobody yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """All that this one is about."""

    facets: Facets
    day: str
    services: tuple[str, ...]
    settings: tuple[Setting, ...]
    files: dict[tuple[str, str], list[str]]
    """Lines by service and environment."""
    target: tuple[str, str]
    """The one that is to be corrected."""
    register: tuple[Exemption, ...]

    def path(self, service: str, environment: str) -> str:
        """Return the name of a file."""
        return f"{service}.{environment}.{SUFFIXES[self.facets.form]}"


SUFFIXES = {"env": "env", "properties": "properties", "yaml": "yml"}


def line_of(form: str, key: str, value: str) -> str:
    """Return a line of a file."""
    return {
        "env": f"{key.upper()}={value}",
        "properties": f"{key} = {value}",
        "yaml": f"{key}: {value}",
    }[form]


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        form=chance.choice(("env", "properties", "yaml")),
        scope=chance.choice(("all", "not_dev")),
        missing=chance.choice(("reported", "default")),
        unknown=chance.choice(("reported", "ignored")),
        booleans=chance.choice(("same", "strict")),
        exceptions=chance.choice(("value", "key", "approved")),
        columns=chance.choice(("full", "brief", "file")),
        listed=chance.choice(("open", "all")),
        order=chance.choice(("service", "environment", "key")),
        summary=chance.choice(("by_service", "by_kind", "by_environment")),
        fix=chance.choice(("in_place", "sorted")),
        extra=chance.choice(("none", "expired", "keys")),
        register=chance.choice(("csv", "store")),
        place=chance.choice(("config", "deploy/config", "settings", "ops/services")),
    )


def draw_drift(chance: random.Random, names: Names) -> Drift:
    """Draw configurations in which every rule and every exception decides something."""
    facets = draw_facets(chance)
    services = tuple(sorted(names.some("service", 5)))
    settings = draw_baseline(chance)
    cells: dict[Cell, tuple[str, str]] = {
        (service, environment, one.key): (one.key, fitting(chance, one, environment))
        for service in services
        for environment in ENVIRONMENTS
        for one in settings
        if one.wanted[environment][0] not in {"absent", "any"}
    }
    target = (chance.choice(services), "prod")
    spots = _spots(chance, services, target)
    strangers = _disturb(chance, cells, settings, spots)
    day = date(2025, chance.randint(2, 9), chance.randint(3, 26))
    return Drift(
        facets=facets,
        day=day.isoformat(),
        services=services,
        settings=settings,
        files=_files(chance, facets.form, services, cells, strangers),
        target=target,
        register=_register(spots, cells, day, names.people(3)),
    )


def _spots(
    chance: random.Random, services: tuple[str, ...], target: tuple[str, str]
) -> dict[str, Cell]:
    """Return where what goes wrong, by a word for it; five of it in the target."""
    service = target[0]
    others = [one for one in services if one != service]
    a, b, c, d = chance.sample(others, 4)
    return {
        "matched": (service, "prod", "timeout_s"),
        "plain": (service, "prod", "retries"),
        "gone": (service, "prod", "region"),
        "toolbar": (service, "prod", "debug_toolbar"),
        "renamed_fine": (service, "prod", "pool_size"),
        "other_value": (a, "prod", "max_upload_mb"),
        "expired": (a, "staging", "log_level"),
        "unsigned": (b, "prod", "cache_ttl_s"),
        "everywhere": (b, "staging", "retries"),
        "renamed": (c, "prod", "pool_size"),
        "minutes": (c, "staging", "timeout_s"),
        "minutes_fine": (d, "prod", "cache_ttl_s"),
        "spelled": (d, "prod", "tls"),
        "spelled_too": (a, "staging", "audit"),
        "plain_too": (d, "staging", "region"),
        "gone_fine": (c, "prod", "retries"),
        "gone_too": (d, "prod", "audit"),
        "toolbar_too": (b, "staging", "debug_toolbar"),
        "in_dev": (a, "dev", "timeout_s"),
        "in_dev_too": (d, "dev", "region"),
    }


def _disturb(
    chance: random.Random,
    cells: dict[Cell, tuple[str, str]],
    settings: tuple[Setting, ...],
    spots: dict[str, Cell],
) -> dict[Cell, tuple[str, str]]:
    """Change cells; return keys that no baseline knows."""
    old = {one.key: one.old for one in settings}
    for word, value in {
        "matched": "90",
        "plain": "7",
        "toolbar": "false",
        "other_value": "80",
        "expired": "debug",
        "unsigned": "45",
        "everywhere": "8",
        "minutes": "3m",
        "minutes_fine": "10m",
        "spelled": "yes",
        "spelled_too": "on",
        "plain_too": "us-east",
        "toolbar_too": "true",
        "in_dev": "5m",
        "in_dev_too": "local",
    }.items():
        cells[spots[word]] = (spots[word][2], value)
    for word in ("gone", "gone_fine", "gone_too"):
        del cells[spots[word]]
    cells[spots["renamed"]] = (old["pool_size"], "1")
    cells[spots["renamed_fine"]] = (old["pool_size"], "25")
    (service, _, _), (other, _, _) = spots["plain"], spots["minutes"]
    first, second = chance.sample(("trace_rate", "legacy_api", "motd", "beta_menu"), 2)
    return {
        (service, "prod", first): (first, "1"),
        (other, "staging", second): (second, "old"),
    }


def _files(
    chance: random.Random,
    form: str,
    services: tuple[str, ...],
    cells: dict[Cell, tuple[str, str]],
    strangers: dict[Cell, tuple[str, str]],
) -> dict[tuple[str, str], list[str]]:
    found = {}
    for service in services:
        for environment in ENVIRONMENTS:
            lines = [
                line_of(form, *pair)
                for (name, where, _), pair in {**cells, **strangers}.items()
                if (name, where) == (service, environment)
            ]
            chance.shuffle(lines)
            lines.insert(
                chance.randrange(1, 5), "# see the runbook before you change this"
            )
            found[service, environment] = [f"# {service}, {environment}", *lines]
    return found


def _register(
    spots: dict[str, Cell],
    cells: dict[Cell, tuple[str, str]],
    day: date,
    people: list[str],
) -> tuple[Exemption, ...]:
    first, second, _ = people
    told = [
        ("matched", "", 0, first),
        ("other_value", "60", 40, second),
        ("expired", "", -12, first),
        ("unsigned", "", 25, "-"),
        ("everywhere", "", 75, second),
        ("toolbar_too", "", 9, first),
        ("plain_too", "eu-lab", 30, "-"),
        ("gone_fine", "2", 18, second),
        ("in_dev", "", -1, second),
    ]
    found = []
    for place, (word, value, days, who) in enumerate(told):
        service, environment, key = spots[word]
        found.append(
            Exemption(
                number=f"EX-{31 + 4 * place}",
                service=service,
                environment="all" if word == "everywhere" else environment,
                key=key,
                value=value or cells[spots[word]][1],
                until=(day + timedelta(days=days)).isoformat(),
                approved=who,
            )
        )
    return tuple(found)
