"""A diff turned around: what it adds is removed, what it removes is added.

For histories of which only the side after the fix is at hand. A text that only reads
leniently keeps its faults, so that the rung it needs is the same both ways.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from envplatform.errors import PatchError
from envplatform.patches.lenient import read_anyhow
from envplatform.patches.model import FilePatch, Hunk, Line, Origin, Patch
from envplatform.patches.names import check_path, quote_name
from envplatform.patches.parse import HUNK_HEADER
from envplatform.patches.render import git_line, mode_lines, name_lines, render_patch

_TURNED: dict[Origin, Origin] = {" ": " ", "-": "+", "+": "-"}


def reversed_patch(patch: str) -> str:
    """Return the diff that leads back, without prose, `index` lines and similarities.

    Raises:
        PatchError: the text can't be read as a diff, not even by its bodies; or it
            copies a file, which can't be said the other way round.
    """
    read, _ = read_anyhow(patch)
    turned = render_patch(Patch(files=tuple(_turn_file(file) for file in read.files)))
    return turned if patch.endswith("\n") else turned.removesuffix("\n")


def _turn_file(file: FilePatch) -> FilePatch:
    if file.kind == "copy":
        msg = f"{file.path}: a copy of {file.source} can't be turned around"
        raise PatchError(msg, fault="malformed")
    path, source = file.path, None
    kind = file.kind
    if file.source is not None:
        path, source = file.source, file.path
    elif kind != "modify":
        kind = "create" if kind == "delete" else "delete"
    turned = FilePatch(
        path=path,
        source=source,
        kind=kind,
        old_executable=file.new_executable,
        new_executable=file.old_executable,
        header=(),
        hunks=tuple(_turn_hunks(file.hunks)),
    )
    return replace(turned, header=tuple(_header(turned)))


def _header(file: FilePatch) -> Iterator[bytes]:
    new = check_path(file.path)
    old = new if file.source is None else check_path(file.source)
    was, is_now = file.old_executable, file.new_executable
    creates, deletes = file.kind == "create", file.kind == "delete"
    # Without `diff --git` a diff need not know the mode of a file it makes or deletes.
    if not (creates and is_now is None) and not (deletes and was is None):
        yield git_line(old, new)
        yield from _modes(file)
    if file.source is not None:
        yield from _move_lines(old, new)
    if file.hunks:
        yield from name_lines(None if creates else old, None if deletes else new)


def _modes(file: FilePatch) -> Iterable[bytes]:
    was, is_now = file.old_executable, file.new_executable
    return () if was is None and is_now is None else mode_lines(was, is_now)


def _move_lines(old: bytes, new: bytes) -> Iterable[bytes]:
    return b"rename from %s\n" % quote_name(old), b"rename to %s\n" % quote_name(new)


def _turn_hunks(hunks: Sequence[Hunk]) -> Iterator[Hunk]:
    moved = 0
    for hunk in hunks:
        yield _turn_hunk(hunk, moved)
        moved += len(hunk.new) - len(hunk.old)


def _turn_hunk(hunk: Hunk, moved: int) -> Hunk:
    """Turn one hunk; `moved` is by how many lines those before it shift the file.

    Where the new start does not follow from the old one, the old one is believed, as
    the ladder does, and the number that the ladder overlooks stays wrong by as much.
    """
    match = HUNK_HEADER.fullmatch(hunk.header)
    if match is None:
        msg = f"a hunk came to be with the header {hunk.header!r}"
        raise AssertionError(msg)
    start = hunk.old_start - bool(hunk.old) + moved + bool(hunk.new)
    error = hunk.new_start - start
    back = hunk.old_start + (error if hunk.old_start + error >= 0 else -error)
    counts = tuple(b"," + n if n is not None else b"" for n in match.group(4, 2))
    return Hunk(
        header=b"@@ -%d%s +%d%s @@\n" % (start, counts[0], back, counts[1]),
        old_start=start,
        new_start=back,
        lines=tuple(_turn_lines(hunk.lines)),
    )


def _turn_lines(lines: Sequence[Line]) -> Iterator[Line]:
    """Within each run of changes the removed lines come first again."""
    for is_context, run in groupby(lines, lambda line: line.origin == " "):
        if is_context:
            yield from run
            continue
        turned = [Line(_TURNED[line.origin], line.content) for line in run]
        yield from sorted(turned, key=lambda line: line.origin == "+")
