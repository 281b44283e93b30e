"""`FixInstance`, the one schema that every source of fixes is brought to."""

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A source distribution on a package index that holds one side of a fix."""

    project: str
    """Name on the index."""
    version: str
    sha256: str
    """Of the archive, hex; without it nothing is fetched."""
    holds: Literal["fixed", "buggy"]
    prefix: str = ""
    """What the release puts before the repository's paths, as `src/`; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersions:
    """Both versions of one file, for sources that carry them."""

    path: str
    before: str | None
    """Buggy text, UTF-8 with `surrogateescape`; None: the fix creates the file."""
    after: str | None
    """Fixed text; None: the fix deletes the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixInstance:
    """One published fix: where the defective files are, and what mends them."""

    SCHEMA_VERSION: ClassVar[int] = 1

    instance_id: str
    """As published; unique in the corpus. Made of letters, digits and `._-+@`."""
    source: str
    """Name of the configured source that it came from first."""
    repository: str
    """`owner__name`, the key of its `fix_repo` partition."""
    origin: Literal["git", "release", "inline"]
    """Where the files are: in a history, in a release, or in `versions` below."""
    base_commit: str
    """Lower-case hex id, 7 to 64 digits, of the commit that `patch` applies to; empty
    unless `origin` is git.
    """
    fix_commit: str = ""
    """Lower-case hex; empty where unknown."""
    release: Release | None = None
    """Set exactly where `origin` is release."""
    versions: tuple[FileVersions, ...] = ()
    """Set exactly where `origin` is inline; by path."""
    patch: str
    """As published, UTF-8 with `surrogateescape`; may be malformed or empty."""
    patch_makes: Literal["fix", "bug"] = "fix"
    """What `patch` makes of the files at `base_commit`. `bug` (SWE-smith): they are the
    correct side, and the patch, applied forward, gives the defective one.
    """
    test_patch: str = ""
    """Change of the tests as published; empty where the source has none."""
    problem_statement: str = ""
    """Issue text, pull request title or commit message; empty if there is none."""
    created_at: str = ""
    """UTC, `YYYY-MM-DDTHH:MM:SSZ`; empty where unknown."""
    licence: str = ""
    """SPDX identifier of the repository; empty where unknown."""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    """Test names as published; empty: the source names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinedRow:
    """One row of a source that could not be brought to the schema."""

    source: str
    row: str
    """Where it stands: `FILE, row N`, `FILE, line N`, a folder or a commit."""
    instance_id: str
    """Empty if the row has none that can be read."""
    reason: str
    """Code from `refusal.QUARANTINE`."""
    detail: str
    """Field and value, and what was expected."""
