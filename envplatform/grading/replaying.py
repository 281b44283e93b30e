"""A session again: its dispatch log, put to a new broker in this process."""

import json
from collections.abc import Mapping
from typing import Any

from envplatform.bundle import Environment
from envplatform.bundle.layout import GRAPH, content_files
from envplatform.errors import BundleError
from envplatform.grading.broker import Served
from envplatform.ws import (
    Broker,
    MemoryHoldings,
    Reply,
    Request,
    WsError,
    read_manifest,
)
from envplatform.ws.changes import read_change
from envplatform.ws.errors import ManifestError
from envplatform.ws.wire import canonical

Entry = Mapping[str, Any]


def entries_of(log: bytes) -> tuple[Entry, ...]:
    """Parse a dispatch log.

    Raises:
        BundleError: a line is no entry; names it.
    """
    found = []
    for number, line in enumerate(log.splitlines(), 1):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or not {"by", "op", "args", "error"} <= set(
            entry
        ):
            msg = f"line {number} of the dispatch log is no entry"
            raise BundleError(msg)
        found.append(entry)
    return tuple(found)


def replayed(environment: Environment, log: bytes) -> Broker:
    """Return a new broker of `environment` that was asked all that the log tells of.

    Raises:
        BundleError: the log is none, or the environment can't be served here.
    """
    try:
        manifest = read_manifest(content_files(environment)[GRAPH].data)
        held = {path: file.data for path, file in environment.served.items()}
        broker = Broker(manifest, MemoryHoldings(held))
    except (ManifestError, WsError) as error:
        msg = f"{environment.environment_id} can't be served: {error}"
        raise BundleError(msg) from error
    for number, entry in enumerate(entries_of(log), 1):
        try:
            if entry["by"] == "user":
                broker.patch([read_change(one) for one in entry["args"]["changes"]])
            elif entry["op"] == "say" and entry["error"] is None:
                _say_again(broker, entry)
            else:
                broker.ask(Request(str(entry["op"]), dict(entry["args"])))
        except (WsError, KeyError, TypeError, ValueError) as error:
            msg = f"line {number} of the dispatch log can't be asked: {error!r}"
            raise BundleError(msg) from error
    return broker


def _say_again(broker: Broker, entry: Entry) -> None:
    """Put a message again that a user answered; the answer is the user's, not ours.

    The log has it by digest only, which is taken over.
    """
    broker.ask(Request("say", dict(entry["args"])), heard=Reply(data={}))
    told = entry["reply"]
    broker.log[-1] = broker.log[-1]._replace(
        reply_sha256=str(told["sha256"]), reply_bytes=int(told["bytes"])
    )


def difference(broker: Broker, served: Served) -> str:
    """Return where a replayed session is otherwise than what was taken home, or ``."""
    said = served.log.decode("utf-8", "replace").splitlines()
    lines = [entry.line() for entry in broker.log]
    for number, (mine, theirs) in enumerate(zip(lines, said, strict=True), 1):
        if mine != theirs:
            return (
                f"entry {number}: the broker says {_short(mine)}, not {_short(theirs)}"
            )
    holdings = broker.room.holdings
    paths = holdings.below("")
    if paths != sorted(served.held):
        odd = sorted(set(paths) ^ set(served.held))
        return f"{odd[0]} is held in one session only"
    for path in paths:
        if holdings.read(path) != served.held[path].data:
            return f"{path} is held with another content"
    if json.loads(canonical(broker.room.memory)) != json.loads(served.state):
        return "the views remember something else"
    return ""


def _short(line: str) -> str:
    return line if len(line) < 200 else f"{line[:200]}..."  # noqa: PLR2004  for people
