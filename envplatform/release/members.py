"""What is in a release, and what was left out: one line each. Values, no files."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Kind = Literal["environment", "trajectory"]
Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
Reason = Literal[
    "not_gated",  # a check of the gate failed, or those it needs did not run
    "licence",  # it is not taken, or not known
    "held_out",  # it shares texts or its repository with a set of the user's
    "lost",  # its directory or its record is not in the store any more
    "damaged",  # it is not what its digest says, or can't be read
    "same_name",  # another environment has its name, and is in
    "parent_elsewhere",  # the environment it was made from is in another split
    "no_environment",  # its environment is not in the release
    "no_steps",  # the agent took no turn: nothing to learn from
    "unreadable",  # it is no conversation that others could read
]
"""Why a thing is not in the release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One environment or trajectory of a release."""

    kind: Kind
    """Which of the two tables has it."""
    id: str
    """Of an environment its id; of a trajectory its batch, a slash and its id."""
    digest: str
    """SHA-256 (hex) over all of it that is no time."""
    split: Split
    """The same for all of one descent."""
    environment_digest: str
    """Of the environment's bundle; of a trajectory that of where it took place."""
    asset: str
    """Name of the table that it was taken from."""
    partition: str
    """Of that table; empty where it has none."""
    revision: int
    """Of the recipe of that table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One environment or trajectory that is not in the release."""

    kind: Kind
    id: str
    reason: Reason
    detail: str
    """One line."""


def release_digest(
    members: Iterable[Member], left_out: Iterable[LeftOut], *, policy: str
) -> str:
    """SHA-256 (hex): equal for equal content, whatever order, time or table it is from.

    `policy`: digest of the settings that decided.
    """
    lines = [f"{one.kind} {one.split} {one.digest} {one.id}" for one in members]
    lines += [f"left out {one.kind} {one.reason} {one.id}" for one in left_out]
    digest = hashlib.sha256(f"release {policy}\n".encode())
    for line in sorted(lines):
        digest.update(json.dumps(line).encode() + b"\n")
    return digest.hexdigest()


def line_of(one: Member | LeftOut) -> bytes:
    """One line of JSON, in ASCII."""
    return json.dumps(asdict(one), sort_keys=True).encode() + b"\n"
