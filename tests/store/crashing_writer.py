"""Program: write to copies of a store and die before the n-th change to the disk.

`python crashing_writer.py TEMPLATE FOLDER ACTION`: for n = 1, 2, ... copies TEMPLATE
to FOLDER/n and, in a child process that ends at once before its n-th audited file
operation, does ACTION. Stops at the first n for which the child got to its end.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from envplatform.store import Store
from tests.store.rows import ORIGIN, Named, Number

_CHANGES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock"}
_DIED = 77


def write(store: Store, source: Path) -> None:
    """Replace one table by 100 rows."""
    del source
    rows = [Number(value=number) for number in range(100)]
    store.write_rows("a", rows, row_type=Number, origin=ORIGIN, partition="p")


def stream(store: Store, source: Path) -> None:
    """Replace one table, in parts, by rows that come one after the other."""

    def rows() -> Iterator[Named]:
        for number in range(4):
            (source / "coming").touch()  # one more step at which to die
            yield Named(name=str(number), text="x" * 9_000_000)

    store.write_rows(
        "a",
        rows(),
        row_type=Named,
        origin=lambda: ORIGIN,
        partition="p",
        part_by="name",
    )


def put(store: Store, source: Path) -> None:
    """Store a directory."""
    store.put_directory("kind", "digest", source)


def remember(store: Store, source: Path) -> None:
    """Store a result."""
    del source
    store.results("stage").put("key", b"new")


def _die_before(number: int, home: Path) -> None:
    left = number

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _CHANGES and (
            event == "fcntl.flock" or str(home.parent.parent) in str(arguments[0])
        ):
            left -= 1
            if left == 0:
                os._exit(_DIED)

    sys.addaudithook(hook)


def main(template: Path, folder: Path, action: Callable[[Store, Path], None]) -> None:
    """Crash at every step in turn."""
    for number in count(1):
        home = folder / str(number)
        shutil.copytree(template, home)
        child = os.fork()
        if child == 0:
            _die_before(number, home)
            action(Store(home), template)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        if os.waitstatus_to_exitcode(status) != _DIED:
            sys.exit(f"the writer failed at step {number}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), globals()[sys.argv[3]])
