"""Identities: of files as git has it, of a change exactly, of a change in its shape."""

import hashlib
from collections.abc import Iterable, Sequence

from envplatform.patches import FilePatch, Patch, render_patch
from envplatform.swe.fixes.analysis.code_text import CodeWriter
from envplatform.swe.fixes.analysis.edits import Edit

MIN_NODES = 40
"""Of both sides together, below which equal shapes mean nothing."""


def git_blob(data: bytes) -> str:
    """Return the id, SHA-1 hex, that git gives a file of these bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def change_digest(files: Iterable[FilePatch]) -> str:
    """SHA-256 (hex) of the diffs of code files as they are printed."""
    text = render_patch(Patch(files=tuple(files)))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def code_digest(edits: Sequence[Edit]) -> str:
    """SHA-256 (hex) of changed functions and statements, names and constants numbered.

    Empty if they are so small that the shape says nothing. Raises: as
    `CodeWriter.write`.
    """
    writer = CodeWriter(numbered=True)
    for edit in edits:
        writer.write(edit.fixed)
        writer.write(edit.buggy)
    if writer.nodes < MIN_NODES:
        return ""
    return hashlib.sha256(writer.text().encode("utf-8", "replace")).hexdigest()
