"""Suites that lie, kill, flood and hide, and what must come of each."""

from dataclasses import dataclass

from envplatform.swe.candidate import RunEnding

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
