r"""File names in diff headers: git's C-style quoting, prefixes, and what is refused.

Git writes a name in double quotes if it holds a control character, a quote, a
backslash or a byte above 126, as `"a/caf\303\251.py"`. Names with blanks stay
unquoted, which makes `diff --git` lines ambiguous; see `split_git_header`.
"""

import re

from envplatform.errors import PatchError
from envplatform.tree import TreeError, checked_path

_LETTERS = {
    7: b"\\a",
    8: b"\\b",
    9: b"\\t",
    10: b"\\n",
    11: b"\\v",
    12: b"\\f",
    13: b"\\r",
    34: b'\\"',
    92: b"\\\\",
}
_BYTES = {escape[1:]: code for code, escape in _LETTERS.items()}
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-3][0-7]{2})', re.DOTALL)
_QUOTED = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_PLAIN = re.compile(rb"[ !#-\[\]-~]*")
_FIRST_PRINTABLE, _LAST_PRINTABLE = 32, 126
_SHOWN_BYTES = 120
_MAX_PATH_BYTES = 4096
"""What POSIX systems take. The folders above a path have lengths that add up to its
square.
"""


def quote_name(name: bytes) -> bytes:
    """Write `name` as git does: in quotes only where it must be."""
    if _PLAIN.fullmatch(name):
        return name
    encoded = b"".join(_quote_byte(code) for code in name)
    return name if encoded == name else b'"' + encoded + b'"'


def _quote_byte(code: int) -> bytes:
    if code in _LETTERS:
        return _LETTERS[code]
    if _FIRST_PRINTABLE <= code <= _LAST_PRINTABLE:
        return bytes([code])
    return b"\\%03o" % code


def unquote_name(quoted: bytes) -> bytes:
    """Read a name that stands in double quotes.

    Raises:
        PatchError: no closing quote, or an escape that git does not write.
    """
    match = _QUOTED.fullmatch(quoted)
    if match is None:
        msg = f"file name {_show(quoted)} has no closing quote"
        raise PatchError(msg, fault="malformed")
    body = match.group(1)
    if b"\\" in _ESCAPE.sub(b"", body):
        msg = f"file name {_show(quoted)} holds an unknown escape"
        raise PatchError(msg, fault="malformed")
    return _ESCAPE.sub(lambda found: _unescape(found.group(1)), body)


def _unescape(escape: bytes) -> bytes:
    return bytes([_BYTES[escape] if escape in _BYTES else int(escape, 8)])


def read_name(text: bytes) -> bytes:
    """Read the name on a `---` or `+++` line; a time stamp after a tab is dropped."""
    if text.startswith(b'"'):
        match = _QUOTED.match(text)
        return unquote_name(match.group(0) if match else text)
    return text.split(b"\t", 1)[0].rstrip(b"\r\n")


def split_git_header(names: bytes) -> bytes | None:
    """Return the one name of `a/NAME b/NAME`, or None if the halves differ.

    Both halves have one length unless the file is renamed, so that a name with
    blanks, even with ` b/` in it, is found without guessing.
    """
    if names.startswith(b'"'):
        match = _QUOTED.match(names)
        if match is None:
            return None
        first, rest = match.group(0), names[match.end() :]
        if not rest.startswith(b' "'):
            return None
        old, new = unquote_name(first), unquote_name(rest[1:])
    else:
        middle = len(names) // 2
        old, new = names[:middle], names[middle + 1 :]
        if names[middle : middle + 1] != b" ":
            return None
    if old[:2] != b"a/" or new[:2] != b"b/" or old[2:] != new[2:]:
        return None
    return old[2:]


def fits_git_header(names: bytes, old: bytes, new: bytes) -> bool:
    """Tell whether `a/OLD b/NEW` can be written as `names`; for renames and copies.

    Two different names with blanks can't be told apart in general. Both are known from
    the `rename` lines here, so that the other way round is enough.
    """
    return any(
        first + b" " + second == names
        for first in _spellings(b"a/" + old)
        for second in _spellings(b"b/" + new)
    )


def _spellings(name: bytes) -> tuple[bytes, bytes]:
    """With `core.quotePath` and without: then bytes above 126 stay as they are."""
    plain = b"".join(
        bytes([code]) if code > _LAST_PRINTABLE + 1 else _quote_byte(code)
        for code in name
    )
    return quote_name(name), name if plain == name else b'"' + plain + b'"'


def path_of(name: bytes) -> str:
    """Return the tree path of a name whose `a/` or `b/` is already gone.

    Raises:
        PatchError: absolute, escaping, or inside git's own folder.
    """
    path = name.decode("utf-8", "surrogateescape")
    check_path(path)
    return path


def check_path(path: str) -> bytes:
    """Return the bytes of `path`, if a diff may touch it.

    Raises:
        PatchError: absolute, escaping, not encodable, or inside git's own folder.
    """
    try:
        encoded = path.encode("utf-8", "surrogateescape")
        if len(encoded) > _MAX_PATH_BYTES:
            msg = (
                f"a path of {len(encoded):,} bytes; at most {_MAX_PATH_BYTES:,} are "
                f"taken"
            )
            raise PatchError(msg, fault="path")
        checked_path(path)
    except (TreeError, UnicodeEncodeError) as error:
        msg = f"{path!r}: a diff may not touch this path: {error}"
        raise PatchError(msg, fault="path") from error
    if any(part.lower() == ".git" for part in path.split("/")):
        msg = f"{path!r}: a diff may not touch git's own folder"
        raise PatchError(msg, fault="path")
    return encoded


def _show(name: bytes) -> str:
    return ascii(name[:_SHOWN_BYTES].decode("utf-8", "backslashreplace"))
