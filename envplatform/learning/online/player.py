"""Who plays: an interface, and a process of its own behind it. Loads no torch."""

import subprocess
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import IO, Self

from envplatform.errors import StudentError
from envplatform.trajectories.playing import (
    EVENT,
    PLAYER_ORDER,
    REQUEST,
    Answer,
    Asked,
    Begin,
    Over,
    PlayerOrder,
)

_SAID = 2000
"""Characters of the process's last words that an error repeats."""


class Plays(ABC):
    """Plays environments for a policy, many at once."""

    @abstractmethod
    def send(self, requests: Sequence[Begin | Answer]) -> tuple[Asked | Over, ...]:
        """Return what comes of each, in their order, once it is there; one a play.

        Raises:
            StudentError: the player is gone.
        """


class ProcessPlays(Plays):
    """A player behind the standard streams of a process."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors

    def send(self, requests: Sequence[Begin | Answer]) -> tuple[Asked | Over, ...]:
        """See the base class."""
        lines = [REQUEST.dump_json(one) for one in requests]
        # Beside reading: a player whose events nobody reads stops to read itself.
        writing = threading.Thread(target=self._write, args=(lines,))
        writing.start()
        events: dict[str, Asked | Over] = {}
        try:
            while len(events) < len(requests):
                event = self._read()
                events[event.play_id] = event
        finally:
            writing.join()
        return tuple(events[one.play_id] for one in requests)

    def order(self, order: PlayerOrder) -> None:
        """Say what is to be played."""
        self._write([PLAYER_ORDER.dump_json(order)])

    def _write(self, lines: Sequence[bytes]) -> None:
        """Of a player that is gone reading tells."""
        stream = self._process.stdin
        with suppress(OSError):
            if stream is not None:
                stream.write(b"".join(line + b"\n" for line in lines))
                stream.flush()

    def _read(self) -> Asked | Over:
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            raise self._gone()
        return EVENT.validate_json(line)

    def _gone(self) -> StudentError:
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()[-_SAID:]
        msg = f"who plays the environments ended (exit code {code}): {said}"
        return StudentError(msg)


class LatePlays(Plays):
    """A player that is opened while it is entered: trainers are made before."""

    def __init__(self, opening: Callable[[], AbstractContextManager[Plays]]) -> None:
        self._opening = opening
        self._stack = ExitStack()
        self._plays: Plays | None = None

    def __enter__(self) -> Self:
        """Open it."""
        self._plays = self._stack.enter_context(self._opening())
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._plays = None
        self._stack.close()

    def send(self, requests: Sequence[Begin | Answer]) -> tuple[Asked | Over, ...]:
        """See the base class."""
        if self._plays is None:
            msg = "who plays the environments is not there yet, or not any more"
            raise StudentError(msg)
        return self._plays.send(requests)


@contextmanager
def opened_player(command: Sequence[str], order: PlayerOrder) -> Iterator[ProcessPlays]:
    """Start a player; it gives up what is under way and ends on leaving.

    Raises:
        StudentError: it can't be started.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except OSError as error:
            msg = f"who plays the environments can't be started: {error}"
            raise StudentError(msg) from error
        with process:
            plays = ProcessPlays(process, errors)
            try:
                plays.order(order)
                yield plays
            finally:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close its input, which ends it with its sandboxes; kill what does not heed."""
    try:
        if process.stdin:
            process.stdin.close()
        process.wait(timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
