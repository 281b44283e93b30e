"""`analyse`: both sides of a fix in, everything that filters and samplers ask out."""

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from envplatform.swe.fixes.analysis.change import changed_lines, code_patches
from envplatform.swe.fixes.analysis.digests import (
    change_digest,
    code_digest,
    git_blob,
)
from envplatform.swe.fixes.analysis.edits import Edit, edits_of
from envplatform.swe.fixes.analysis.ngrams import ngrams_of_lines, pack_ngrams
from envplatform.swe.fixes.analysis.paths import SortedPaths, sort_paths
from envplatform.swe.fixes.analysis.same_code import same_statements, same_tokens
from envplatform.swe.fixes.analysis.shingles import ALGORITHM, signature
from envplatform.swe.fixes.analysis.source import Source, read_source
from envplatform.swe.fixes.analysis.tokens import context_tokens
from envplatform.swe.fixes.bug_types.classify import REVISION as CLASSIFYING
from envplatform.swe.fixes.bug_types.classify import BugTypeVerdict, classify_parsed
from envplatform.swe.fixes.bug_types.source import FileChange, source_of
from envplatform.swe.fixes.refusal import REJECTIONS
from envplatform.swe.fixes.reverse_patch import Analysis
from envplatform.swe.fixes.sides import Sides
from envplatform.tree import tree_digest

REVISION = 2
"""Raised whenever equal sides get another `Analysis`, but for the bug type."""

_READ = frozenset({"parsed", "absent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _CodeFile:
    path: str
    fixed: Source
    buggy: Source

    @property
    def states(self) -> frozenset[str]:
        return frozenset({self.fixed.state, self.buggy.state})


def analysis_digest(sides: Sides) -> str:
    """SHA-256 (hex) of all that an analysis depends on: both sides and ourselves.

    Whether a file parses depends on the Python that runs.
    """
    parts = (
        f"{REVISION} {CLASSIFYING} {ALGORITHM} {sys.version_info[:2]}",
        tree_digest(sides.buggy),
        tree_digest(sides.fixed),
        sides.bug_patch,
    )
    text = "\n".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def analyse(sides: Sides) -> Analysis:
    """Describe one reverse patch. Depends on bytes alone, and on no threshold.

    Raises:
        PatchError: `bug_patch` is no diff; a `Sides` that was made has one.
    """
    paths = sort_paths(sides.buggy, sides.fixed)
    files = [
        _CodeFile(
            path=path,
            fixed=read_source(sides.fixed.get(path)),
            buggy=read_source(sides.buggy.get(path)),
        )
        for path in paths.code
    ]
    diffs = code_patches(sides.bug_patch, frozenset(paths.code))
    lines = [changed_lines(diff) for diff in diffs]
    edits = _edits(files)
    verdict = _verdict(files)
    fixed = [file for file in files if file.fixed.state != "absent"]
    buggy = [file for file in files if file.buggy.state != "absent"]
    return Analysis(
        code_paths=paths.code,
        test_paths=paths.test,
        other_paths=tuple(sorted(paths.other + paths.generated + paths.excluded)),
        flags=_flags(paths, files, edits),
        changed_lines=sum(len(line.added) + len(line.removed) for line in lines),
        hunks=sum(len(diff.hunks) for diff in diffs),
        context_tokens=context_tokens(file.fixed.data for file in fixed),
        bug_type=verdict.bug_type,
        bug_evidence=verdict.evidence,
        fixed_blobs=tuple(git_blob(file.fixed.data) for file in fixed),
        buggy_blobs=tuple(git_blob(file.buggy.data) for file in buggy),
        change_digest=change_digest(diffs) if files else "",
        code_digest=_code_digest(edits),
        minhash=signature(lines),
        ngrams=pack_ngrams(ngrams_of_lines(lines)),
    )


def _edits(files: Sequence[_CodeFile]) -> list[Edit] | None:
    """Changed statements of all files; None if not every side parses."""
    if any(file.states - _READ for file in files):
        return None
    try:
        return [edit for file in files for edit in edits_of(file.fixed, file.buggy)]
    except (RecursionError, ValueError):
        return None


def _code_digest(edits: Sequence[Edit] | None) -> str:
    try:
        return code_digest(edits) if edits else ""
    except (RecursionError, ValueError):
        return ""


def _verdict(files: Sequence[_CodeFile]) -> BugTypeVerdict:
    try:
        return classify_parsed([_classified(file) for file in files])
    except ValueError:  # a number of more digits than Python writes out
        return BugTypeVerdict(bug_type="other", evidence=("too_long",))


def _classified(file: _CodeFile) -> FileChange:
    """Both sides; neither if one is there and was not parsed: no side is missing."""
    if file.states - _READ:
        return FileChange(path=file.path, buggy=None, fixed=None)
    fixed, buggy = (
        source_of(side.data, side.module) if side.module else None
        for side in (file.fixed, file.buggy)
    )
    return FileChange(path=file.path, buggy=buggy, fixed=fixed)


def _flags(
    paths: SortedPaths, files: Sequence[_CodeFile], edits: Sequence[Edit] | None
) -> tuple[str, ...]:
    states = frozenset[str]().union(*(file.states for file in files))
    left_out = bool(paths.generated or paths.excluded)
    holds = {
        "no_code": not (paths.code or paths.test or left_out),
        "test_only": bool(paths.test) and not (paths.code or left_out),
        "same_code": bool(files) and _is_same(files, edits),
        "generated": bool(paths.generated) and not paths.code,
        "excluded_path": bool(paths.excluded) and not paths.code,
        "does_not_parse": "does_not_parse" in states,
        "incomplete_hunk": any(_is_incomplete(file) for file in files),
        "over_context": "too_large" in states,
        "not_utf8": "not_utf8" in states,
    }
    return tuple(code for code in REJECTIONS if holds.get(code, False))


def _is_same(files: Sequence[_CodeFile], edits: Sequence[Edit] | None) -> bool:
    try:
        if edits is not None:
            return same_statements(edits)
    except (RecursionError, ValueError):
        return False
    return all(
        same_tokens(file.fixed, file.buggy) for file in files if file.fixed.text
    ) and not any(file.states & {"not_utf8", "too_large", "absent"} for file in files)


def _is_incomplete(file: _CodeFile) -> bool:
    """Whether a side is absent or blank, or the other one cut off inside a line."""
    short, long = sorted((file.fixed.data, file.buggy.data), key=len)
    if "absent" in file.states or not short.strip():
        return True
    rest = long.removeprefix(short)
    return long.startswith(short) and not (
        short.endswith((b"\n", b"\r")) or rest.startswith((b"\n", b"\r"))
    )
