"""What cowork environments are sorted by: dimensions, names, quotas. Data in taxonomy.toml.

Here: the names as types, and the file read strictly. Not here: what is there of each
(`coverage`).
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from envplatform.errors import ConfigError
from envplatform.toml_file import parse_toml

Scenario = Literal[
    "finance",
    "sales",
    "procurement",
    "people",
    "legal",
    "compliance",
    "projects",
    "calendars",
    "messaging",
    "research",
    "analysis",
    "software",
    "operations",
    "knowledge",
]
Capability = Literal[
    "retrieve",
    "cross_reference",
    "extract",
    "transform",
    "calculate",
    "reconcile",
    "summarise",
    "draft",
    "edit_in_place",
    "plan",
    "schedule",
    "classify",
    "detect_anomalies",
    "follow_policy",
    "recover_from_change",
    "ask_when_unclear",
    "report_honestly",
]
Artefact = Literal[
    "table", "document", "record", "message", "shared_resource", "plan", "code"
]
Pattern = Literal["single_turn", "dialogue", "patches"]
Horizon = Literal["short", "medium", "long"]
Verification = Literal["code", "code_and_judge"]

_FILE = "taxonomy.toml"
_NAMES: Mapping[str, frozenset[str]] = {
    "scenario": frozenset(get_args(Scenario)),
    "capability": frozenset(get_args(Capability)),
    "artefact": frozenset(get_args(Artefact)),
    "pattern": frozenset(get_args(Pattern)),
    "horizon": frozenset(get_args(Horizon)),
    "verification": frozenset(get_args(Verification)),
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Quotas(_Part):
    """Shares of all environments, 0 to 1, that should at least be there."""

    scenario: float = Field(ge=0, le=1)
    """Of each scenario."""
    capability: float = Field(ge=0, le=1)
    """With each capability."""
    multi_turn: float = Field(ge=0, le=1)
    """In which a user takes part."""
    patches_of_multi_turn: float = Field(ge=0, le=1)
    """Of these, in which the user changes the workspace."""


class Taxonomy(_Part):
    """Names of each dimension with what they mean."""

    version: int = Field(ge=1)
    quotas: Quotas
    scenario: dict[Scenario, str]
    capability: dict[Capability, str]
    artefact: dict[Artefact, str]
    pattern: dict[Pattern, str]
    horizon: dict[Horizon, str]
    verification: dict[Verification, str]


@cache
def taxonomy() -> Taxonomy:
    """Read the taxonomy that ships.

    Raises:
        ConfigError: it is no valid one, or names something that the types don't.
    """
    folder = resources.files("envplatform") / "cowork"
    found = parse_toml(Taxonomy, (folder / _FILE).read_text("utf-8"), source=_FILE)
    for dimension, names in _NAMES.items():
        missing = names - set(getattr(found, dimension))
        if missing:
            msg = f"{_FILE}: {dimension} lacks {', '.join(sorted(missing))}"
            raise ConfigError(msg)
    return found
