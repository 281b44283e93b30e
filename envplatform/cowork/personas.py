"""The library of personas: who asks for something, and who sits inside a workspace.

A persona is role, temper, habits and a few turns of phrase. It shapes words and decides
nothing: what a user knows and does is drawn by a family.
"""

import random
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from envplatform.toml_file import parse_toml

_FILE = "personas.toml"


class Persona(BaseModel):
    """One kind of person; the name comes with the environment."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    role: str
    temper: str
    habits: tuple[str, ...]
    greet: str
    """How a message begins; may be empty."""
    close: str
    """How it ends; may be empty."""
    ask: str = Field(pattern=r"\{task\}")
    mark: str = Field(pattern=r"\{it\}")

    def says(self, text: str) -> str:
        """Return `text` as this person writes it in a chat."""
        return " ".join(part for part in (self.greet, text, self.close) if part)

    def asks(self, task: str) -> str:
        """Return the beginning of a request for `task`, a whole sentence."""
        head, _, tail = self.ask.partition("{task}")
        begins = not head or head.rstrip().endswith((".", "?", "!"))
        asked = f"{head}{_capital(task) if begins else task}{tail}"
        goes_on = self.greet.endswith(",")
        return f"{self.greet} {asked if goes_on else _capital(asked)}".strip()

    def marks(self, it: str) -> str:
        """Return how this person points out `it`, a clause without a full stop."""
        text = _capital(it) if self.mark.startswith("{it}") else it
        return self.mark.replace("{it}", text) + "."


class _Library(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    persona: tuple[Persona, ...] = Field(min_length=1)


@cache
def personas() -> tuple[Persona, ...]:
    """Return all personas, in the order of the file.

    Raises:
        ConfigError: the file is no valid one.
    """
    folder = resources.files("envplatform") / "cowork"
    text = (folder / _FILE).read_text("utf-8")
    return parse_toml(_Library, text, source=_FILE).persona


def draw_persona(chance: random.Random) -> Persona:
    """Draw one."""
    return chance.choice(personas())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
