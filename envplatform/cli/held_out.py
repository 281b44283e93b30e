"""`envplatform held-out`: a benchmark of one's own as hashes, to keep training clear of it.

The hashes tell nobody what the benchmark holds; the file may be given away.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, find_any_place
from envplatform.configuration import FixSourceSettings
from envplatform.errors import ConfigError
from envplatform.store import Store
from envplatform.swe.fixes.curation.hash_file import (
    HeldOutFix,
    hash_set,
    write_held_out,
)
from envplatform.swe.fixes.histories.inline import InlineHistory
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.reconstruct import reconstruct
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.sides import Sides
from envplatform.swe.fixes.sources.base import Source
from envplatform.swe.fixes.sources.opening import open_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What went into the file."""

    file: Path
    name: str
    instances: int
    quarantined: dict[str, int]
    """Rows that could not be read, by reason: they are not held out."""
    unread: tuple[str, ...]
    """Instances whose patch is no diff: of them the repository alone is held out."""
    repositories: int
    blobs: int
    """Of files, which only rows that carry them give."""
    ngrams: int


def held_out(
    source: Annotated[
        Path, typer.Argument(help="Parquet, JSON or JSONL file, or a folder.")
    ],
    to: Annotated[Path, typer.Option(help="Where to write the hashes.")],
    name: Annotated[
        str | None, typer.Option(help="Of the set; else that of the file.")
    ] = None,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Hash a benchmark's repositories and changed lines, for `held_out_files`."""
    with clear_errors(as_json=as_json):
        _check_target(source, to)
        cache = Store(find_any_place(config).home).home / "cache" / "fixes"
        opened = open_source(FixSourceSettings(path=str(source)), cache=cache)
        written = _write(opened, name or opened.name.strip("._-")[:100], to)
    answer(written, as_json=as_json, show=lambda console: _show(console, written))


def _check_target(source: Path, to: Path) -> None:
    if to.exists() and source.exists() and to.samefile(source):
        msg = f"--to {to} is the benchmark itself: name another file"
        raise ConfigError(msg)
    if to.is_dir() or not to.absolute().parent.is_dir():
        msg = f"--to {to}: name a file in a folder that exists"
        raise ConfigError(msg)


def _write(source: Source, name: str, to: Path) -> Written:
    bad, instances = Counter[str](), 0
    unread: list[str] = []

    def fixes() -> Iterator[HeldOutFix]:
        nonlocal instances
        for row in source.read():
            if isinstance(row, FixInstance):
                instances += 1
                yield HeldOutFix(instance=row, sides=_sides(row))
            else:
                bad[row.reason] += 1

    held = hash_set(name, fixes(), unread=unread)
    if not instances:
        why = ", ".join(f"{count} {reason}" for reason, count in bad.most_common())
        msg = f"{source.name} holds no fix that could be read: {why or 'no row'}"
        raise ConfigError(msg)
    write_held_out(held, to)
    return Written(
        file=to.absolute(),
        name=name,
        instances=instances,
        quarantined=dict(bad.most_common()),
        unread=tuple(unread),
        repositories=len(held.repositories),
        blobs=len(held.blobs),
        ngrams=len(held.ngrams),
    )


def _sides(instance: FixInstance) -> Sides | None:
    """Both sides of a row that carries its files; None: it does not, or none differs."""
    if instance.origin != "inline":
        return None
    try:
        return reconstruct(instance, InlineHistory())
    except Refused:
        return None


def _show(console: Console, written: Written) -> None:
    say(console, f"wrote {written.file}")
    say(
        console,
        f"{written.instances} instances of {written.repositories} repositories, "
        f"{written.ngrams} line hashes",
    )
    for reason, count in written.quarantined.items():
        say(console, f"{count} rows are not held out: {reason}", "yellow")
    if written.unread:
        some = ", ".join(written.unread[:5]) + (", ..." if written.unread[5:] else "")
        count = len(written.unread)
        say(console, f"lines of {count} are not held out, no diff: {some}", "yellow")
    say(console, "name it in [fixes.curation] held_out_files")
