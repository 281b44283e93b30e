"""What the primitives share: one draft a binding, and documents that tell of names."""

import re
from abc import abstractmethod
from itertools import pairwise
from random import Random
from typing import Any, TypeVar

from envplatform.errors import BundleError
from envplatform.workspace import Binding, Interface, Lens, Shown, Workspace
from envplatform.workspace.draft import Draft
from envplatform.workspace.recovery import Node

Item = TypeVar("Item")
STAMP = "stamp"
"""In every document that a primitive writes: a value that only its readers know."""


class Primitive(Lens):
    """A lens of the closed vocabulary that plans are made of."""

    summary: str
    """What it does to whom it is applied, one line; for people and for proposers."""
    size: tuple[str, int, int] | None = None
    """The option that says how many requests it takes, with its least and its most."""

    def apply(self, workspace: Workspace, binding: Binding, seed: int) -> Shown:
        """See the base class."""
        draft = Draft(workspace, binding.name, seed, self.name)
        unknown = set(binding.options) - set(self.options())
        if unknown:
            draft.refuse(f"there is no option {min(unknown)!r}")
        recipe = self.draw(draft, dict(binding.options))
        changed, recipe = draft.done(recipe)
        return Shown(workspace=changed, recipe=recipe)

    @abstractmethod
    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """Draw the name anew; return the expression for what was read there.

        Raises:
            BundleError: the content or an option does not fit.
        """

    def options(self) -> tuple[str, ...]:
        """Return the options that a binding may give."""
        return ()


def whole(
    draft: Draft, options: dict[str, Any], name: str, least: int, most: int
) -> int:
    """Return an option that is a whole number; drawn where it is not given.

    Raises:
        BundleError: it is none from `least` to `most`.
    """
    value = options.get(name, draft.random.randint(least, most))
    if not isinstance(value, int) or isinstance(value, bool):
        draft.refuse(f"{name} must be a whole number, not {value!r}")
    if not least <= value <= most:
        draft.refuse(f"{name} is {value}, not from {least} to {most}")
    return value


def groups(items: list[Item], count: int) -> list[list[Item]]:
    """Part a list into `count` runs of about the same length, none empty."""
    count = max(1, min(count, len(items)))
    cuts = [round(place * len(items) / count) for place in range(count + 1)]
    return [items[a:b] for a, b in pairwise(cuts)]


def stale(draft: Draft, count: int, limit: int = 400) -> list[str]:
    """Return texts that look like the content; each says something else than all others.

    None tells that it is one: nothing is marked. Of a long content they are a part, so
    that they don't cost as many bytes as it.
    """
    taken = [draft.text]
    # Apart from the draft's: how often it is drawn from here depends on the content,
    # and what is drawn after must not.
    random = Random(draft.token("stale", count))  # noqa: S311  choices, no secrets
    for shift in random.sample(range(1, 10), count):
        lines = draft.text[:limit].splitlines(keepends=True)
        if len(lines) > 2:  # noqa: PLR2004  enough to leave one out
            del lines[random.randrange(1, len(lines))]
        text = "".join(
            str((int(one) + shift) % 10) if one in "0123456789" else one
            for one in "".join(lines)
        )
        while text in taken:
            text = f"not {text}"
        taken.append(text)
    return taken[1:]


def companion(session: Interface, name: str, what: str) -> str:
    """Return the name that the account of `name` gives last for its `what`.

    Raises:
        BundleError: it gives none.
    """
    told = [
        found
        for one in session.ask("list", prefix=name).data["names"]
        if one["name"] == name
        for found in re.findall(
            rf"{re.escape(name)}\.{what}-[0-9a-f]{{4}}", one.get("about", "")
        )
    ]
    if not told:
        msg = f"what is told of {name} gives no {what}"
        raise BundleError(msg)
    return str(told[-1])
