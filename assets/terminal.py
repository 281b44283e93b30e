"""Runs that a terminal started: one process at a time, few words, no one left behind.

A run killed here is not seen by Dagster's monitoring, which needs its daemon: it
would stay STARTED and keep its place in the pools, until nothing runs any more.
"""

import fcntl
import hashlib
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import dagster as dg

from envplatform.cli.output import harmless
from envplatform.errors import StoreError

TAG = "envplatform/terminal"

_LOCK = "terminal.lock"
_UNDER_WAY = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)


def tags_of(folder: Path) -> dict[str, str]:
    """Tags of a run started here: other machines may share our Postgres, not our lock."""
    where = f"{socket.gethostname()} {folder.absolute()}"
    return {TAG: hashlib.sha256(where.encode()).hexdigest()[:16]}


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only process that starts runs from a terminal, as long as it lives.

    Raises:
        StoreError: another one is at it.
    """
    with (folder / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = f"another command is materialising in {folder}: wait until it is done"
            raise StoreError(msg) from error
        yield


def end_dead_runs(instance: dg.DagsterInstance, folder: Path) -> list[str]:
    """Fail the runs whose process was killed, and free their pools; returns their ids.

    Only who is `alone` in `folder` may call this: any of its runs still under way is
    then a dead one.
    """
    under_way = dg.RunsFilter(tags=tags_of(folder), statuses=list(_UNDER_WAY))
    dead = instance.get_runs(under_way)
    for run in dead:
        instance.report_run_failed(run, "Its process was killed.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return [run.run_id for run in dead]


def quiet_logger(out: TextIO) -> dg.LoggerDefinition:
    """Print progress of partitions; the rest is in the event log.

    Dagster's own console logger prints some hundred lines a run.
    """
    handler = _Progress(out)

    def logger(context: dg.InitLoggerContext) -> logging.Logger:
        del context
        # One of its own, below no other: nobody else prints what it is told.
        quiet = logging.Logger("terminal", logging.INFO)  # noqa: LOG001
        quiet.addHandler(handler)
        return quiet

    return dg.LoggerDefinition(logger_fn=logger)


class _Progress(logging.Handler):
    """Prints what bodies say of a partition: messages that begin with its name."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(logging.INFO)
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        meta = getattr(record, "dagster_meta", {})
        said = str(meta.get("orig_message", ""))
        partition, colon, what = said.partition(": ")
        if colon and record.levelno == logging.INFO and "__" in partition:
            print(f"            {harmless(what)}", file=self._out, flush=True)
