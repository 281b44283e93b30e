"""Which licences let a resource be passed on inside environments."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from license_expression import (  # type: ignore[import-untyped]  # ships no types
    ExpressionError,
    Licensing,
)

from envplatform.cowork.library.resource import Refusal
from envplatform.cowork.library.specification import FileRule, LicenceList

REDISTRIBUTABLE = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BlueOak-1.0.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "CC-BY-2.0",
        "CC-BY-3.0",
        "CC-BY-3.0-IGO",
        "CC-BY-4.0",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "OGL-UK-2.0",
        "OGL-UK-3.0",
        "PDDL-1.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
        "LicenseRef-Public-Domain",
        "LicenseRef-US-Government-Work",
    }
)
"""Attribution at most. Environments change and cut what they hold: neither terms that
forbid that nor those that bind what is made of it are among them."""

_MAX_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a licence is not taken."""

    reason: Refusal
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What is said of the licence of one file."""

    licence: str
    licence_source: str
    attribution: str


def judge(licence: str, more: frozenset[str]) -> Doubt | None:
    """Say why a licence is not taken; None if it is.

    Args:
        licence: SPDX expression; of `A OR B` one will do, of `A AND B` both must.
        more: identifiers taken beside `REDISTRIBUTABLE`.
    """
    text = licence.strip()
    if not text:
        return Doubt("no_licence", "no licence is stated")
    expression = _parsed(text)
    if expression is None:
        shown = text[:100]
        return Doubt("licence_unknown", f"{shown!r} is no SPDX expression")
    taken = frozenset(name.lower() for name in REDISTRIBUTABLE | more)
    if _is_taken(expression, taken):
        return None
    detail = (
        f"{text!r} is not among the licences taken; if you may pass on what is under "
        "it, add its identifier to licences in [cowork.library]"
    )
    return Doubt("licence_refused", detail)


def of_rule(rule: FileRule | None) -> Stated | Doubt:
    """What a rule of the list states."""
    if rule is None:
        return Doubt("no_licence", "the source's list states no licence for this file")
    if rule.refuse:
        return Doubt("no_licence", rule.refuse)
    return Stated(
        licence=rule.licence,
        licence_source=rule.licence_source,
        attribution=rule.attribution,
    )


def read_list(data: bytes, listed: LicenceList) -> Mapping[str, Stated | Doubt] | None:
    """What a Data Package descriptor states, by path in the source; None: it is none.

    All licences that it names for a file must have a name in `listed`.
    """
    try:
        entries = json.loads(data)["resources"]
        found = {}
        for entry in entries:
            path = f"{listed.root}{entry['path']}"
            found[path] = _of_entry(entry, listed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return found


def _of_entry(entry: Mapping[str, object], listed: LicenceList) -> Stated | Doubt:
    licences = _objects(entry.get("licenses"))
    if not licences:
        return Doubt("no_licence", f"{listed.path} states no licence for this file")
    names = []
    for licence in licences:
        known = [listed.names.get(word) for word in _words(licence)]
        name = next((one for one in known if one), None)
        if name is None:
            shown = "; ".join(_words(licence))[:200]
            return Doubt("licence_unknown", f"{listed.path} says only: {shown}")
        names.append(name)
    titles = [str(one.get("title") or "") for one in _objects(entry.get("sources"))]
    return Stated(
        licence=" AND ".join(sorted(set(names))),
        licence_source=listed.path,
        attribution="; ".join(" ".join(one.split()) for one in titles if one)[:500],
    )


def _objects(value: object) -> Sequence[Mapping[str, object]]:
    if not isinstance(value, list):
        return ()
    return [one for one in value if isinstance(one, dict)]


def _words(licence: Mapping[str, object]) -> list[str]:
    values = (licence.get(key) for key in ("title", "name", "path"))
    return [value for value in values if isinstance(value, str) and value]


def _parsed(text: str) -> object | None:
    """An expression; None: it is none, or too long to be looked at."""
    if len(text) > _MAX_CHARACTERS:
        return None
    try:
        found: object = _licensing().parse(text)
    except (ExpressionError, AssertionError, IndexError):
        return None  # the last two are the parser's own slips
    return found


def _is_taken(expression: object, taken: frozenset[str]) -> bool:
    """Walk an expression; its depth is bounded by its length."""
    parts = getattr(expression, "args", ())
    if parts:
        answers = [_is_taken(part, taken) for part in parts]
        either = isinstance(expression, _licensing().OR)
        return any(answers) if either else all(answers)
    return str(expression).lower() in taken


@cache
def _licensing() -> Licensing:
    """A parser that knows no names: an identifier stays as it is spelled."""
    return Licensing()
