"""From one tree to another as shell commands, the way an agent edits: lines that differ.

Pure. Small, so that what is trained on them is about the change and not about files.
"""

import base64
import shlex
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from envplatform.tree import File, Tree

_PIECE_BYTES = 60_000
"""Of one command, before base64."""
_COMPARED_LINES = 2_000
"""Of the part that differs; a longer one is replaced as a whole."""
_END = "END"


class _Edit(NamedTuple):
    """Lines `start` to `end`, from 0, give way to others."""

    start: int
    end: int
    lines: Sequence[str]


def commands_of(before: Tree, after: Tree) -> Iterator[str]:
    """Yield commands that turn `before` into `after`, one or more a file."""
    for path in sorted(set(before) - set(after)):
        yield f"rm -f {_word(path)}"
    for path, file in sorted(after.items()):
        known = before.get(path)
        if known is None or known.data != file.data:
            yield from _changing(path, known, file)
        was_executable = known is not None and known.executable
        if file.executable != was_executable:
            yield f"chmod {'+' if file.executable else '-'}x {_word(path)}"


def _changing(path: str, known: File | None, file: File) -> Iterator[str]:
    old = None if known is None else _text(known.data)
    new = _text(file.data)
    short = None
    if new is not None:
        short = _written(path, new) if known is None else _edited(path, old, new)
    if short is not None and len(short.encode()) <= _PIECE_BYTES:
        yield short
    else:
        yield from _copied(path, file.data)


def _written(path: str, text: str) -> str | None:
    """Write a new file as it reads; None where a shell could not."""
    lines = text.split("\n")
    if lines[-1] or _END in lines or "\0" in text or "\r" in text:
        return None
    return f"{_folder(path)}cat > {_word(path)} <<'{_END}'\n{text}{_END}"


def _edited(path: str, old: str | None, new: str) -> str | None:
    """Replace lines of a file; None where all of it changes."""
    if old is None:
        return None
    changes = [
        f"lines[{edit.start}:{edit.end}] = [{_quoted(edit.lines)}]"
        for edit in reversed(list(_edits(old.split("\n"), new.split("\n"))))
    ]
    program = (
        f"path = {path!a}",
        "with open(path, encoding='utf-8', newline='') as file:",
        "    lines = file.read().split('\\n')",
        *changes,
        "with open(path, 'w', encoding='utf-8', newline='') as file:",
        "    file.write('\\n'.join(lines))",
    )
    return "\n".join((f"python3 - <<'{_END}'", *program, _END))


def _edits(old: Sequence[str], new: Sequence[str]) -> Iterator[_Edit]:
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    first, last = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(first), len(last)) > _COMPARED_LINES:
        yield _Edit(head, head + len(first), last)
        return
    matcher = SequenceMatcher(None, first, last, autojunk=False)
    for how, start, end, at, until in matcher.get_opcodes():
        if how != "equal":
            yield _Edit(head + start, head + end, last[at:until])


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Count lines from the first on that are equal."""
    pairs = zip(old, new, strict=False)
    shorter = min(len(old), len(new))
    return next((n for n, (a, b) in enumerate(pairs) if a != b), shorter)


def _quoted(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return "\n" + "".join(f"    {line!a},\n" for line in lines)


def _copied(path: str, data: bytes) -> Iterator[str]:
    """Write a file of any kind, in pieces."""
    for start in range(0, max(1, len(data)), _PIECE_BYTES):
        coded = base64.b64encode(data[start : start + _PIECE_BYTES]).decode()
        how = ">>" if start else ">"
        command = f"echo {coded} | base64 -d {how} {_word(path)}"
        yield command if start else f"{_folder(path)}{command}"


def _word(path: str) -> str:
    """Return a path as one word of the shell that is no option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _folder(path: str) -> str:
    folder = path.rpartition("/")[0]
    return f"mkdir -p {_word(folder)} && " if folder else ""


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
