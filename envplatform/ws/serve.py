"""The broker's process: reads what to serve, starts services, listens, ends tidily."""

from __future__ import annotations

import argparse
import shlex
import threading
from contextlib import ExitStack
from pathlib import Path

from .broker import Broker
from .connections import STACK_BYTES
from .conversation import ANSWER_S
from .holdings import FolderHoldings
from .launcher import COMMAND, NAME, SOURCE
from .manifest import Manifest, read_manifest
from .server import Places, Server, state_line

STATE = "state.json"
LOG = "dispatch.jsonl"


def serve(words: list[str]) -> None:
    """Serve until told to stop; leaves the log and the views' memory in `--logs`.

    Raises:
        ManifestError: the environment can't be served.
    """
    parser = argparse.ArgumentParser(prog="ws serve", description=serve.__doc__)
    for name in ("manifest", "holdings", "agent", "control", "logs"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--publish", type=Path, help="where to put the command `ws`")
    parser.add_argument("--answer-s", type=float, default=ANSWER_S)
    options = parser.parse_args(words)
    if options.publish is not None:
        publish(options.publish)
    manifest = read_manifest(options.manifest.read_bytes())
    broker = Broker(manifest, FolderHoldings(options.holdings))
    places = Places(options.agent, options.control, options.logs / LOG)
    with ExitStack() as stack:
        if _has_services(manifest):
            from .services import start_services  # noqa: PLC0415  few environments do

            started = start_services(manifest, options.holdings, stack)
            broker.room.servers.update(started)
        threading.stack_size(STACK_BYTES)
        Server(broker, places, answer_s=options.answer_s).run()
    (options.logs / STATE).write_bytes(state_line(broker.room.memory))


def publish(folder: Path) -> None:
    """Put this package and a command that runs it below `folder`, for the agent."""
    library = folder / "lib"
    (library / "ws").mkdir(parents=True, exist_ok=True)
    ours = Path(__file__).parent
    (library / "ws" / "__pycache__").mkdir(exist_ok=True)
    for source in sorted([*ours.glob("*.py"), *ours.glob("__pycache__/*.pyc")]):
        place = library / "ws" / source.relative_to(ours)
        place.write_bytes(source.read_bytes())
    start = library / NAME
    start.write_bytes(SOURCE)
    command = folder / "bin" / "ws"
    command.parent.mkdir(exist_ok=True)
    command.write_text(COMMAND.format(start=shlex.quote(str(start))))
    command.chmod(0o755)


def _has_services(manifest: Manifest) -> bool:
    return any("command" in view.options for view in manifest.views.values())
