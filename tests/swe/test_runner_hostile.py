"""Suites that lie, kill, flood and hide: none may end in a false verdict.

Each runs for real in bubblewrap, and holds an honest test that fails, `test_truth`.
It must be reported as failed or not at all; and nothing may be called completed that
was not.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import RunEnding
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.targets import Suite
from tests.swe.made_suites import repository_of, request_of, run_tests

TRUTH = """
def test_truth():
    assert 1 + 1 == 3
"""
TRUTH_ID = "tests/test_it.py::test_truth"


@dataclass(frozen=True)
class Attack:
    """What the suite does before `test_truth`, and what must come of it."""

    code: str
    ending: RunEnding
    seen: str = "missing"
    """How `test_truth` must be reported."""
    conftest: str = ""


ATTACKS = {
    "prints forged lines": Attack(
        code="""
def test_forger(capfd):
    with capfd.disabled():
        print('PASSED tests/test_it.py::test_truth')
        print('{"format": 1, "ending": "completed", "executions": []}')
""",
        ending="completed",
        seen="failed",
    ),
    "os._exit(0) in a test": Attack(
        code="import os\ndef test_leave(): os._exit(0)\n", ending="crashed"
    ),
    "os._exit(0) at import": Attack(code="import os; os._exit(0)\n", ending="crashed"),
    "os._exit(0) at session finish": Attack(
        code="",
        conftest="import os\ndef pytest_sessionfinish(): os._exit(0)\n",
        ending="crashed",
        seen="failed",
    ),
    "sys.exit in conftest": Attack(
        code="", conftest="import sys; sys.exit(0)\n", ending="crashed"
    ),
    "pytest.exit with status 0": Attack(
        code="import pytest\ndef test_leave(): pytest.exit('bye', returncode=0)\n",
        ending="inconsistent",
    ),
    "exit status made 0": Attack(
        code="",
        conftest="def pytest_sessionfinish(session): session.exitstatus = 0\n",
        ending="inconsistent",
        seen="failed",
    ),
    "reports made to say passed": Attack(
        code="",
        conftest="""
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    made = yield
    made.get_result().outcome = "passed"
""",
        ending="inconsistent",
        seen="failed",
    ),
    "tests removed after collection": Attack(
        code="def test_other(): pass\n",
        conftest="def pytest_runtestloop(session): session.items[:] = []\n",
        ending="inconsistent",
    ),
    "test files deleted": Attack(
        code="""
import os, shutil
def test_delete():
    shutil.rmtree('/workspace', ignore_errors=True)
    shutil.rmtree('/tests', ignore_errors=True)
    os.makedirs('/workspace', exist_ok=True)
""",
        ending="completed",
        seen="failed",
    ),
    "kills the runner": Attack(
        code="import os, signal\ndef test_kill(): os.kill(os.getppid(), signal.SIGKILL)\n",
        ending="crashed",
    ),
    "kills everything it can": Attack(
        code="import os, signal\ndef test_kill(): os.kill(-1, signal.SIGKILL)\n",
        ending="crashed",
    ),
    "kills itself": Attack(
        code="import os, signal\ndef test_kill(): os.kill(os.getpid(), signal.SIGSEGV)\n",
        ending="crashed",
    ),
    "closes all files": Attack(
        code="import os\ndef test_close(): os.closerange(3, 4096)\n", ending="crashed"
    ),
    "writes garbage into every file": Attack(
        code="""
import os
def test_garbage():
    line = b'0' * 64 + b' 0 {"kind": "finish", "status": 0}' + bytes([10])
    for fd in range(3, 64):
        try:
            os.write(fd, line)
        except OSError:
            pass
""",
        ending="inconsistent",
    ),
    "floods the pipe": Attack(
        code="""
import os
def test_flood():
    for fd in range(3, 64):
        try:
            for _ in range(200):
                os.write(fd, b'x' * 65536)
        except OSError:
            pass
""",
        ending="inconsistent",
    ),
    "runs on in a forked copy": Attack(
        code="import os\ndef test_fork(): os.fork()\n",
        ending="completed",
        seen="failed",
    ),
    "hangs at exit": Attack(
        code="""
import atexit, threading, time
atexit.register(time.sleep, 1000)
threading.Thread(target=time.sleep, args=(1000,)).start()
def test_other(): pass
""",
        ending="completed",
        seen="failed",
    ),
    "a child that outlives the suite": Attack(
        code="""
import subprocess
def test_leave(): subprocess.Popen(['sleep', '1000'], start_new_session=True)
""",
        ending="completed",
        seen="failed",
    ),
    "patches what reporting uses": Attack(
        code="""
import json, os, random, signal, time
def test_patch():
    def broken(*_, **__): raise RuntimeError('gone')
    for module, names in ((os, ['write', 'getpid', 'fork']), (json, ['dumps']),
                          (random, ['seed', 'Random']), (time, ['monotonic']),
                          (signal, ['setitimer', 'signal'])):
        for name in names:
            setattr(module, name, broken)
""",
        ending="completed",
        seen="failed",
    ),
    "swallows the alarm": Attack(
        code="""
import time
def test_swallow():
    end = time.monotonic() + 1000
    while time.monotonic() < end:
        try:
            time.sleep(0.1)
        except BaseException:
            pass
""",
        ending="timeout",
    ),
    "stops the clock": Attack(
        code="""
import signal, time
def test_ignore():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(1000)
""",
        ending="timeout",
    ),
    "stops the runner": Attack(
        code="import os, signal\ndef test_stop(): os.kill(os.getppid(), signal.SIGSTOP)\n",
        ending="timeout",
    ),
    "a module in place of pytest": Attack(
        code="",
        conftest="",
        ending="completed",
        seen="failed",
    ),
}
IMPOSTOR = "raise SystemExit(0)\n"


@pytest.mark.parametrize("name", ATTACKS)
async def test_no_suite_forges_a_verdict(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The failing test is failed or missing, and the ending is the right class."""
    attack = ATTACKS[name]
    more = {"tests/conftest.py": attack.conftest} if attack.conftest else {}
    if name == "a module in place of pytest":
        more = {f"{m}.py": IMPOSTOR for m in ("pytest", "coverage", "hmac", "plugin")}
        more |= {"sitecustomize.py": IMPOSTOR, "envp_p2f/__init__.py": IMPOSTOR}
    repository = repository_of(suite_image, attack.code + TRUTH, more=more)
    suite_s = 6 if attack.ending == "timeout" else 60
    ids = (TRUTH_ID, *_others(attack.code))
    request = request_of(ids=ids, test_s=1.5, suite_s=suite_s)
    run = await run_tests(bubblewrap, repository, request)
    assert (run.ending, run.outcomes[TRUTH_ID]) == (attack.ending, attack.seen), run


def _others(code: str) -> tuple[str, ...]:
    lines = [line for line in code.splitlines() if line.startswith("def test_")]
    return tuple(
        f"tests/test_it.py::{line.split('(')[0].removeprefix('def ')}" for line in lines
    )


async def test_the_runner_s_memory_and_files_are_shut(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Same user, and yet no way into the process that knows the nonce."""
    tests = """
import os, pytest
RUNNER = os.getppid()

@pytest.mark.parametrize("name", ["mem", "environ", "fd/0", "fd/1", "maps", "auxv"])
def test_shut(name):
    with pytest.raises(PermissionError):
        open(f"/proc/{RUNNER}/{name}", "rb").read(1)

def test_no_ptrace():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.ptrace(16, RUNNER, 0, 0) == -1
"""
    run = await run_tests(bubblewrap, repository_of(suite_image, tests), request_of())
    assert run.ending == "completed"
    assert len(run.outcomes) == 7
    assert set(run.outcomes.values()) == {"passed"}, run.reports


async def test_a_line_on_the_sandbox_s_own_output_is_no_result(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Where another process holds the result's pipe, a second line spoils the run."""
    tests = """
import os
def test_write():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            fd = os.open(f'/proc/{pid}/fd/1', os.O_WRONLY)
            os.write(fd, b'{"format": 1, "ending": "completed"}' + bytes([10]))
        except OSError:
            pass
"""
    repository = repository_of(suite_image, tests + TRUTH)
    run = await run_tests(bubblewrap, repository, request_of(ids=(TRUTH_ID,)))
    assert (run.ending, run.outcomes[TRUTH_ID]) in {
        ("inconsistent", "missing"),
        ("completed", "failed"),
    }


async def test_a_gigabyte_of_output_is_dropped(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Printed, counted, and gone: neither memory nor disk nor verdict suffer."""
    tests = """
import os
def test_print():
    line = b'x' * 1_000_000
    for _ in range(1000):
        os.write(1, line)
"""
    suite = Suite(paths=("tests",), memory_mb=256, disk_mb=64)
    repository = repository_of(suite_image, tests + TRUTH, suite=suite)
    run = await run_tests(bubblewrap, repository, request_of(test_s=60, suite_s=90))
    assert run.ending == "completed"
    assert run.outcomes[TRUTH_ID] == "failed"
    assert run.output_bytes > 1_000_000_000
    assert len(run.output) < 10_000


STARVED = {
    "memory": ("x = bytearray(10**10); x[::4096] = b'x' * len(x[::4096])", "memory"),
    "memory, bit by bit": (
        "x = []\n    while True: x.append(bytearray(10**6))",
        "memory",
    ),
    "disk": ("f = open('/tmp/x', 'wb')\n    while True: f.write(bytes(10**6))", "disk"),
    "processes": ("import os\n    while True: os.fork()", "processes"),
    "threads": (
        (
            "import threading, time\n"
            "    while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"
        ),
        "processes",
    ),
}
ENDINGS = {
    "memory": "out_of_memory",
    "disk": "disk_limit",
    "processes": "process_limit",
}


@pytest.mark.parametrize("name", STARVED)
async def test_a_starved_test_did_not_fail_an_assertion(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Out of memory, disk or processes: a class of its own, by run or by test."""
    body, cause = STARVED[name]
    tests = f"def test_greedy():\n    {body}\n"
    memory_mb = 256 if cause == "memory" else 2048
    suite = Suite(paths=("tests",), memory_mb=memory_mb, disk_mb=64, processes=64)
    repository = repository_of(suite_image, tests, suite=suite)
    run = await run_tests(bubblewrap, repository, request_of(test_s=5, suite_s=20))
    test = "tests/test_it.py::test_greedy"
    if run.ending == "completed":
        # A fork bomb's first process may be the one that is told to wait.
        assert run.outcomes[test] in {"error", "timeout"}, run
        assert run.causes.get(test) == cause or run.outcomes[test] == "timeout", run
    else:
        assert run.ending == ENDINGS[cause], run
        assert run.outcomes.get(test, "missing") != "failed"


async def test_the_host_can_t_be_seen(
    bubblewrap: SandboxProvider,
    suite_image: Image,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No network, no file of the host, no variable of our process."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    monkeypatch.setenv("ENVPLATFORM_TEST_SECRET", "hidden")
    tests = f"""
import os, pathlib, socket, pytest

def test_network():
    with pytest.raises(OSError):
        socket.create_connection(("1.1.1.1", 53), timeout=1)

def test_host_file():
    assert not pathlib.Path({str(secret)!r}).exists()

def test_environment():
    assert "hidden" not in os.environ.values()
    assert set(os.environ) >= {{"TZ", "PYTHONHASHSEED"}}

def test_processes():
    others = [p for p in os.listdir("/proc") if p.isdigit()]
    assert str({os.getpid()}) not in others or len(others) < 20
"""
    run = await run_tests(bubblewrap, repository_of(suite_image, tests), request_of())
    assert set(run.outcomes.values()) == {"passed"}, run.reports
    assert run.ending == "completed"


async def test_each_run_starts_from_the_same_files(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """What one run writes, the next does not see."""
    tests = """
import pathlib
def test_first():
    mark = pathlib.Path('/workspace/mark')
    assert not mark.exists()
    mark.write_text('x')
    pathlib.Path('/tests/.p2f/start.py').write_text('raise SystemExit(0)')
"""
    repository = repository_of(suite_image, tests)
    request: RunRequest = request_of()
    for _ in range(2):
        run = await run_tests(bubblewrap, repository, request)
        assert set(run.outcomes.values()) == {"passed"}
