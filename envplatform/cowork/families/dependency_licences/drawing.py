"""What is drawn: packages of a code base, their licences, a policy with exceptions."""

import random
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.cowork.words import Names

Class = Literal["permissive", "weak", "strong"]
CLASSES: dict[Class, tuple[str, ...]] = {
    "permissive": ("MIT", "Apache-2.0", "BSD-3-Clause", "ISC", "BSD-2-Clause", "Zlib"),
    "weak": ("LGPL-3.0-only", "MPL-2.0", "EPL-2.0"),
    "strong": ("GPL-3.0-only", "GPL-2.0-only", "AGPL-3.0-only"),
}
SPELLINGS = {
    "Apache 2": "Apache-2.0",
    "MIT License": "MIT",
    "New BSD": "BSD-3-Clause",
    "GPLv3": "GPL-3.0-only",
    "Mozilla Public License 2.0": "MPL-2.0",
}
SEE = "SEE FILE"
_FIRST = ("quick", "plain", "tidy", "north", "fast", "inner", "micro", "open")
_LAST = ("parse", "http", "cache", "queue", "yaml", "chart", "auth", "mail", "trace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    lock: Literal["toml", "json", "csv"]
    choice: Literal["best", "first", "review"]
    """What an expression with OR comes to."""
    weak: Literal["review", "allow", "dynamic"]
    """What becomes of weak copyleft."""
    dev: Literal["exempt", "softer", "same"]
    """What becomes of packages that are not shipped."""
    exceptions: Literal["exact", "major", "any"]
    """Which versions an exception is for."""
    columns: Literal["class", "plain", "scope"]
    """Of the table."""
    listed: Literal["all", "not_allowed"]
    order: Literal["package", "verdict", "licence"]
    notice: Literal["lines", "grouped"]
    unknown: Literal["reasons", "list"]
    extra: Literal["none", "paths", "counts"]
    place: str
    texts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package of the lock file."""

    name: str
    version: str
    licence: str
    """As declared; may be empty, an expression, or `SEE FILE`."""
    scope: Literal["runtime", "dev"] = "runtime"
    linked: Literal["static", "dynamic"] = "static"
    via: str = "-"
    """The package that needs it; `-` of one that we need ourselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """One exception of the policy."""

    name: str
    version: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """All that this one is about."""

    facets: Facets
    project: str
    packages: tuple[Package, ...]
    texts: dict[str, str]
    """Licence files by name of the package."""
    exemptions: tuple[Exemption, ...]


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        lock=chance.choice(("toml", "json", "csv")),
        choice=chance.choice(("best", "first", "review")),
        weak=chance.choice(("review", "allow", "dynamic")),
        dev=chance.choice(("exempt", "softer", "same")),
        exceptions=chance.choice(("exact", "major", "any")),
        columns=chance.choice(("class", "plain", "scope")),
        listed=chance.choice(("all", "not_allowed")),
        order=chance.choice(("package", "verdict", "licence")),
        notice=chance.choice(("lines", "grouped")),
        unknown=chance.choice(("reasons", "list")),
        extra=chance.choice(("none", "paths", "counts")),
        place=chance.choice(("build", "repo", "source")),
        texts=chance.choice(("licences", "third_party", "vendor/licences")),
    )


def draw_code(chance: random.Random, names: Names) -> Code:
    """Draw packages of which each rule of the policy decides some."""
    facets = draw_facets(chance)
    found = [
        replace(one, name=name)
        for one, name in zip(_kinds(chance), _names(chance), strict=False)
    ]
    packages = _connected(chance, sorted(found, key=lambda one: one.name))
    strong = [
        one
        for one in packages
        if one.licence in {"GPL-3.0-only", "GPL-2.0-only", "AGPL-3.0-only"}
        and one.scope == "runtime"
    ]
    exact, same_major, other_major = chance.sample(strong, 3)
    return Code(
        facets=facets,
        project=names.some("project", 1)[0],
        packages=tuple(packages),
        texts=_texts(packages, names),
        exemptions=(
            Exemption(name=exact.name, version=exact.version, why="bought a licence"),
            Exemption(
                name=same_major.name,
                version=f"{same_major.version.split('.')[0]}.0.1",
                why="runs as a process of its own",
            ),
            Exemption(
                name=other_major.name,
                version=f"{int(other_major.version.split('.')[0]) + 1}.0.0",
                why="licence changes with that version",
            ),
        ),
    )


def _kinds(chance: random.Random) -> list[Package]:
    """Return packages without names."""
    kinds: list[Package] = []

    def add(
        *licences: str,
        scope: Literal["runtime", "dev"] = "runtime",
        linked: Literal["static", "dynamic"] = "static",
    ) -> None:
        for licence in licences:
            version = (
                f"{chance.randint(1, 6)}.{chance.randint(1, 14)}.{chance.randint(2, 9)}"
            )
            kinds.append(
                Package(
                    name="",
                    version=version,
                    licence=licence,
                    scope=scope,
                    linked=linked,
                )
            )

    weak, strong = CLASSES["weak"], CLASSES["strong"]
    add(*(chance.choice(CLASSES["permissive"]) for _ in range(7)))
    add(*chance.sample(weak, 2))
    add(*chance.sample(weak, 2), linked="dynamic")
    add(*strong, chance.choice(strong))
    add(*chance.sample(strong, 2), chance.choice(weak), "MIT", scope="dev")
    add("GPL-2.0-only OR MIT", "ISC OR GPL-3.0-only", "AGPL-3.0-only OR Apache-2.0")
    add("MIT OR Apache-2.0", "MIT AND GPL-3.0-only", "MIT AND BSD-3-Clause")
    add("Apache 2", "MIT License", "New BSD", "GPLv3")
    add(SEE, SEE, SEE)
    add("", "", "Beerware", "CC-BY-NC-4.0")
    return kinds


def _names(chance: random.Random) -> list[str]:
    every = [f"{one}{other}" for one in _FIRST for other in _LAST]
    return chance.sample(every, 40)


def _connected(chance: random.Random, packages: list[Package]) -> list[Package]:
    """Let about half of them come by way of others; no circles.

    What is shipped comes by way of what is shipped.
    """
    order = chance.sample(packages, len(packages))
    order.sort(key=lambda one: one.scope == "dev")
    via = {
        one.name: order[chance.randrange(place)].name
        if place > 5 and place % 3
        else "-"
        for place, one in enumerate(order)
    }
    return [replace(one, via=via[one.name]) for one in packages]


def _texts(packages: list[Package], names: Names) -> dict[str, str]:
    """Return licence files: of two packages that refer to one, and of a third one."""
    holders = names.companies(3)
    heads = ("MIT License", "Mozilla Public License 2.0", "Apache 2")
    referring = [one.name for one in packages if one.licence == SEE][:2]
    others = [one.name for one in packages if one.licence == "Apache 2"]
    found = {}
    for name, head, holder in zip((*referring, *others), heads, holders, strict=True):
        found[name] = (
            f"{head}\n\nCopyright (c) 2021 {holder}\n\nThis package may be used under the "
            "licence named above. It comes without warranty of any kind.\n"
        )
    return found
