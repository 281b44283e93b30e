"""The lines of a diff before a file's first hunk: names and modes, checked.

Modes are read as git canonicalises them: a regular file is executable if its owner
may execute it. Everything else that git can say of a file is refused by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from envplatform.errors import PatchError
from envplatform.patches.names import path_of, read_name, split_git_header

_GIT = b"diff --git "
_DEV_NULL = b"/dev/null"
_REFUSED = {
    b"rename ": "renames are not taken; delete and create instead",
    b"copy ": "copies are not taken; create instead",
    b"similarity index ": "renames and copies are not taken; delete and create instead",
    b"dissimilarity index ": "rewrites marked by a dissimilarity index are not taken",
    b"GIT binary patch": "binary changes are not taken",
    b"Binary files ": "binary changes are not taken",
}
_MODES = (b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode ")
_KINDS = {
    "120000": "symbolic links are not taken",
    "160000": "submodules are not taken",
    "040000": "directories are not taken",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the lines before the first hunk say."""

    path: str
    kind: Literal["modify", "create", "delete"]
    old_executable: bool | None
    new_executable: bool | None
    has_names: bool
    has_modes: bool
    end: int
    """Index of the line after the header."""


@dataclass(slots=True)
class _Lines:
    """The header's lines sorted out, not yet checked against each other."""

    git_name: bytes | None = None
    modes: dict[bytes, bool] = field(default_factory=dict)
    names: tuple[bytes, bytes] | None = None


def starts_file(lines: Sequence[bytes], at: int) -> bool:
    """Tell whether a file's header begins at line `at`, outside of hunks."""
    if lines[at].startswith(_GIT):
        return True
    pair = lines[at : at + 2]
    return len(pair) == 2 and _is_pair(pair)  # noqa: PLR2004


def _is_pair(pair: Sequence[bytes]) -> bool:
    return pair[0].startswith(b"--- ") and pair[1].startswith(b"+++ ")


def read_header(lines: Sequence[bytes], at: int) -> Header:
    """Read the header that begins at `at`.

    Raises:
        PatchError: an unknown or refused line, or lines that contradict each other.
    """
    found, where = _Lines(), f"line {at + 1} of the diff"
    is_git = lines[at].startswith(_GIT)
    end = at
    if is_git:
        found.git_name = split_git_header(lines[at][len(_GIT) :].rstrip(b"\r\n"))
        end += 1
        while end < len(lines) and _read_extended(found, lines[end], where):
            end += 1
    if end + 1 < len(lines) and _is_pair(lines[end : end + 2]):
        found.names = read_name(lines[end][4:]), read_name(lines[end + 1][4:])
        end += 2
    return _check(found, is_git=is_git, end=end, where=where)


def _read_extended(found: _Lines, line: bytes, where: str) -> bool:
    for prefix, reason in _REFUSED.items():
        if line.startswith(prefix):
            msg = f"{where}: {_label(found)}: {reason}"
            raise PatchError(msg)
    if line.startswith(b"index "):
        parts = line.split()
        if len(parts) == 3:  # noqa: PLR2004
            _read_mode(parts[2], f"{where}: {_label(found)}")
        return True
    for prefix in _MODES:
        if line.startswith(prefix):
            if prefix in found.modes:
                msg = f"{where}: {_label(found)}: `{prefix.decode()}` twice"
                raise PatchError(msg)
            mode = line[len(prefix) :].strip()
            found.modes[prefix] = _read_mode(mode, f"{where}: {_label(found)}")
            return True
    return False


def _read_mode(mode: bytes, where: str) -> bool:
    text = mode.decode("ascii", "backslashreplace")
    if text in _KINDS:
        msg = f"{where}: {_KINDS[text]}"
        raise PatchError(msg)
    permissions = text.removeprefix("100")
    if len(text) != 6 or permissions == text or not _is_octal(permissions):  # noqa: PLR2004
        msg = f"{where}: mode {text!r} is unknown"
        raise PatchError(msg)
    return bool(int(permissions, 8) & 0o100)


def _is_octal(text: str) -> bool:
    return all(digit in "01234567" for digit in text)


def _label(found: _Lines) -> str:
    return repr((found.git_name or b"?").decode("utf-8", "backslashreplace"))


def _check(found: _Lines, *, is_git: bool, end: int, where: str) -> Header:
    name, by_name = _name_and_kind(found, where)
    by_mode = _kind_by_mode(found, where)
    if is_git and found.names and by_name != by_mode:
        msg = f"{where}: {name!r}: names say {by_name} and modes say {by_mode}"
        raise PatchError(msg)
    kind = by_name if found.names else by_mode
    modes = found.modes
    old = modes.get(b"old mode ", modes.get(b"deleted file mode "))
    new = modes.get(b"new mode ", modes.get(b"new file mode "))
    return Header(
        path=path_of(name),
        kind=kind,
        old_executable=old,
        new_executable=new,
        has_names=found.names is not None,
        has_modes=bool(modes),
        end=end,
    )


def _kind_by_mode(found: _Lines, where: str) -> Literal["modify", "create", "delete"]:
    modes = set(found.modes)
    if modes == {b"new file mode "}:
        return "create"
    if modes == {b"deleted file mode "}:
        return "delete"
    if modes not in ({b"old mode ", b"new mode "}, set()):
        msg = f"{where}: {_label(found)}: mode lines contradict each other"
        raise PatchError(msg)
    return "modify"


def _name_and_kind(
    found: _Lines, where: str
) -> tuple[bytes, Literal["modify", "create", "delete"]]:
    if found.names is None:
        if found.git_name is None:
            msg = f"{where}: two names; renames are not taken"
            raise PatchError(msg)
        return found.git_name, "modify"
    old, new = found.names
    if old == new == _DEV_NULL:
        msg = f"{where}: names no file"
        raise PatchError(msg)
    old_name, new_name = _stripped(old, b"a/", where), _stripped(new, b"b/", where)
    name = old_name if new_name is None else new_name
    if name is None or (None not in (old_name, new_name) and old_name != new_name):
        msg = f"{where}: {old!r} and {new!r} differ; renames are not taken"
        raise PatchError(msg)
    if found.git_name not in (None, name):
        msg = f"{where}: `diff --git` names {found.git_name!r}, `---`/`+++` {name!r}"
        raise PatchError(msg)
    if old_name is None:
        return name, "create"
    return name, "delete" if new_name is None else "modify"


def _stripped(name: bytes, prefix: bytes, where: str) -> bytes | None:
    if name == _DEV_NULL:
        return None
    if not name.startswith(prefix):
        msg = f"{where}: name {name!r} does not start with {prefix.decode()}"
        raise PatchError(msg)
    return name[len(prefix) :]
