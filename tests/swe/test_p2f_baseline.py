"""Baselines of suites that are red, flaky, hanging, greedy: a clear result each time."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f import measure_baseline
from envplatform.swe.targets import Suite, builtin_target, configured_index, prepare
from tests.swe.made_suites import repository_of

GOOD = """
from calc import add
def test_good(): assert add(1, 2) == 3
def test_zero(): assert add(0, 2) == 2
"""
STABLE = ("tests/test_it.py::test_good", "tests/test_it.py::test_zero")
SUITE = Suite(
    paths=("tests",),
    test_timeout_s=2,
    suite_timeout_s=60,
    memory_mb=512,
    disk_mb=64,
    processes=64,
)

RED = "def test_red(): assert False\n"
ERROR = "def test_red(nothing): pass\n"
SKIPPED = "import pytest\ndef test_skip(): pytest.skip('no')\n"
ORDER = "SEEN = []\n" + "".join(
    f"def test_{n}(): SEEN.append({n}); assert SEEN == sorted(SEEN)\n" for n in range(6)
)
HANGS = "def test_hang():\n    while True: pass\n"
HANGS_FOR_GOOD = """
import signal, time
def test_hang():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(99)
"""
LEAVES = "import os\ndef test_leave(): os._exit(0)\n"
NETWORK = """
import socket
def test_net(): socket.create_connection(("1.1.1.1", 80), timeout=1)
"""
MEMORY = "def test_memory():\n    x = []\n    while True: x.append(bytearray(10**6))\n"
DISK = """
def test_disk():
    f = open('/tmp/x', 'wb')
    while True: f.write(bytes(10**6))
"""
FORKS = "import os\ndef test_fork():\n    while True: os.fork()\n"
SPOILED = {
    "red": (RED, "failed in every run: assert False"),
    "error": (ERROR, "error in every run"),
    "skipped": (SKIPPED, "skipped in every run"),
    "depends on order": (ORDER, "in shuffled order"),
    "hangs": (HANGS, "timeout in every run"),
    "hangs for good": (HANGS_FOR_GOOD, "ends the whole run (timeout"),
    "leaves": (LEAVES, "ends the whole run (crashed"),
    "network": (NETWORK, "failed in every run: OSError: [Errno 101] Network"),
    "fills memory": (MEMORY, "emory"),
    "fills the disk": (DISK, "disk"),
    "forks without end": (FORKS, "process"),
}


@pytest.mark.parametrize("name", SPOILED)
async def test_a_stable_set_is_found_beside_spoiled_tests(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The good tests are stable; the spoiled ones are listed with the reason."""
    code, why = SPOILED[name]
    repository = repository_of(suite_image, GOOD + code, suite=SUITE)
    baseline = await measure_baseline(bubblewrap, repository)
    assert baseline.unstable
    if name != "depends on order":
        assert baseline.stable == STABLE
    assert set(STABLE) <= set(baseline.stable)
    assert {u.test_id for u in baseline.unstable}.isdisjoint(baseline.stable)
    assert all(why in unstable.why for unstable in baseline.unstable), baseline.unstable
    assert baseline.runs == 4
    assert baseline.suite_s > 0
    assert baseline.coverage.by_test[STABLE[0]] == {"calc.py": (3, 5)}


HOPELESS = {
    "all red": (
        "def test_a(): assert 'x' == 'y'\n",
        ["no test passes in all", "tests/test_it.py::test_a", "'x' == 'y'"],
    ),
    "no tests": ("x = 1\n", ["no_tests"]),
    "broken": ("import not_installed\n", ["tests/test_it.py", "not_installed"]),
    "hangs at import": ("while True: pass\n", ["timeout", "8 s"]),
    "leaves at import": ("import os; os._exit(0)\n", ["crashed", "status 0"]),
    "sys.exit at import": ("import sys; sys.exit(0)\n", ["crashed"]),
    "forks without end": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
        ["does not run to its end"],
    ),
    "fills memory": (
        "x = []\nwhile True: x.append(bytearray(10**6))\n",
        ["out_of_memory"],
    ),
}


@pytest.mark.parametrize("name", HOPELESS)
async def test_a_suite_without_a_stable_test_is_refused(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The error names the target and what happened first."""
    code, parts = HOPELESS[name]
    suite = replace(SUITE, suite_timeout_s=8) if "hangs" in name else SUITE
    repository = repository_of(suite_image, code, suite=suite)
    with pytest.raises(TargetError) as caught:
        await measure_baseline(bubblewrap, repository)
    for part in ("made__calc", *parts):
        assert part in str(caught.value)


async def test_a_flaky_test_is_not_stable(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Forty coins: each run draws its own, so few are left, and those by chance."""
    coins = """
import random
import pytest
@pytest.mark.parametrize("coin", range(40))
def test_coin(coin): assert random.random() < 0.5
"""
    repository = repository_of(suite_image, GOOD + coins, suite=SUITE)
    baseline = await measure_baseline(bubblewrap, repository)
    assert set(STABLE) <= set(baseline.stable)
    assert len(baseline.stable) < 20
    reasons = " ".join(unstable.why for unstable in baseline.unstable)
    assert "in shuffled order" in reasons or "differs from run to run" in reasons


async def test_a_broken_file_costs_only_itself(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Its tests don't exist, the others count."""
    more = {"tests/test_broken.py": "import not_installed\n"}
    repository = repository_of(suite_image, GOOD, more=more)
    baseline = await measure_baseline(bubblewrap, repository)
    assert baseline.stable == STABLE
    assert "not_installed" in baseline.broken["tests/test_broken.py"]


async def test_a_printing_suite_is_measured(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """A gigabyte a run is read and dropped."""
    printing = """
import os
def test_print():
    line = b'x' * 1_000_000
    for _ in range(1000): os.write(1, line)
"""
    suite = Suite(paths=("tests",), test_timeout_s=60, memory_mb=256, disk_mb=64)
    repository = repository_of(suite_image, GOOD + printing, suite=suite)
    baseline = await measure_baseline(bubblewrap, repository)
    assert baseline.stable == (STABLE[0], "tests/test_it.py::test_print", STABLE[1])


async def test_covered_lines_and_their_share(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Lines of tests and of the import, out of all statements."""
    baseline = await measure_baseline(bubblewrap, repository_of(suite_image, GOOD))
    assert baseline.covered_lines("calc.py") == {2, 3, 4, 5, 8}
    assert baseline.covered_share == pytest.approx(5 / 6)


async def test_a_real_release_from_the_package_index(
    bubblewrap: SandboxProvider, cache_folder: Path
) -> None:
    """Fetched, unpacked and measured like in a user's first run."""
    cache = cache_folder / "targets"
    target = builtin_target("jpvanhal__inflection")
    repository = await prepare(target, cache, index=configured_index())
    baseline = await measure_baseline(bubblewrap, repository)
    assert len(baseline.stable) == 455
    assert baseline.unstable == ()
    assert baseline.covered_share > 0.9
