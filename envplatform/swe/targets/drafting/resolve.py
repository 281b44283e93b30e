"""From what is asked for to exact pins: pip's resolver, and what to do when it refuses.

A repository may ask for what has no wheel, or for versions that exclude each other.
Then requirements are given up one at a time, the least certain first, and named.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from envplatform.errors import TargetError
from envplatform.swe.targets.drafting.declared_needs import Asked

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Takes requirements, returns sorted pins; raises TargetError, pip's reason in it."""

_BLAMED = re.compile(
    r"(?:No matching distribution found for|that satisfies the requirement) "
    r"([A-Za-z0-9][\w.-]*)[^(]*(?:\(from ([A-Za-z0-9][\w.-]*))?"
)
_MAX_ATTEMPTS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What was found, and what had to be given up."""

    pins: tuple[str, ...]
    given_up: tuple[str, ...]
    """Sentences for a person."""


def plain_name(requirement: str) -> str | None:
    """Normal form of the name in a requirement; None: it is none, or has a URL."""
    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        return None
    return None if parsed.url else canonicalize_name(parsed.name)


def pin_all(asked: Sequence[Asked], resolve: Resolve) -> Pinned:
    """Resolve `asked`, the most certain first; a name may stand there more than once.

    Raises:
        TargetError: not even what comes first can be had.
    """
    left = list(asked)
    given_up: list[str] = []
    for _ in range(_MAX_ATTEMPTS):
        try:
            pins = resolve([one.requirement for one in left])
            return Pinned(pins=pins, given_up=tuple(given_up))
        except TargetError as error:
            blamed = _blamed(str(error), left) or _weakest(left)
            if blamed is None:
                raise
            given_up.append(_said(blamed, str(error)))
            left = [one for one in left if one != blamed]
    msg = (
        "what the repository asks for can't be resolved to wheels: "
        f"{'; '.join(given_up)}; write a target.toml"
    )
    raise TargetError(msg)


def _blamed(reason: str, left: Sequence[Asked]) -> Asked | None:
    """Return the last that pip names, or whose needs it names."""
    names = {
        canonicalize_name(name) for found in _BLAMED.findall(reason) for name in found
    }
    return next(
        (one for one in reversed(left) if plain_name(one.requirement) in names), None
    )


def _weakest(left: Sequence[Asked]) -> Asked | None:
    """Return the last that says a version: the resolver can do without it."""
    for one in reversed(left):
        parsed = Requirement(one.requirement)
        if parsed.specifier:
            return one
    return None


def _said(asked: Asked, reason: str) -> str:
    why = reason.partition("requirements: ")[2] or reason
    return f"{asked.requirement!r} ({asked.where}) is left out: {why[:200]}"
