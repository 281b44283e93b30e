"""Both making roles without a model: a family draws, and its own programs are laid beside.

The two programs of a family were written apart; here as well the constructor's part is
made from a VerifierView alone.
"""

import json
import random
from collections.abc import Mapping, Sequence
from importlib import resources

from envplatform.cowork.blueprint import Blueprint, seed_of
from envplatform.cowork.family import Brief, Family, VerifierView
from envplatform.cowork.library import Library
from envplatform.cowork.personas import personas
from envplatform.cowork.roles import (
    Builder,
    Built,
    Finding,
    RoleError,
    Verifier,
    VerifierConstructor,
)
from envplatform.cowork.words import Names
from envplatform.errors import EnvPlatformError
from envplatform.tree import File
from envplatform.workspace.fault import check_faults

PARAMETERS = "parameters.json"


class ProceduralBuilder(Builder):
    """Draws from a family. Revising is drawing again, with other chance."""

    def __init__(self, families: Mapping[str, Family], library: Library) -> None:
        self._families = families
        self._library = library
        self._rounds: dict[str, int] = {}

    async def build(self, blueprint: Blueprint, findings: Sequence[Finding]) -> Built:
        """See the base class."""
        del findings
        round_ = self._rounds.get(blueprint.blueprint_id, -1) + 1
        self._rounds[blueprint.blueprint_id] = round_
        family = self._families[blueprint.family]
        try:
            return draw(family, blueprint, self._library, attempt=round_)
        except (EnvPlatformError, ValueError) as error:
            what = f"{family.name}: {error}"
            raise RoleError(what, role="builder") from error


class ProceduralConstructor(VerifierConstructor):
    """Lays down a family's verifier with the parameters of the specification."""

    revises = False

    def __init__(self, family: Family) -> None:
        self._family = family

    async def construct(
        self, view: VerifierView, findings: Sequence[Finding]
    ) -> Verifier:
        """See the base class."""
        del findings
        return construct(self._family, view)


def draw(
    family: Family, blueprint: Blueprint, library: Library, *, attempt: int = 0
) -> Built:
    """Draw one environment's Builder part; the same arguments, the same bytes.

    Raises:
        EnvPlatformError: what was drawn does not hold.
        ValueError: a word list is used up, or a plan refers to what is not there.
    """
    seed = (
        seed_of(blueprint.cowork_seed, blueprint.number, attempt)
        if attempt
        else blueprint.seed
    )
    chance = random.Random(seed)  # noqa: S311  reproducible, not secret
    persona = next(one for one in personas() if one.id == blueprint.persona)
    brief = Brief(chance=chance, names=Names(chance), persona=persona, library=library)
    specification = family.specify(brief)
    build = family.build(brief, specification)
    oracle = {
        "oracle.py": program(family, "oracle.py"),
        PARAMETERS: _parameters(specification.parameters),
    }
    return Built(specification=specification, build=build, oracle=oracle)


def construct(family: Family, view: VerifierView) -> Verifier:
    """Return a family's verifier for what a constructor may see."""
    faults = family.faults(view)
    check_faults(faults, view.specification.criteria)
    files = {
        "verifier.py": program(family, "verifier.py"),
        PARAMETERS: _parameters(view.specification.parameters),
    }
    return Verifier(files=files, faults=faults)


def program(family: Family, name: str) -> File:
    """Return a program of a family, as it is laid into environments."""
    folder = resources.files("envplatform.cowork") / "families" / family.name
    return File((folder / name).read_bytes())


def _parameters(parameters: Mapping[str, object]) -> File:
    return File(json.dumps(parameters, indent=1, sort_keys=True).encode() + b"\n")
