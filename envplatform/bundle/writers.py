"""Which models wrote a task: its own, and those of all that it was made of.

A child keeps the goal of its parent, so whoever wrote that goal has written hers too.
Refusing such a model as a solver is not done here.
"""

from collections.abc import Mapping

from envplatform.bundle.environment import Lineage

WRITERS = "writers"
"""Key of an origin: names of the ancestors' models, one a line."""


def writers_of(lineage: Lineage) -> tuple[str, ...]:
    """Return their names, ancestors' first, each once; empty where none took part."""
    inherited = lineage.origin.get(WRITERS, "").split("\n")
    own = (lineage.origin.get("issue_model"), lineage.model)
    return tuple(dict.fromkeys(name for name in (*inherited, *own) if name))


def handed_down(lineage: Lineage) -> Mapping[str, str]:
    """Return the origin of what is made of an environment: its own, with its writers."""
    names = writers_of(lineage)
    return {**lineage.origin, **({WRITERS: "\n".join(names)} if names else {})}
