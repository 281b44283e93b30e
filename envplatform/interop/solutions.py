"""Solutions that come beside a set: one folder a task, named after it."""

from collections.abc import Iterable
from pathlib import Path

from envplatform.errors import BundleError
from envplatform.tree import Tree, read_tree


def check_solutions(folder: Path | None, known: Iterable[str]) -> None:
    """Refuse a folder that holds something for no task of the set.

    Raises:
        BundleError: names it, or there is no such folder.
    """
    if folder is None:
        return
    if not folder.is_dir():
        msg = f"{folder}: no folder of solutions"
        raise BundleError(msg)
    odd = sorted({path.name for path in folder.iterdir()} - set(known))
    if odd:
        msg = (
            f"{folder / odd[0]} is named after no task of the set; rename or remove it"
        )
        raise BundleError(msg)


def solution_of(folder: Path | None, task_id: str) -> Tree | None:
    """Return the files of a task's solution; None where there is none.

    Raises:
        TreeError: it holds a link or a device.
    """
    place = None if folder is None else folder / task_id
    return read_tree(place) if place is not None and place.is_dir() else None
