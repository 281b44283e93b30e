"""Rows of `reverse_patches`, `curated_reverse_patches` and `bug_training_set`."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from envplatform.swe.fixes.bug_type import BugType


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFile:
    """One changed code file, on the correct side."""

    path: str
    fixed: str | None
    """Correct text, UTF-8 with `surrogateescape`; None: the bug deletes nothing but
    creates the file, as the fix had deleted it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What one reverse patch is, whatever the thresholds. Depends on bytes alone."""

    code_paths: tuple[str, ...] = ()
    """Changed Python files that are neither tests, generated nor excluded, sorted."""
    test_paths: tuple[str, ...] = ()
    other_paths: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """Codes of `refusal.REJECTIONS` that hold without any threshold, in its order."""
    changed_lines: int = 0
    """Lines added plus removed, code files only."""
    hunks: int = 0
    """In code files."""
    context_tokens: int = 0
    """Estimated tokens of the correct code files; see `analysis.tokens`."""
    bug_type: BugType = "other"
    bug_evidence: tuple[str, ...] = ()
    """Names of the rules that spoke for the bug type, strongest first."""
    fixed_blobs: tuple[str, ...] = ()
    """Git blob ids (SHA-1 hex) of the code files, correct side, by path."""
    buggy_blobs: tuple[str, ...] = ()
    change_digest: str = ""
    """SHA-256 (hex) of paths and code part of the bug patch."""
    code_digest: str = ""
    """SHA-256 (hex) of the change with names and constants normalised; empty if a side
    does not parse, or the change is too small for its shape to mean anything.
    """
    minhash: str = ""
    """Signature over 5-token shingles of the changed lines; empty for short changes. See
    `analysis.shingles`.
    """
    ngrams: str = ""
    """Hashes of 13-grams of changed lines; see `analysis.ngrams`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversePatch:
    """One instance turned around, or the reason why it was not."""

    SCHEMA_VERSION: ClassVar[int] = 1

    instance_id: str
    source: str
    repository: str
    licence: str
    created_at: str
    refusal: str
    """Code from `refusal.REFUSALS`; empty: reversed and round-tripped."""
    detail: str
    """What exactly was refused; empty if nothing was."""
    rung: str
    """Rung of the patch ladder that the published patch needed; empty if refused."""
    bug_patch: str
    """Fresh canonical diff from the correct to the defective files, all files."""
    code: tuple[CodeFile, ...]
    """The correct code files, by path: the input of a bug inducer."""
    analysis: Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseFacts:
    """`ReversePatch` without its texts, for those who go through all of them."""

    VIEW_OF: ClassVar[type] = ReversePatch

    instance_id: str
    source: str
    repository: str
    licence: str
    created_at: str
    refusal: str
    rung: str
    analysis: Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedPatch:
    """The verdict on one reverse patch that was made."""

    SCHEMA_VERSION: ClassVar[int] = 1

    instance_id: str
    source: str
    repository: str
    licence: str
    rejection: str
    """First code of `refusal.REJECTIONS` that applies; empty: kept."""
    detail: str
    """Figure and limit, or the instance that it repeats; empty if kept."""
    duplicate_of: str
    """Instance that it repeats, also where duplicates are only marked; else empty."""
    bug_type: BugType
    context_tokens: int
    changed_lines: int
    code_files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRow:
    """One row of supervision: correct files in, bug-inducing diff out."""

    SCHEMA_VERSION: ClassVar[int] = 1

    instance_id: str
    repository: str
    licence: str
    split: Literal["train", "validation"]
    """By repository: one never stands on both sides."""
    bug_type: BugType
    context_tokens: int
    code: tuple[CodeFile, ...]
    bug_patch: str
    """Fresh canonical diff from correct to defective, code files only."""
