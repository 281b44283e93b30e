"""The process: told step by step, ended with all it started, its failures in words."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envplatform.errors import TrainingError
from envplatform.learning.training.checkpoint import read_checkpoint
from envplatform.learning.training.messages import Event
from envplatform.learning.training.supervise import train
from tests.learning.training.made_orders import order


class StoppedError(Exception):
    """Made up by whoever listens."""


def test_steps_are_told_and_a_second_call_gives_what_is_there(tmp_path: Path) -> None:
    told: list[Event] = []
    result = train(order(tmp_path), tmp_path / "w", told.append)
    assert [one["event"] for one in told] == ["started", *["step"] * 3, "published"]
    record = read_checkpoint(result).record
    assert [one["loss"] for one in told[1:4]] == [one.loss for one in record.losses]
    assert train(order(tmp_path), tmp_path / "w") == result


def test_a_listener_that_gives_up_ends_the_process_and_the_next_goes_on(
    tmp_path: Path,
) -> None:
    def stop(event: Event) -> None:
        if event.get("step") == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        train(order(tmp_path), tmp_path / "w", stop)
    told: list[Event] = []
    train(order(tmp_path), tmp_path / "w", told.append)  # the lock is free at once
    assert told[0]["event"] == "started"
    assert told[0]["from_step"] in {1, 2}


def test_a_failure_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"^no row is left to train on \(7 over"):
        train(order(tmp_path, max_length=5), tmp_path / "w")
    with pytest.raises(TrainingError, match="nowhere is neither a folder"):
        train(order(tmp_path, base=tmp_path / "nowhere"), tmp_path / "v")


def test_ordering_loads_no_torch() -> None:
    code = (
        "import sys, envplatform.learning.training.supervise, "
        "envplatform.learning.training.checkpoint; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_process_ends_when_who_started_it_is_killed(tmp_path: Path) -> None:
    """Its pid comes over a pipe that only closes when the process itself is gone."""
    given = order(tmp_path, steps=100_000, checkpoint_every=100_000)
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from envplatform.learning.training.order import read_order\n"
        "from envplatform.learning.training.supervise import train\n"
        "def told(event):\n"
        "    if event.get('step') == 1:\n"
        "        print('going', flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
        "train(read_order(Path(sys.argv[1])), Path(sys.argv[2]), told)\n"
    )
    from envplatform.learning.training.order import write_order  # noqa: PLC0415

    write_order(given, tmp_path / "given.json")
    folder = tmp_path / "w"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "given.json"), str(folder)],
        stdout=subprocess.PIPE,
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"going\n"
        assert starter.wait(timeout=120) == -9
    deadline = time.monotonic() + 120
    while _is_held(folder / "lock"):
        assert time.monotonic() < deadline, "the training outlived its starter"
        time.sleep(0.2)


def _is_held(lock: Path) -> bool:
    import fcntl  # noqa: PLC0415  alone here

    descriptor = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
