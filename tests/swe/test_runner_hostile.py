"""Suites that lie, kill, flood and hide: none may end in a false verdict.

Each runs for real in bubblewrap, and holds an honest test that fails, `test_truth`.
It must be reported as failed or not at all; and nothing may be called completed that
was not.
"""

import os
from pathlib import Path

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f.request import RunRequest
from tests.swe.attacks import ATTACKS, IMPOSTOR, TRUTH, TRUTH_ID
from tests.swe.made_suites import repository_of, request_of, run_tests


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
    suite_s = 5 if attack.ending == "timeout" else 60
    ids = (TRUTH_ID, *_others(attack.code))
    request = request_of(ids=ids, test_s=1, suite_s=suite_s)
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
