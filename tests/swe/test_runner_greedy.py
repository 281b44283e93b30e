"""Suites that print, eat memory, fill the disk or fork without end."""

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.targets import Suite
from tests.swe.attacks import TRUTH, TRUTH_ID
from tests.swe.made_suites import repository_of, request_of, run_tests


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
