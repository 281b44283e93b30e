"""How a training process tells what it does: JSON lines, or Dagster Pipes if it asks.

An event is a flat JSON object with the key `event`; `supervise` lists them.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from pydantic import JsonValue

Event = Mapping[str, JsonValue]
Say = Callable[[Event], None]
_PIPES = "DAGSTER_PIPES_CONTEXT"
_LINES = 50
"""Of steps in a log, about."""


@contextmanager
def open_messages() -> Iterator[Say]:
    """Where events go; meanwhile what is printed goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        if _PIPES in os.environ:
            with _pipes() as say:
                yield say
        else:
            yield lambda event: _write(out, event)
    finally:
        sys.stdout = out


def words_of(event: Event) -> str:
    """One line for a person."""
    match event.get("event"):
        case "step":
            return f"step {event['step']} of {event['steps']}: loss {event['loss']:.4f}"
        case "memory":
            return f"out of memory: {event['micro_batch']} at a time from now on"
        case _:
            figures = (
                f"{key} {value}" for key, value in event.items() if key != "event"
            )
            return f"{event.get('event')}: {', '.join(figures)}"


def _is_worth_a_line(event: Event) -> bool:
    """Of steps some: each line is a row in an event log."""
    step, steps = event.get("step"), event.get("steps")
    if event.get("event") != "step" or not isinstance(step, int):
        return True
    every = steps // _LINES if isinstance(steps, int) else 1
    return step in {1, steps} or step % max(1, every) == 0


def _write(out: TextIO, event: Event) -> None:
    out.write(json.dumps(event) + "\n")
    out.flush()


@contextmanager
def _pipes() -> Iterator[Say]:
    """Each event as a custom message, for whoever started, and a line of the log."""
    from dagster_pipes import open_dagster_pipes  # noqa: PLC0415  only under Pipes

    with open_dagster_pipes() as pipes:

        def say(event: Event) -> None:
            pipes.report_custom_message(dict(event))
            if _is_worth_a_line(event):
                pipes.log.info(words_of(event))

        yield say
