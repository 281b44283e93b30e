"""Finding what a person names: an environment by folder, id or digest; a candidate.

A name may be shortened as long as it stays unique. Nothing is run here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from envplatform.bundle import Environment, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import StoreError
from envplatform.store import Store

T = TypeVar("T")

ENVIRONMENTS = "swe_environments"
DIRECTORY_KIND = "environments"
_SHOWN = 5


def find_row(store: Store, name: str) -> EnvironmentRow:
    """Find a stored environment's row by id or digest, or a unique start of either.

    Raises:
        StoreError: none or several fit; the message lists some.
    """
    rows = store.all_rows(EnvironmentRow, ENVIRONMENTS)
    exact = [row for row in rows if name in {row.environment_id, row.digest}]
    starts = [
        row
        for row in rows
        if row.environment_id.startswith(name) or row.digest.startswith(name)
    ]
    return only_one(
        exact or starts,
        what=f"environment {name!r}",
        known=[row.environment_id for row in starts or rows],
    )


def find_environment(store: Store, name: str) -> tuple[Environment, Path]:
    """Read and verify an environment: a folder's path, else as `find_row`.

    Raises:
        StoreError: none or several fit.
        BundleError: it is not what its digest says.
    """
    folder = Path(name)
    if (folder / "task.toml").is_file():
        return read_environment(folder), folder
    row = find_row(store, name)
    folder = store.directory(DIRECTORY_KIND, row.digest)
    return read_environment(folder, digest=row.digest), folder


def only_one(found: Sequence[T], *, what: str, known: Sequence[str]) -> T:
    """Return the single item of `found`.

    Raises:
        StoreError: there is none, or more than one; lists some of `known`.
    """
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} fit" if found else "there is none"
    listed = ", ".join(sorted(known)[:_SHOWN]) or "nothing is stored yet"
    msg = f"{what}: {problem}; for example: {listed}"
    raise StoreError(msg)
