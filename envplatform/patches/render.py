"""`Patch` to text: header lines as they are kept, hunks line by line.

Also how header lines are spelled when there is no text to keep them from: as git does.
"""

from collections.abc import Iterable, Iterator

from envplatform.patches.model import Hunk, Patch
from envplatform.patches.names import quote_name
from envplatform.patches.parse import NO_NEWLINE


def render_patch(patch: Patch) -> str:
    """Print a diff. What `parse_patch` read comes out unchanged."""
    parts = [*patch.preamble]
    for file in patch.files:
        parts += file.header
        for hunk in file.hunks:
            parts += _render_hunk(hunk)
    parts += patch.signature
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _render_hunk(hunk: Hunk) -> Iterator[bytes]:
    yield hunk.header
    for line in hunk.lines:
        text = line.content if line.bare else line.origin.encode() + line.content
        if text.endswith(b"\n"):
            yield text
        else:
            yield text + b"\n"
            yield NO_NEWLINE


def git_line(old: bytes, new: bytes) -> bytes:
    """Spell the line that begins a file."""
    return b"diff --git %s %s\n" % (quote_name(b"a/" + old), quote_name(b"b/" + new))


def name_lines(old: bytes | None, new: bytes | None) -> Iterable[bytes]:
    """Spell the `---` and `+++` lines; None: there is no such file."""
    return (
        _name_line(b"---", None if old is None else b"a/" + old),
        _name_line(b"+++", None if new is None else b"b/" + new),
    )


def _name_line(mark: bytes, name: bytes | None) -> bytes:
    if name is None:
        return mark + b" /dev/null\n"
    # Git ends a name that has blanks with a tab, lest a time stamp be read into it.
    tab = b"\t" if b" " in name and quote_name(name) == name else b""
    return mark + b" " + quote_name(name) + tab + b"\n"


def mode_lines(old: bool | None, new: bool | None) -> list[bytes]:  # noqa: FBT001
    """Spell what happens to the executable bit; None: there is no such file."""
    if old is None:
        return [b"new file mode " + _mode(new)]
    if new is None:
        return [b"deleted file mode " + _mode(old)]
    if old == new:
        return []
    return [b"old mode " + _mode(old), b"new mode " + _mode(new)]


def _mode(executable: bool | None) -> bytes:  # noqa: FBT001
    return b"100755\n" if executable else b"100644\n"
