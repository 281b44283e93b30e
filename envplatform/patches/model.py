"""A diff as values. Says what a diff consists of; reading and applying live elsewhere.

Everything read from text is kept well enough to print the same bytes again: header
lines as they stood, counts, and whether an empty context line had its leading space.
"""

from dataclasses import dataclass
from typing import Literal

Origin = Literal[" ", "-", "+"]
"""Context, line of the old file only, line of the new file only."""


Kind = Literal["modify", "create", "delete", "rename", "copy"]
"""What happens to a file. A rename or copy may change it as well."""

Rung = Literal["strict", "recounted", "line_endings", "relocated"]
"""How much help a patch needed to apply, from none to most; see `ladder`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk."""

    origin: Origin
    content: bytes
    """With its LF, except for a last line of a file that has none."""
    bare: bool = False
    """An empty context line written without its leading space, as some tools do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One contiguous change with its context."""

    header: bytes
    """The `@@` line as it stood, with its LF."""
    old_start: int
    """First line in the old file, from 1; the line before it if `old` is empty."""
    new_start: int
    lines: tuple[Line, ...]

    @property
    def old(self) -> tuple[bytes, ...]:
        """Lines that the old file must have."""
        return tuple(line.content for line in self.lines if line.origin != "+")

    @property
    def new(self) -> tuple[bytes, ...]:
        """Lines that the new file will have."""
        return tuple(line.content for line in self.lines if line.origin != "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """What happens to one file."""

    path: str
    """Where the file is afterwards, or was if it is deleted."""
    source: str | None = None
    """Where a renamed or copied file was before; None for all others."""
    kind: Kind
    old_executable: bool | None
    """None: the diff does not say, or there is no old file."""
    new_executable: bool | None
    header: tuple[bytes, ...]
    """The lines before the first hunk as they stood, each with its LF."""
    hunks: tuple[Hunk, ...]
    """In file order; empty if only the mode changes or the file is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A whole diff."""

    files: tuple[FilePatch, ...]
    preamble: tuple[bytes, ...] = ()
    """Prose before the first file, a commit message; without meaning to us."""
    signature: tuple[bytes, ...] = ()
    """What `git format-patch` puts at the end: `-- ` and a version."""
