"""Code that wants too much is stopped, and the sandbox stays of use."""

import uuid
from dataclasses import replace

import pytest

from envplatform.sandbox.base import (
    WRITABLE,
    Ending,
    Image,
    Limits,
    Sandbox,
    SandboxProvider,
)
from tests.sandbox.host import LIMITS, ends, python, runs

FORK_BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
THREAD_BOMB = """
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(60,)).start()
    except RuntimeError: time.sleep(0.1)
"""
MEMORY_HOG = "x = []\nwhile True: x.append(bytearray(10_000_000))"
MANY_SMALL_HOGS = """
import os, time
for _ in range(20):
    if not os.fork():
        x = bytearray(30_000_000)
        time.sleep(60)
time.sleep(60)
"""
ONE_BIG_FILE = """
with open('/tmp/big', 'wb') as out:
    while True: out.write(bytes(1_000_000))
"""
MANY_FILES = """
import pathlib
for number in range(10_000):
    pathlib.Path('/workspace', str(number)).write_bytes(bytes(100_000))
"""
SPREAD_FILES = """
import pathlib, time
for place in ('/workspace', '/tests', '/logs', '/home/agent'):
    pathlib.Path(place, 'x').write_bytes(bytes(20_000_000))
time.sleep(60)
"""
DELETED_FILES = """
import os, time
for number in range(40):
    out = os.open('/tmp/hidden', os.O_CREAT | os.O_WRONLY)
    os.unlink('/tmp/hidden')
    os.write(out, bytes(4_000_000))
time.sleep(60)
"""
BUSY = "while True: pass"
DEAF = (
    "import signal, time\n"
    "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
    "while True: time.sleep(60)"
)


GREED = pytest.mark.parametrize(
    ("code", "limits", "ending"),
    [
        pytest.param(FORK_BOMB, LIMITS, "process_limit", id="fork bomb"),
        pytest.param(THREAD_BOMB, LIMITS, "process_limit", id="thread bomb"),
        pytest.param(MEMORY_HOG, LIMITS, "out_of_memory", id="memory hog"),
        pytest.param(MANY_SMALL_HOGS, LIMITS, "out_of_memory", id="many small hogs"),
        pytest.param(ONE_BIG_FILE, LIMITS, "disk_limit", id="one big file"),
        pytest.param(MANY_FILES, LIMITS, "disk_limit", id="many files"),
        pytest.param(SPREAD_FILES, LIMITS, "disk_limit", id="files in every place"),
        pytest.param(DELETED_FILES, LIMITS, "disk_limit", id="deleted, still open"),
        pytest.param(BUSY, replace(LIMITS, cpu_s=1), "timeout", id="busy loop"),
        pytest.param(BUSY, replace(LIMITS, wall_s=1), "timeout", id="endless loop"),
        pytest.param(DEAF, replace(LIMITS, wall_s=1), "timeout", id="ignores signals"),
    ],
)


@GREED
async def test_code_that_wants_too_much_is_stopped(
    sandbox: Sandbox, code: str, limits: Limits, ending: Ending
) -> None:
    await stopped(sandbox, code, limits, ending)


@GREED
async def test_code_is_stopped_where_there_are_no_control_groups(
    watchdog: SandboxProvider,
    bare_image: Image,
    code: str,
    limits: Limits,
    ending: Ending,
) -> None:
    async with watchdog.open(bare_image, LIMITS) as sandbox:
        await stopped(sandbox, code, limits, ending)


async def stopped(sandbox: Sandbox, code: str, limits: Limits, ending: Ending) -> None:
    """Run `code`, see it end as expected with all its processes, and clean up."""
    marker = f"hostile-{uuid.uuid4().hex}"
    result = await sandbox.exec(["python3", "-c", code, marker], limits=limits)
    assert (result.ending, result.exit_code, result.signal) == (ending, None, None)
    assert not runs(marker)
    places = " ".join(f"{place}/*" for place in WRITABLE)
    cleaned = await sandbox.exec(["sh", "-c", f"rm -rf {places}"])
    assert (cleaned.ending, cleaned.exit_code) == ("exited", 0)


async def test_a_gigabyte_of_output_is_read_and_dropped(sandbox: Sandbox) -> None:
    result = await sandbox.exec(
        ["sh", "-c", "head -c 1000000000 /dev/zero & head -c 9 /dev/zero >&2; wait"],
        limits=replace(LIMITS, wall_s=60, cpu_s=60),
    )
    assert (result.ending, result.exit_code) == ("exited", 0)
    assert result.stdout == bytes(LIMITS.output_bytes)
    assert result.stderr == bytes(9)
    assert result.truncated


async def test_output_that_just_fits_is_whole(sandbox: Sandbox) -> None:
    count = LIMITS.output_bytes
    result = await sandbox.exec(["head", "-c", str(count), "/dev/zero"])
    assert (len(result.stdout), result.truncated) == (count, False)
    result = await sandbox.exec(["head", "-c", str(count + 1), "/dev/zero"])
    assert (len(result.stdout), result.truncated) == (count, True)


async def test_a_timeout_keeps_the_output_so_far(sandbox: Sandbox) -> None:
    result = await sandbox.exec(
        ["sh", "-c", "echo before; sleep 60"], limits=replace(LIMITS, wall_s=1)
    )
    assert (result.ending, result.stdout) == ("timeout", b"before\n")


async def test_nothing_that_was_started_survives(sandbox: Sandbox) -> None:
    """A daemon that left its session, its parent and its output behind."""
    marker = f"survivor-{sandbox.info.kind}"
    code = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for number in (0, 1, 2): os.close(number)
open('/workspace/alive', 'w').close()
while True:
    with open('/workspace/alive', 'a') as out: out.write('.')
    time.sleep(0.01)
"""
    script = (
        'python3 -c "$1" "$2"; while ! [ -e /workspace/alive ]; do sleep 0.01; done'
    )
    result = await sandbox.exec(["sh", "-c", script, "sh", code, marker])
    assert (result.ending, result.exit_code) == ("exited", 0)
    assert ends(marker, within_s=0)
    first = await sandbox.download("/workspace")
    await sandbox.exec(["sleep", "0.2"])
    assert await sandbox.download("/workspace") == first


@pytest.mark.docker
async def test_memory_filled_with_files_is_out_of_memory_in_docker(
    docker_provider: SandboxProvider, docker_image: Image
) -> None:
    """Its writable places are memory; with it full, not even ours can go on."""
    limits = replace(LIMITS, memory_mb=64, disk_mb=500)
    async with docker_provider.open(docker_image, limits) as sandbox:
        result = await sandbox.exec(
            ["sh", "-c", "head -c 200000000 /dev/zero > /tmp/x"]
        )
    assert (result.ending, result.exit_code) == ("out_of_memory", None)


async def test_limits_of_one_execution_do_not_stick(sandbox: Sandbox) -> None:
    code = "x = bytearray(150_000_000)"
    argv = ["python3", "-c", code]
    tight = await sandbox.exec(argv, limits=replace(LIMITS, memory_mb=100))
    assert tight.ending == "out_of_memory"
    assert (await python(sandbox, code)).exit_code == 0
