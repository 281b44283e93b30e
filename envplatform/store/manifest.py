"""What a stored table says of itself: content, origin, cost. Values and their JSON.

A manifest is the one pointer to a table's data file and the truth about lineage;
Dagster's tags are a projection of it. Where manifests lie on disk is not known here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    PlainSerializer,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from envplatform.errors import StoreError
from envplatform.store.values import digest_json, escape, unescape

FORMAT_VERSION: Final = 1

Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, AfterValidator(unescape), PlainSerializer(escape)]
"""Free text, which may quote bytes that are no UTF-8."""
Fact = Text | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What producing a table took."""

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """Return both together; seconds to a thousandth."""
        return Cost(
            tokens=self.tokens + other.tokens,
            usd=self.usd + other.usd,
            seconds=round(self.seconds + other.seconds, 3),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A table, or a source outside the graph, that went into another table."""

    asset: Text
    """Asset name; `source:<name>` for what no asset holds (a file, a service)."""
    partition: Text | None
    digest: str
    part: Text | None = None
    """Set if only the rows of one part were used: then `digest` is that of the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program or library whose version shapes the output."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All that decides a table's content. Equal recipes, equal rows."""

    inputs: tuple[Input, ...] = ()
    revision: int = 1
    """Raised by hand when the stage's code changes what it puts out."""
    config_digest: str = ""
    tools: tuple[Tool, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 (hex); the order of inputs and tools carries no meaning."""
        return digest_json(
            {
                "inputs": sorted(
                    [
                        part.asset,
                        part.partition is None,
                        part.partition or "",
                        part.digest,
                        *([] if part.part is None else [part.part]),
                    ]
                    for part in self.inputs
                ),
                "revision": self.revision,
                "config": self.config_digest,
                "tools": sorted([tool.name, tool.version] for tool in self.tools),
            }
        )


def tools_of(versions: Mapping[str, str]) -> tuple[Tool, ...]:
    """Return tool values, sorted by name, from name to version."""
    return tuple(Tool(name=name, version=versions[name]) for name in sorted(versions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How a table came to be, as its writer tells it."""

    created: datetime
    """With time zone."""
    recipe: Recipe = Recipe()
    cost: Cost = Cost()
    earlier: Cost = Cost()
    """What the versions of the table that this one replaces took, all together."""
    run_id: str = ""
    """Dagster run; empty outside of one."""
    notes: tuple[Text, ...] = ()
    """Fallbacks in effect, one sentence each."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Figures for a person, shown in the UI."""
    markdown: Mapping[str, Text] = field(default_factory=dict)
    """Small tables and pictures for a person, by title."""


def _zoned(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        msg = "must have a time zone"
        raise ValueError(msg)
    return moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One version of one table. The data file is `<file_sha256>.parquet` beside it."""

    format_version: int
    asset: Text
    partition: Text | None
    """None for an unpartitioned asset."""
    row_type: str
    schema_version: int
    rows: int
    bytes: int
    """Size of the data file."""
    digest: Hex
    """Identity of the content: row type, order and values. Same rows, same digest."""
    file_sha256: Hex
    """Of the data file's bytes: tells damage, and differs between Parquet writers."""
    recipe: Recipe
    cost: Cost
    created: Annotated[datetime, AfterValidator(_zoned)]
    run_id: str
    notes: tuple[Text, ...]
    facts: Mapping[str, Fact]
    markdown: Mapping[str, Text]
    part_by: str = ""
    """Text column by whose values the rows are sorted into parts; empty: no parts."""
    parts: Mapping[Text, Hex] = field(default_factory=dict)
    """Value of that column to the digest of its rows."""
    earlier: Cost = Cost()
    """As in `Origin`; nothing in manifests that were written before it was counted."""

    @property
    def data_file(self) -> str:
        """Name of the data file."""
        return f"{self.file_sha256}.parquet"

    @property
    def as_input(self) -> Input:
        """This version as the input of another table."""
        return Input(asset=self.asset, partition=self.partition, digest=self.digest)

    def part_as_input(self, part: str) -> Input | None:
        """One part of this version as an input; None if no row belongs to it."""
        digest = self.parts.get(part)
        if digest is None:
            return None
        return Input(
            asset=self.asset, partition=self.partition, digest=digest, part=part
        )

    def is_input(self, used: Input) -> bool:
        """Whether this version, or the part of it, is the one that was used."""
        return used in {self.as_input, self.part_as_input(used.part or "")}


_MANIFEST = TypeAdapter(Manifest)


def to_json(manifest: Manifest) -> bytes:
    """Return the manifest's file content, which ends in a newline."""
    return _MANIFEST.dump_json(manifest, indent=1) + b"\n"


def read_manifest(path: Path) -> Manifest | None:
    """Read a manifest; None if there is none.

    Raises:
        StoreError: the file is damaged or of a later format.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        manifest = _MANIFEST.validate_json(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "(file)"
        msg = (
            f"{path} is no manifest of format {FORMAT_VERSION}: {where}:"
            f" {problem['msg']}; delete it and materialise the asset again"
        )
        raise StoreError(msg) from error
    if manifest.format_version != FORMAT_VERSION:
        msg = (
            f"{path} has format {manifest.format_version}, this version of envplatform"
            f" reads {FORMAT_VERSION}: upgrade it"
        )
        raise StoreError(msg)
    return manifest


def combined_digest(manifests: Iterable[Manifest]) -> str:
    """One digest for several versions: that of a single one, else over them all."""
    entries = sorted([each.partition or "", each.digest] for each in manifests)
    return entries[0][1] if len(entries) == 1 else digest_json(entries)
