"""Commands: what goes in, what comes out, and how an ending is told."""

import asyncio
import hashlib
import json
import signal
from dataclasses import replace

import pytest

from envplatform.sandbox.base import Image, Sandbox, SandboxProvider
from envplatform.sandbox.endings import NOT_FOUND, NOT_RUN
from envplatform.tree import File
from tests.sandbox.host import LIMITS, ends, python

ECHO = "import sys, json; print(json.dumps([ascii(word) for word in sys.argv[1:]]))"


async def test_a_long_stdin_arrives_whole(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 40_000
    result = await sandbox.exec(["sha256sum"], stdin=data)
    assert result.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()


async def test_a_stdin_that_nobody_reads_does_no_harm(sandbox: Sandbox) -> None:
    result = await sandbox.exec(["true"], stdin=bytes(5_000_000))
    assert (result.ending, result.exit_code) == ("exited", 0)


async def test_without_stdin_reading_ends_at_once(sandbox: Sandbox) -> None:
    result = await sandbox.exec(["cat"])
    assert (result.exit_code, result.stdout) == (0, b"")


async def test_streams_are_separate_and_binary(sandbox: Sandbox) -> None:
    code = "import os; os.write(1, bytes(range(256))); os.write(2, b'\\xff\\x00\\n')"
    result = await python(sandbox, code)
    assert result.stdout == bytes(range(256))
    assert result.stderr == b"\xff\x00\n"


async def test_words_arrive_as_they_were_given(sandbox: Sandbox) -> None:
    words = [
        "",
        " ",
        "ü→🙂",
        "a b",
        "$HOME",
        "'",
        '"',
        "\\",
        "\n",
        "-x",
        "--",
        "*",
        ";",
    ]
    result = await python(sandbox, ECHO, *words)
    assert json.loads(result.stdout) == [ascii(word) for word in words]


async def test_long_words_and_variables_arrive(sandbox: Sandbox) -> None:
    long = "x" * 100_000
    code = "import os, sys; print(len(os.environ['LONG']), len(sys.argv[1]))"
    result = await sandbox.exec(["python3", "-c", code, long], env={"LONG": long})
    assert result.stdout == b"100000 100000\n"


async def test_a_command_line_too_long_for_the_kernel_is_the_commands_failure(
    sandbox: Sandbox,
) -> None:
    result = await sandbox.exec(["true", "x" * 200_000])
    assert (result.ending, result.exit_code) == ("exited", NOT_RUN)
    assert b"rgument list too long" in result.stderr


@pytest.mark.parametrize("code", [0, 1, 2, 5, 77, 126, 127, 128, 200, 255])
async def test_exit_codes_are_told(sandbox: Sandbox, code: int) -> None:
    result = await sandbox.exec(["sh", "-c", f"exit {code}"])
    assert (result.ending, result.exit_code, result.signal) == ("exited", code, None)


@pytest.mark.parametrize("number", [1, 6, 9, 11, 15])
async def test_signals_are_told(sandbox: Sandbox, number: int) -> None:
    result = await python(sandbox, f"import os; os.kill(os.getpid(), {number})")
    assert (result.ending, result.exit_code, result.signal) == (
        "signaled",
        None,
        number,
    )


async def test_signals_that_we_ignore_are_not_ignored_inside(sandbox: Sandbox) -> None:
    """Whoever starts the platform by nohup gets the same verdicts."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        result = await python(sandbox, "import os; os.kill(os.getpid(), 1)")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (result.ending, result.signal) == ("signaled", 1)


@pytest.mark.parametrize(
    ("argv", "cwd", "code"),
    [
        (["no-such-command"], "/workspace", NOT_FOUND),
        (["/no/such/file"], "/workspace", NOT_FOUND),
        (["/etc/passwd"], "/workspace", NOT_RUN),
        (["/workspace"], "/workspace", NOT_RUN),
        (["./script"], "/workspace", NOT_FOUND),
        (["true"], "/workspace/no/such/folder", NOT_RUN),
    ],
)
async def test_what_can_not_be_run_ends_as_in_a_shell(
    sandbox: Sandbox, argv: list[str], cwd: str, code: int
) -> None:
    await sandbox.upload(
        {"script": File(b"#!/no/such/shell\n", executable=True)}, cwd[:10]
    )
    result = await sandbox.exec(argv, cwd=cwd)
    assert (result.ending, result.exit_code) == ("exited", code)
    assert result.stderr


async def test_state_of_files_stays_and_of_processes_goes(sandbox: Sandbox) -> None:
    await sandbox.exec(["sh", "-c", "echo kept > /home/agent/note; cd /tmp; X=1"])
    result = await sandbox.exec(["sh", "-c", "cat /home/agent/note; pwd; echo $X"])
    assert result.stdout == b"kept\n/workspace\n\n"


async def test_executions_of_one_sandbox_queue_up(sandbox: Sandbox) -> None:
    script = "mkdir /workspace/lock && sleep 0.2 && rmdir /workspace/lock"
    results = await asyncio.gather(
        *(sandbox.exec(["sh", "-c", script]) for _ in range(3))
    )
    assert [result.exit_code for result in results] == [0, 0, 0]


async def test_sandboxes_run_at_one_time_and_apart(
    provider: SandboxProvider, image: Image
) -> None:
    async def one(number: int) -> bytes:
        async with provider.open(image, LIMITS) as sandbox:
            await sandbox.exec(["sh", "-c", f"echo {number} > /tmp/mine"])
            await asyncio.sleep(0.1)
            return (await sandbox.exec(["sh", "-c", "cat /tmp/*"])).stdout

    found = await asyncio.gather(*(one(number) for number in range(6)))
    assert found == [f"{number}\n".encode() for number in range(6)]


async def test_a_cancelled_execution_is_killed_and_the_sandbox_stays_of_use(
    sandbox: Sandbox,
) -> None:
    marker = f"cancelled-{sandbox.info.kind}"
    code = "import pathlib, time; pathlib.Path('/tmp/on').touch(); time.sleep(60)"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await python(sandbox, code, marker)
    assert ends(marker, within_s=0)
    assert set(await sandbox.download("/tmp")) == {"on"}  # noqa: S108  inside
    assert (await sandbox.exec(["echo", "fine"])).stdout == b"fine\n"


async def test_time_is_measured_around_the_command(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, wall_s=15)
    result = await sandbox.exec(["sleep", "0.5"], limits=limits)
    assert result.seconds >= 0.5
