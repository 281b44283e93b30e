"""What models answer, as schemas: bounded, and of names that are safe anywhere."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from envplatform.cowork.roles import Role
from envplatform.user.plan import Fact, Signal

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
_PART = r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}(?:\.[A-Za-z0-9_-]{1,20}){0,3}"
View = Annotated[str, Field(pattern=rf"^{_PART}(?:/{_PART}){{0,3}}$")]
"""A path of names; none begins with a dot or has two in a row."""
Text = Annotated[str, Field(max_length=60_000)]
Line = Annotated[str, Field(min_length=1, max_length=400)]
Program = Annotated[str, Field(min_length=1, max_length=40_000)]
ColumnType = Literal[
    "TEXT",
    "INTEGER",
    "REAL",
    "TEXT NOT NULL",
    "INTEGER NOT NULL",
    "TEXT PRIMARY KEY",
    "INTEGER PRIMARY KEY",
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DocumentAnswer(_Part):
    """One text."""

    name: Name
    view: View
    about: Line
    text: Text
    kind: Literal["content", "key", "state", "schema"] = "content"


class FolderAnswer(_Part):
    """Texts by file name."""

    name: Name
    view: View
    about: Line
    files: Annotated[dict[View, Text], Field(min_length=1, max_length=100)]


class SheetAnswer(_Part):
    """One table of a store."""

    table: Name
    columns: Annotated[dict[Name, ColumnType], Field(min_length=1, max_length=40)]
    rows: Annotated[
        list[list[str | int | float | None]], Field(min_length=1, max_length=500)
    ]


class StoreAnswer(_Part):
    """Tables that are asked by SQL."""

    name: Name
    view: View
    about: Line
    sheets: Annotated[list[SheetAnswer], Field(min_length=1, max_length=8)]


class UserAnswer(_Part):
    """The user inside."""

    name: Line
    goal: Line
    facts: Annotated[list[Fact], Field(max_length=12)] = []
    signals: Annotated[list[Signal], Field(min_length=1, max_length=12)]
    opening: Annotated[str, Field(max_length=1_000)] = ""
    idle: Annotated[list[Line], Field(max_length=4)] = []


class BuilderAnswer(_Part):
    """Everything that a Builder makes."""

    instruction: Annotated[str, Field(min_length=40, max_length=6_000)]
    criteria: Annotated[dict[Name, Line], Field(min_length=2, max_length=8)]
    """What is scored, each with what it means."""
    parameters: dict[str, JsonValue] = {}
    """What the constructor may rely on beside instruction and documents."""
    documents: Annotated[list[DocumentAnswer], Field(max_length=20)] = []
    folders: Annotated[list[FolderAnswer], Field(max_length=4)] = []
    stores: Annotated[list[StoreAnswer], Field(max_length=3)] = []
    user: UserAnswer | None = None
    oracle: Program


class FaultAnswer(_Part):
    """One edit of the right answer, which must lower one criterion."""

    criterion: Name
    path: View
    old: Line
    """A text, not a pattern: it is replaced where it stands first."""
    new: Annotated[str, Field(max_length=400)]


class ConstructorAnswer(_Part):
    """Everything that a Verifier constructor makes."""

    verifier: Program
    faults: Annotated[list[FaultAnswer], Field(min_length=1, max_length=24)]


class ReviewFinding(_Part):
    """One thing that a reader finds wrong."""

    kind: Literal["ambiguous", "unbelievable", "leak", "inconsistent"]
    role: Role
    evidence: Line


class ReviewAnswer(_Part):
    """All that a reader finds; an empty list if it is fine."""

    findings: Annotated[list[ReviewFinding], Field(max_length=8)]
