"""`envplatform review`: votes on whether a bug is a developer's, and a browser of what is made."""

import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from envplatform.cli.output import (
    ANSWER_IS_NO,
    Json,
    answer,
    clear_errors,
    print_json,
    say,
)
from envplatform.cli.place import ConfigOption, Place, find_place
from envplatform.errors import ConfigError, ExportError
from envplatform.evaluation.realism.browse import BrowseSite
from envplatform.evaluation.realism.exchange import (
    LABELLING,
    Format,
    exported,
    vote_lines,
)
from envplatform.evaluation.realism.office import Office
from envplatform.evaluation.realism.reviewing import ReviewSite
from envplatform.evaluation.realism.server import ReviewServer, Site, Visitor
from envplatform.store import Store


def review(  # noqa: PLR0913  each is an option that a person may give
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of the page; 0: a free one.")
    ] = 0,
    export: Annotated[
        Path | None, typer.Option(help="Write the blinded pairs to this new file.")
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Take over the votes in this file.")
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="Of these files.")
    ] = "jsonl",
    config: ConfigOption = None,
    *,
    browse: Annotated[
        bool, typer.Option("--browse", help="Look at environments; no votes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Serve pairs of bugs to reviewers on this machine, until Ctrl-C; or exchange them."""
    with clear_errors(as_json=as_json):
        _check_one(browse=browse, export=export, import_=import_)
        place = find_place(config)
        if browse:
            _browse(BrowseSite(store=Store(place.home)), port, as_json=as_json)
            return
        office = _office(place)
        pairs = office.open_pairs()
        if export is not None:
            _write_new(export, exported(pairs, format_))
            said = {"file": export, "pairs": len(pairs), "labelling": LABELLING}
            answer(
                said,
                as_json=as_json,
                show=lambda console: say(console, f"{len(pairs)} pairs in {export}"),
            )
        elif import_ is not None:
            _take_over(office, import_, format_, as_json=as_json)
        else:
            site = ReviewSite(office=office, pairs=pairs, now=lambda: datetime.now(UTC))
            _review(site, office.settings.reviewers, port, as_json=as_json)


def _check_one(**asked: object) -> None:
    """See that one thing is asked for at most.

    Raises:
        ConfigError: it is more.
    """
    names = [f"--{name.rstrip('_')}" for name, value in asked.items() if value]
    if len(names) > 1:
        msg = f"{' and '.join(names)} exclude each other; call once for each"
        raise ConfigError(msg)


def _office(place: Place) -> Office:
    """Return where reviews are kept.

    Raises:
        ConfigError: nobody is named who may review.
    """
    settings = place.configuration.realism
    if not settings.reviewers:
        msg = (
            "envplatform.toml names no reviewers: write three or more names, such as "
            'reviewers = ["ann", "bob", "cat"], below [realism]'
        )
        raise ConfigError(msg)
    return Office(home=place.home, settings=settings)


def _browse(site: Site, port: int, *, as_json: bool) -> None:
    """Serve whoever started it; says first where."""
    visitor = Visitor()
    with ReviewServer(site, [visitor], port=port) as server:
        url = server.url(visitor)
        if as_json:
            print_json({"url": url})
        else:
            typer.echo(f"{url}\nCtrl-C ends it.")
        _serve(server)


def _review(site: Site, reviewers: Sequence[str], port: int, *, as_json: bool) -> None:
    """Serve reviewers, each of whom votes as who they are; says first where."""
    visitors = [Visitor(name=name) for name in reviewers]
    with ReviewServer(site, visitors, port=port) as server:
        urls = {one.name: server.url(one) for one in visitors}
        if as_json:
            print_json({"urls": urls})
        else:
            for name, url in urls.items():
                typer.echo(f"{name}: {url}")
            typer.echo("Give each reviewer their own address alone. Ctrl-C ends it.")
        _serve(server)


def _serve(server: ReviewServer) -> None:
    """Serve until Ctrl-C."""
    sys.stdout.flush()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        server.shutdown()


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that was not there.

    Raises:
        ExportError: it is there.
    """
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        msg = f"{path} exists; name a file that does not"
        raise ExportError(msg) from error


def _take_over(office: Office, path: Path, form: Format, *, as_json: bool) -> None:
    ballot = office.ballot(office.pairs()[0])
    lines = vote_lines(path.read_bytes(), form, name=str(path))
    found = office.votes.take_over(lines, ballot)
    said = {"taken over": len(found.counted), "refused": found.refused}
    told = "\n".join((f"{len(found.counted)} votes taken over", *found.refused))
    answer(said, as_json=as_json, show=lambda console: say(console, told))
    if found.refused:
        raise typer.Exit(ANSWER_IS_NO)
