"""The lines of a diff before a file's first hunk: names and modes, checked.

Modes are read as git canonicalises them: a regular file is executable if its owner
may execute it. Renames, copies and rewrites are understood; how similar git found the
files carries no meaning. Everything else that git can say of a file is refused by
name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from envplatform.errors import PatchError, PatchFault
from envplatform.patches.model import Kind
from envplatform.patches.names import (
    fits_git_header,
    path_of,
    read_name,
    split_git_header,
)

_GIT = b"diff --git "
_DEV_NULL = b"/dev/null"
_BINARY = (b"GIT binary patch", b"Binary files ")
_MODES = (b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode ")
_MOVES = (b"rename from ", b"rename to ", b"copy from ", b"copy to ")
_SIMILARITY = re.compile(rb"(?:dis)?similarity index (?:[0-9]{1,2}|100)%\r?\n")
_KINDS: dict[str, tuple[str, PatchFault]] = {
    "120000": ("symbolic links are not taken", "symlink"),
    "160000": ("submodules are not taken", "submodule"),
    "040000": ("directories are not taken", "malformed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the lines before the first hunk say."""

    path: str
    source: str | None
    kind: Kind
    old_executable: bool | None
    new_executable: bool | None
    has_names: bool
    may_lack_hunks: bool
    """It says something even if no hunk follows: a mode, a new name."""
    end: int
    """Index of the line after the header."""


@dataclass(slots=True)
class _Lines:
    """The header's lines sorted out, not yet checked against each other."""

    where: str
    git_names: bytes | None = None
    """What follows `diff --git `; None if there is no such line."""
    modes: dict[bytes, bool] = field(default_factory=dict)
    moves: dict[bytes, bytes] = field(default_factory=dict)
    names: tuple[bytes, bytes] | None = None

    def fault(self, reason: str, fault: PatchFault = "malformed") -> PatchError:
        """Return the error that names this header."""
        label = ""
        if self.git_names is not None:
            name = split_git_header(self.git_names) or self.git_names
            label = repr(name.decode("utf-8", "backslashreplace")) + ": "
        return PatchError(f"{self.where}: {label}{reason}", fault=fault)


def starts_file(lines: Sequence[bytes], at: int) -> bool:
    """Tell whether a file's header begins at line `at`, outside of hunks."""
    return lines[at].startswith(_GIT) or is_pair(lines, at)


def is_pair(lines: Sequence[bytes], at: int) -> bool:
    """Tell whether line `at` is a `---` line with a `+++` line after it."""
    return (
        lines[at].startswith(b"--- ")
        and at + 1 < len(lines)
        and lines[at + 1].startswith(b"+++ ")
    )


def is_binary(line: bytes) -> bool:
    """Tell whether a line says that a binary file changes."""
    return line.startswith(_BINARY)


def read_header(lines: Sequence[bytes], at: int) -> Header:
    """Read the header that begins at `at`.

    Raises:
        PatchError: an unknown or refused line, or lines that contradict each other.
    """
    found, end = _Lines(f"line {at + 1} of the diff"), at
    if lines[at].startswith(_GIT):
        found.git_names = lines[at][len(_GIT) :].rstrip(b"\r\n")
        end += 1
        while end < len(lines) and _read_extended(found, lines[end]):
            end += 1
    if end < len(lines) and is_pair(lines, end):
        found.names = read_name(lines[end][4:]), read_name(lines[end + 1][4:])
        end += 2
    return _check(found, end)


def _read_extended(found: _Lines, line: bytes) -> bool:
    if line.startswith(b"index "):
        parts = line.split()
        if len(parts) == 3:  # noqa: PLR2004
            _read_mode(parts[2], found)
        return True
    if is_binary(line):
        reason = "binary changes are not taken"
        raise found.fault(reason, "binary")
    for prefix in _MODES:
        if line.startswith(prefix):
            _once(prefix, found.modes, found)
            found.modes[prefix] = _read_mode(line[len(prefix) :].strip(), found)
            return True
    for prefix in _MOVES:
        if line.startswith(prefix):
            _once(prefix, found.moves, found)
            found.moves[prefix] = read_name(line[len(prefix) :])
            return True
    return _SIMILARITY.fullmatch(line) is not None


def _once(
    prefix: bytes, seen: dict[bytes, bool] | dict[bytes, bytes], found: _Lines
) -> None:
    if prefix in seen:
        reason = f"`{prefix.decode()}` twice"
        raise found.fault(reason)


def _read_mode(mode: bytes, found: _Lines) -> bool:
    text = mode.decode("ascii", "backslashreplace")
    if text in _KINDS:
        raise found.fault(*_KINDS[text])
    permissions = text.removeprefix("100")
    if len(text) != 6 or permissions == text or not _is_octal(permissions):  # noqa: PLR2004
        reason = f"mode {text!r} is unknown"
        raise found.fault(reason)
    return bool(int(permissions, 8) & 0o100)


def _is_octal(text: str) -> bool:
    return all(digit in "01234567" for digit in text)


def _check(found: _Lines, end: int) -> Header:
    old, new = _moved(found) if found.moves else _kept(found)
    modes = found.modes
    path = new if new is not None else old
    if path is None:
        reason = "names no file"
        raise found.fault(reason)
    return Header(
        path=path_of(path),
        source=path_of(old) if found.moves and old is not None else None,
        kind=_kind(found, old, new),
        old_executable=modes.get(b"old mode ", modes.get(b"deleted file mode ")),
        new_executable=modes.get(b"new mode ", modes.get(b"new file mode ")),
        has_names=found.names is not None,
        may_lack_hunks=bool(modes or found.moves),
        end=end,
    )


def _kind(found: _Lines, old: bytes | None, new: bytes | None) -> Kind:
    by_mode = _kind_by_mode(found)
    if found.moves:
        if by_mode != "modify":
            reason = f"renamed or copied, and its modes say {by_mode}"
            raise found.fault(reason)
        return "copy" if b"copy to " in found.moves else "rename"
    if found.names is None:
        return by_mode
    by_name: Kind = "create" if old is None else "delete" if new is None else "modify"
    if found.git_names is not None and by_name != by_mode:
        reason = f"names say {by_name} and modes say {by_mode}"
        raise found.fault(reason)
    return by_name


def _kind_by_mode(found: _Lines) -> Kind:
    modes = set(found.modes)
    if modes == {b"new file mode "}:
        return "create"
    if modes == {b"deleted file mode "}:
        return "delete"
    if modes not in ({b"old mode ", b"new mode "}, set()):
        reason = "mode lines contradict each other"
        raise found.fault(reason)
    return "modify"


def _kept(found: _Lines) -> tuple[bytes | None, bytes | None]:
    """Names before and after, the same unless one is missing."""
    git = None if found.git_names is None else split_git_header(found.git_names)
    if found.names is None:
        if git is None:
            reason = "two names, and no `rename` or `copy` lines"
            raise found.fault(reason)
        return git, git
    old, new = _stripped_names(found, found.names)
    name = old if new is None else new
    if None not in (old, new) and old != new:
        reason = f"{old!r} and {new!r} differ; a rename needs `rename` lines"
        raise found.fault(reason)
    if name is not None and found.git_names is not None and git != name:
        reason = f"`diff --git` names {git!r}, `---`/`+++` {name!r}"
        raise found.fault(reason)
    return old, new


def _moved(found: _Lines) -> tuple[bytes, bytes]:
    """Names before and after a rename or copy."""
    for kind in (b"rename", b"copy"):
        if found.moves.keys() == {kind + b" from ", kind + b" to "}:
            old, new = found.moves[kind + b" from "], found.moves[kind + b" to "]
            break
    else:
        reason = "`rename` and `copy` lines come in pairs, one pair a file"
        raise found.fault(reason)
    if old == new:
        reason = "renamed or copied onto itself"
        raise found.fault(reason)
    if not fits_git_header(found.git_names or b"", old, new):
        reason = f"`diff --git` does not name {old!r} and {new!r}"
        raise found.fault(reason)
    if found.names and _stripped_names(found, found.names) != (old, new):
        reason = f"`---`/`+++` do not name {old!r} and {new!r}"
        raise found.fault(reason)
    return old, new


def _stripped_names(
    found: _Lines, names: tuple[bytes, bytes]
) -> tuple[bytes | None, bytes | None]:
    return _stripped(names[0], b"a/", found), _stripped(names[1], b"b/", found)


def _stripped(name: bytes, prefix: bytes, found: _Lines) -> bytes | None:
    if name == _DEV_NULL:
        return None
    if not name.startswith(prefix):
        reason = f"name {name!r} does not start with {prefix.decode()}"
        raise found.fault(reason)
    return name[len(prefix) :]
