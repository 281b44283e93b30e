"""Rows of the library: what was kept, what was refused, how each source fared."""

from dataclasses import dataclass, field
from typing import Literal

from envplatform.store import NOT_IDENTITY

Kind = Literal["table", "document", "code"]
ColumnType = Literal["text", "int", "decimal", "date"]
"""`date` is ISO 8601, with or without a time of day."""

Refusal = Literal[
    "no_licence",
    "licence_unknown",
    "licence_refused",
    "source_failed",
    "link",
    "unsound",
    "empty",
    "too_large",
    "too_wide",
    "binary",
    "mixed_encodings",
    "control_characters",
    "malformed",
    "nested",
    "geographic",
    "not_a_table",
    "no_such_kind",
]
"""Why something is not in the library: nothing states a licence; what states one can't be
told; the licence is not among those taken; the source can't be had; a link or device; a
compressed file that is no sound one of a single file; no content; over a limit in bytes,
or in columns; no text; more than one encoding; characters that steer terminals or hide
text; no table or text of its kind; values within values; shapes on a map; JSON that is no
list of objects; a file of no kind that the library has.
"""

SourceKind = Literal["pypi", "npm", "git", "folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRow:
    """One column of a table, measured over the rows kept."""

    name: str
    """Not empty, no two alike in a table."""
    type: ColumnType
    """Of all its values; `text` where they differ, or where there are none."""
    null_share: float
    """Of rows without a value, 0 to 1."""
    distinct: int
    """Different values, None not counted."""
    minimum: str | None
    """Least value, by number or date where the type is one; None without values."""
    maximum: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """One file of the library, as it is kept."""

    resource_id: str
    """`<source>/<path>`."""
    source: str
    version: str
    """Of a package; of a git repository the commit; empty for a folder."""
    path: str
    """In the source, as it came."""
    kind: Kind
    licence: str
    """SPDX expression; `LicenseRef-Public-Domain` and the like where SPDX has no name."""
    licence_source: str
    """Where that is stated."""
    attribution: str
    """Whom to name; empty if nobody asks for it."""
    digest: str
    """SHA-256 (hex) of the content kept: UTF-8, `\\n`; tables as CSV with a header."""
    source_digest: str
    """SHA-256 (hex) of the file as it came."""
    pack: str
    """Digest of the stored directory `resource_packs` that holds the content."""
    bytes: int
    """Of the content kept."""
    rows: int
    """Kept, without the header; lines of what is no table."""
    rows_read: int
    """Rows that the file has; more than `rows` where it was thinned out."""
    stride: int
    """Of a table: each row that is kept, and the next, are so far apart in the file."""
    columns: tuple[ColumnRow, ...]
    """Empty for what is no table."""
    encoding: str
    """Of the file as it came."""
    notes: tuple[str, ...] = ()
    """What was changed on the way in, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedResource:
    """Something that a source has and the library does not."""

    source: str
    version: str
    path: str
    """Empty: the source as a whole."""
    reason: Refusal
    detail: str
    """What was found, and where it can be helped what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """How one source fared."""

    source: str
    kind: SourceKind
    version: str
    kept: int
    refused: int
    not_asked: int
    """Files that the list of the source does not ask for."""
    bytes: int
    """Of all contents kept."""
    seconds: float = field(metadata=NOT_IDENTITY)
    """To fetch and read it; 0 where an earlier result served."""
