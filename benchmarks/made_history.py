"""A git repository with fixes in its history, made the same way every time.

About the size of a small library: 600 files, 3 MB, one fix and two other commits in
turn. Checkouts of real projects are mostly larger, so what is measured on this one
flatters nobody.
"""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

FILES = 600
_LINES = 120
_FIRST_SECOND = 1_600_000_000
_OTHER_COMMITS = 2
_OTHER_FILES = 6


def make_history(folder: Path, *, fixes: int, seed: int = 0) -> None:
    """Make a bare repository in `folder` with so many fix commits, each with a test."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    rng = random.Random(seed)  # noqa: S311  no secret
    subprocess.run(
        ["git", f"--git-dir={folder}", "fast-import", "--quiet"],
        input=b"".join(_stream(rng, fixes)),
        check=True,
    )
    subprocess.run(
        ["git", f"--git-dir={folder}", "symbolic-ref", "HEAD", "refs/heads/main"],
        check=True,
    )


def _stream(rng: random.Random, fixes: int) -> Iterator[bytes]:
    paths = [
        f"src/library/part{number % 23:02}/module{number:03}.py"
        for number in range(FILES)
    ]
    first = "def work(compute: object) -> None:\n"
    files = {path: [first, *(_line(rng) for _ in range(_LINES))] for path in paths}
    yield from _commit(0, "Begin", files)
    for number in range(fixes * (_OTHER_COMMITS + 1)):
        is_fix = number % (_OTHER_COMMITS + 1) == 0
        changed = rng.sample(paths, 1 if is_fix else _OTHER_FILES)
        for path in changed:
            for _ in range(3):
                files[path][1 + rng.randrange(_LINES)] = _line(rng)
        now = {path: files[path] for path in changed}
        if is_fix:
            now[f"tests/test_case{number % 40:02}.py"] = [f"assert {number}\n"]
        yield from _commit(
            number + 1, f"Fix wrong result #{number}" if is_fix else "Tidy up", now
        )


def _line(rng: random.Random) -> str:
    return f"    value_{rng.randrange(9999)} = compute({rng.randrange(10**9)})\n"


def _commit(number: int, message: str, files: dict[str, list[str]]) -> Iterator[bytes]:
    who = f"committer A Writer <writer@example.org> {_FIRST_SECOND + number} +0000"
    text = message.encode()
    yield f"commit refs/heads/main\n{who}\ndata {len(text)}\n".encode() + text + b"\n"
    for path, lines in files.items():
        data = "".join(lines).encode()
        yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
