"""`envplatform export --format FORMAT --to DIR`: what is stored, as others read it.

DIR appears whole or not at all. One row that can't be written costs no other: it is
named, and counted.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import (
    OF_BUGS,
    OF_COWORK,
    OF_LINEAGES,
    OF_SEEDS,
    stored_rows,
)
from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_place
from envplatform.interop.atif.write import write_documents
from envplatform.interop.chat.write import write_lines
from envplatform.interop.exporting import Exported, whole_folder
from envplatform.interop.harbor.write import write_tasks
from envplatform.interop.stored_trajectories import stored_trajectories
from envplatform.interop.swebench.write import write_task_repository
from envplatform.interop.verifiers.write import write_taskset
from envplatform.release.shelf import shelf_of
from envplatform.rollout.choosing import matching
from envplatform.store import Store

Format = Literal["harbor", "swebench", "verifiers", "atif", "chat"]
_OF_ENVIRONMENTS = {
    "harbor": write_tasks,
    "swebench": write_task_repository,
    "verifiers": write_taskset,
}
_OF_TRAJECTORIES = {"atif": write_documents, "chat": write_lines}
_SHOWN = 20


def export(
    format_: Annotated[Format, typer.Option("--format", help="Of what is written.")],
    to: Annotated[Path, typer.Option(help="Folder to make; must not exist yet.")],
    select: Annotated[
        str,
        typer.Option(help="SQL condition over environments; else all are taken."),
    ] = "",
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Write environments, or what agents did in them, in a format of others."""
    with clear_errors(as_json=as_json):
        store = Store(find_place(config).home)
        shelf_of(store).check_clear_of(to)
        with whole_folder(to) as folder:
            told = _write(format_, store, _fitting(store, select), folder)
    report = {
        "format": format_,
        "to": str(to.absolute()),
        "written": told.written,
        "left_out": told.left_out,
    }
    answer(report, as_json=as_json, show=lambda console: _show(console, to, told))


def _fitting(store: Store, select: str) -> Collection[str] | None:
    """Digests of the environments that are meant; None: all."""
    if not select:
        return None
    plain = (OF_BUGS, OF_SEEDS, OF_COWORK)
    return matching(store, select, plain=plain, nested=OF_LINEAGES)


def _write(
    format_: Format, store: Store, fitting: Collection[str] | None, folder: Path
) -> Exported:
    """Write all that fits.

    Raises:
        ExportError: that is nothing.
    """
    told = Exported()
    if format_ in _OF_ENVIRONMENTS:
        rows = _environments(store, fitting)
        _OF_ENVIRONMENTS[format_](store, rows, folder, told)
        told.check("environment")
    else:
        trajectories = stored_trajectories(store, fitting, told)
        _OF_TRAJECTORIES[format_](trajectories, folder, told)
        told.check("trajectory")
    return told


def _environments(
    store: Store, fitting: Collection[str] | None
) -> tuple[EnvironmentRow, ...]:
    """Each once, by name."""
    rows = {row.digest: row for row in stored_rows(store)}
    found = [row for row in rows.values() if fitting is None or row.digest in fitting]
    return tuple(sorted(found, key=lambda row: (row.environment_id, row.digest)))


def _show(console: Console, to: Path, told: Exported) -> None:
    say(console, f"wrote {told.written} to {to}, left out {len(told.left_out)}")
    for one in told.left_out[:_SHOWN]:
        say(console, f"  {one.name}: {one.reason}")
    if len(told.left_out) > _SHOWN:
        say(console, f"  and {len(told.left_out) - _SHOWN} more; --json names all")
