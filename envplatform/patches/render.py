"""`Patch` to text: header lines as they are kept, hunks line by line."""

from collections.abc import Iterable, Iterator

from envplatform.patches.model import FilePatch, Hunk, Patch
from envplatform.patches.parse import NO_NEWLINE


def render_patch(patch: Patch) -> str:
    """Print a diff. What `parse_patch` read comes out unchanged."""
    parts = [*patch.preamble, *render_files(patch.files), *patch.signature]
    return b"".join(parts).decode("utf-8", "surrogateescape")


def render_files(files: Iterable[FilePatch]) -> Iterator[bytes]:
    """Print the files' diffs, one piece after the other."""
    for file in files:
        yield from file.header
        for hunk in file.hunks:
            yield from _render_hunk(hunk)


def _render_hunk(hunk: Hunk) -> Iterator[bytes]:
    yield hunk.header
    for line in hunk.lines:
        text = line.content if line.bare else line.origin.encode() + line.content
        if text.endswith(b"\n"):
            yield text
        else:
            yield text + b"\n"
            yield NO_NEWLINE
