"""Finding what a person names: an environment by folder, id or digest; a candidate.

A name may be shortened as long as it stays unique. Nothing is run here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from envplatform.bundle import Environment, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.place import Place, find_any_place, find_place
from envplatform.configuration import ABLATIONS
from envplatform.errors import StoreError
from envplatform.grading.kept import DIRECTORY_KIND, kept_environment
from envplatform.res.rows import LevelRow
from envplatform.store import Store

T = TypeVar("T")

OF_BUGS = "swe_environments"
OF_SEEDS = "seed_environments"
OF_COWORK = "cowork_environments"
OF_LINEAGES = ("res_lineages", "res_ablations")
_SHOWN = 5

EnvironmentName = Annotated[
    str,
    typer.Argument(help="A folder, or an id or digest (a unique start will do)."),
]


def is_folder(name: str) -> bool:
    """Whether `name` means a folder, not an id or digest: those hold no slash."""
    return "/" in name or Path(name, "task.toml").is_file()


def place_for(config: Path | None, name: str) -> Place:
    """Where to work on the environment `name`; one in a folder needs no project.

    Raises:
        ConfigError: the configuration is wrong, or nothing says where the store is.
    """
    return find_any_place(config) if is_folder(name) else find_place(config)


def stored_rows(store: Store) -> Iterator[EnvironmentRow]:
    """All published environments, asset by asset; levels without their roots, once each."""
    for asset in (OF_BUGS, OF_SEEDS, OF_COWORK):
        yield from store.all_rows(EnvironmentRow, asset)
    for level in stored_levels(store):
        yield level.environment


def stored_levels(store: Store) -> Iterator[LevelRow]:
    """Children of all lineages; those that ablations have too are told of once."""
    for asset in OF_LINEAGES:
        for level in store.all_rows(LevelRow, asset):
            if level.level and (
                asset == OF_LINEAGES[0] or level.ablation != "composed"
            ):
                yield level


def is_level(row: EnvironmentRow) -> bool:
    """Whether it was grown from a seed: seeds themselves are made by no operator."""
    return not row.repository and bool(row.operator)


def table_of(row: EnvironmentRow) -> tuple[str, str]:
    """Asset and partition of a stored row: of its repository, its shard or its seed."""
    if row.repository:
        return OF_BUGS, row.repository
    if row.family and not is_level(row):
        return OF_COWORK, row.candidate_id.rpartition(".n")[0].rpartition(".s")[2]
    if is_level(row):
        stem = row.environment_id.rpartition(".level")[0]
        is_ablated = stem.endswith(tuple(f".{one}" for one in ABLATIONS))
        return OF_LINEAGES[is_ablated], row.candidate_id
    return OF_SEEDS, row.candidate_id


def find_row(store: Store, name: str) -> EnvironmentRow:
    """Find a stored environment's row by id, digest or seed, or a unique start of these.

    Several seeds may be one environment; then any of their rows.

    Raises:
        StoreError: none or several fit; the message lists some.
    """
    by_digest: dict[str, list[EnvironmentRow]] = {}
    for row in stored_rows(store):
        by_digest.setdefault(row.digest, []).append(row)
    found = find_one(
        by_digest.values(),
        name,
        names=lambda rows: [name for row in rows for name in _names(row)],
        what="environment",
    )
    return found[0]


def _names(row: EnvironmentRow) -> tuple[str, ...]:
    """Return what a row is called by; that it was made of a bug is no name of it."""
    of_seed = () if row.repository or is_level(row) else (row.candidate_id,)
    return (row.environment_id, row.digest, *of_seed)


def find_environment(store: Store, name: str) -> tuple[Environment, Path]:
    """Read and verify an environment: a folder's path, else as `find_row`.

    Raises:
        StoreError: none or several fit.
        BundleError: it is not what its digest says.
    """
    if is_folder(name):
        return read_environment(Path(name)), Path(name)
    row = find_row(store, name)
    return kept_environment(store, row), store.directory(DIRECTORY_KIND, row.digest)


def find_one(
    rows: Iterable[T], name: str, *, names: Callable[[T], Sequence[str]], what: str
) -> T:
    """Return the one row that is called `name`, else the one whose name starts so.

    Args:
        rows: where to look.
        name: a name or its start.
        names: all names of a row, the one for people first.
        what: the kind of row, for the error.

    Raises:
        StoreError: there is none, or more than one; lists some that there are.
    """
    all_rows = list(rows)
    exact = [row for row in all_rows if name in names(row)]
    starts = [
        row for row in all_rows if any(each.startswith(name) for each in names(row))
    ]
    found = exact or starts
    if len(found) == 1:
        return found[0]
    known = sorted(names(row)[0] for row in found or all_rows)
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    listed = ", ".join(known[:_SHOWN]) + more
    if found:
        msg = f"{len(found)} {what}s start with {name!r}: {listed}"
    elif known:
        msg = f"no {what} {name!r} is stored; there are {listed}"
    else:
        msg = f"no {what} {name!r} is stored, nor any other; `envplatform demo` makes some"
    raise StoreError(msg)
