"""`envplatform release make|verify|diff|push|hashes`: immutable data sets for others.

What a release is stands in `envplatform/release`; here it is asked for and shown.
"""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.output import (
    ANSWER_IS_NO,
    Json,
    Progress,
    answer,
    clear_errors,
    say,
)
from envplatform.cli.place import ConfigOption, find_any_place, find_place
from envplatform.errors import ConfigError, StoreError
from envplatform.store import Store

release_app = typer.Typer(
    name="release",
    help="Make, check, compare and give away immutable data sets.",
    no_args_is_help=True,
)
_SHOWN = 20
_EVERY = 100

Version = Annotated[
    str, typer.Argument(help="A version such as v1, or the folder of a release.")
]


@release_app.command()
def make(config: ConfigOption = None, *, as_json: Json = False) -> None:
    """Release what is stored, as table `release` has it; the same is released once."""
    # Imported in each command: all others start without them.
    from envplatform.release.gathering import stored_inputs  # noqa: PLC0415
    from envplatform.release.making import make as made_of  # noqa: PLC0415

    with clear_errors(as_json=as_json):
        place = find_place(config)
        store, told = Store(place.home), Progress()

        def progress(done: int, total: int) -> None:
            if done % _EVERY == 0 or done == total:
                told(f"{done} of {total} environments")

        made = made_of(
            store,
            stored_inputs(store),
            place.configuration.release,
            created=datetime.now(UTC),
            told=progress,
        )
    counts = made.release.counts
    report = {
        "version": f"v{made.release.version}",
        "is_new": made.is_new,
        "folder": str(made.folder),
        "digest": made.release.digest,
        "counts": counts,
        "left_out": made.ledger.left_out,
        "notes": made.release.notes,
    }
    lines = [
        f"v{made.release.version} "
        + ("made" if made.is_new else "has the same content: nothing was made"),
        f"{made.folder}",
        (
            f"{counts.environments} environments, {counts.trajectories} trajectories, "
            f"{counts.left_out} left out"
        ),
        *made.release.notes,
        *_some(
            [f"  {one.id}: {one.reason}, {one.detail}" for one in made.ledger.left_out]
        ),
    ]
    answer(report, as_json=as_json, show=lambda console: _say(console, lines))


@release_app.command()
def verify(
    version: Annotated[
        str, typer.Argument(help="A version, or a folder; else all that are kept.")
    ] = "",
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Digest every file of releases again; each that is damaged is named."""
    from envplatform.release.shelf import shelf_of  # noqa: PLC0415
    from envplatform.release.verifying import damages  # noqa: PLC0415

    with clear_errors(as_json=as_json):
        if version:
            folders = [_folder(version, config)]
        else:
            shelf = shelf_of(Store(find_place(config).home))
            folders = [shelf.root / f"v{one}" for one in shelf.versions]
            if not folders:
                msg = f"no release is kept in {shelf.root}; make one first"
                raise StoreError(msg)
        found = {str(folder): damages(folder) for folder in folders}
    bad = any(found.values())
    lines = [
        line
        for folder, wrong in found.items()
        for line in (
            f"{folder}: {'damaged' if wrong else 'whole'}",
            *_some([f"  {one.path} {one.what}" for one in wrong]),
        )
    ]
    report = {"whole": not bad, "releases": found}
    answer(report, as_json=as_json, show=lambda console: _say(console, lines))
    if bad:
        raise typer.Exit(ANSWER_IS_NO)


@release_app.command()
def diff(
    old: Version, new: Version, config: ConfigOption = None, *, as_json: Json = False
) -> None:
    """Say what was added, removed and changed, and by which table's recipe."""
    from envplatform.release.differing import difference  # noqa: PLC0415

    with clear_errors(as_json=as_json):
        found = difference(_folder(old, config), _folder(new, config))
    lines = [
        (
            f"{len(found.added)} added, {len(found.removed)} removed, "
            f"{len(found.changed)} changed"
        ),
        *_some([f"+ {one.kind} {one.id} ({one.split})" for one in found.added]),
        *_some([f"- {one.kind} {one.id} ({one.split})" for one in found.removed]),
        *_some(
            [f"~ {one.kind} {one.id}: {one.what}, {one.where}" for one in found.changed]
        ),
    ]
    report = {
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "changed_by_table": found.by_table,
    }
    answer(report, as_json=as_json, show=lambda console: _say(console, lines))


@release_app.command()
def push(
    version: Version,
    to: Annotated[Path, typer.Option(help="Folder to make; must not exist yet.")],
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Copy a release into a folder that `datasets.load_dataset` reads."""
    from envplatform.release.pushing import push as pushed_to  # noqa: PLC0415
    from envplatform.release.shelf import shelf_of  # noqa: PLC0415

    with clear_errors(as_json=as_json):
        shelf_of(Store(find_any_place(config).home)).check_clear_of(to)
        release = pushed_to(_folder(version, config), to)
    report = {
        "version": f"v{release.version}",
        "to": str(to.absolute()),
        "files": len(release.files) + 1,
        "bytes": sum(one.bytes for one in release.files.values()),
    }
    lines = [f"copied v{release.version} to {to}, {report['files']} files"]
    answer(report, as_json=as_json, show=lambda console: _say(console, lines))


@release_app.command()
def hashes(
    source: Annotated[
        Path,
        typer.Argument(help="Parquet, JSON, JSONL, text or diff file, or a folder."),
    ],
    to: Annotated[Path, typer.Option(help="Where to write the hashes.")],
    name: Annotated[
        str | None, typer.Option(help="Of the set; else that of the file.")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Hash a benchmark's texts, so that no release shares any; tells nobody what they say."""
    from envplatform.release.hashing import as_set, hash_texts  # noqa: PLC0415
    from envplatform.swe.fixes.curation.hash_file import (  # noqa: PLC0415
        write_held_out,
    )

    with clear_errors(as_json=as_json):
        if to.is_dir() or not to.absolute().parent.is_dir():
            msg = f"--to {to}: name a file in a folder that exists"
            raise ConfigError(msg)
        if to.exists() and source.exists() and to.samefile(source):
            msg = f"--to {to} is the benchmark itself: name another file"
            raise ConfigError(msg)
        found = hash_texts(source)
        called = name or _set_name(source)
        write_held_out(as_set(found, called), to)
    report = {
        "file": str(to.absolute()),
        "rows": found.rows,
        "repositories": len(found.repositories),
        "grams": len(found.grams),
        "unread": found.unread,
        "broken": found.broken,
    }
    lines = [
        f"wrote {to}: {found.rows} rows, {len(found.grams)} runs of words",
        *_some([f"  no diff, hashed as text: {one}" for one in found.unread]),
        *_some([f"  not held out, {one}" for one in found.broken]),
        "name it in [release] held_out_files",
    ]
    answer(report, as_json=as_json, show=lambda console: _say(console, lines))


def _set_name(source: Path) -> str:
    """Return the name of a file as sets may be called."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", source.absolute().name.split(".")[0])
    return plain.strip("._-")[:100] or "set"


def _folder(version: str, config: Path | None) -> Path:
    """Where a release lies: a folder as it is, a version on the shelf of the project."""
    from envplatform.release.shelf import shelf_of, version_of  # noqa: PLC0415

    if "/" in version or Path(version, "release.json").is_file():
        return Path(version)
    place = find_any_place(config)
    return shelf_of(Store(place.home)).folder(version_of(version))


def _some(lines: list[str]) -> list[str]:
    if len(lines) <= _SHOWN:
        return lines
    return [*lines[:_SHOWN], f"  and {len(lines) - _SHOWN} more; --json names all"]


def _say(console: Console, lines: list[str]) -> None:
    for line in lines:
        say(console, line)
