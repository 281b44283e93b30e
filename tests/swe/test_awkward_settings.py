"""Settings and plugins that would stop, order, repeat or distribute the tests."""

from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.p2f import measure_baseline
from tests.swe.made_suites import BUG, SAME, judge_edits, repository_of

IT = "tests/test_it.py::"
PLUGINS = (
    "pytest-cov==7.1.0",
    "pytest-random-order==1.2.0",
    "pytest-randomly==5.1.0",
    "pytest-rerunfailures==16.7",
    "pytest-xdist==3.8.0",
)
TESTS = """
import random
import pytest
from calc import add
SEEN = []

@pytest.mark.parametrize("n", range(8))
def test_n(n):
    SEEN.append(n)
    assert add(n, 0) == n
def test_order(): assert SEEN == sorted(SEEN)

@pytest.mark.xdist_group("one")
@pytest.mark.no_cover
@pytest.mark.random_order(disabled=True)
def test_marked(worker_id): assert add(1, 1) == 2 and worker_id == "master"

TRIED = []
@pytest.mark.flaky(reruns=3)
def test_second_time_lucky():
    TRIED.append(1)
    assert len(TRIED) > 1
def test_draw(): assert add(random.random(), 0) < 1
"""
STABLE = {f"{IT}test_n[{n}]" for n in range(8)} | {f"{IT}test_draw", f"{IT}test_marked"}
SETTINGS = {
    "options": (
        "addopts = -x --cov=calc --cov-fail-under=99 -n auto --random-order "
        "-p no:randomly --strict-markers --doctest-modules"
    ),
    "warnings": "filterwarnings = error\ncache_dir = .c\nlooponfailroots = calc\nreruns = 2",
    "strict": "strict_markers = true\nstrict_config = true\ncache_dir = .c",
    "required": "required_plugins = pytest-xdist pytest-cov>=1\nxfail_strict = true",
}


@pytest.fixture(scope="module")
def plugin_image(suite_image: Image, cache_folder: Path) -> Image:
    """An image with the plugins that change which tests run, and how often."""
    pins = tuple(sorted({*suite_image.requirements, *PLUGINS}))
    return build_image("plugins", suite_image.python, pins, cache_folder / "images")


@pytest.mark.parametrize("name", SETTINGS)
async def test_plugins_and_strict_settings_neither_order_nor_stop_nor_repeat(
    name: str, bubblewrap: SandboxProvider, plugin_image: Image
) -> None:
    """The same tests are stable under each, and the screen stays warm."""
    more = {"pytest.ini": f"[pytest]\n{SETTINGS[name]}\n"}
    repository = repository_of(plugin_image, TESTS, more=more)
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    assert set(judged.baseline.stable) == STABLE
    why = {u.test_id.removeprefix(IT): u.why for u in judged.baseline.unstable}
    assert why["test_order"].startswith("failed in shuffled order")
    assert why["test_second_time_lucky"].startswith("failed in every run")
    assert judged.rejections == [None, "no_failure"]
    assert judged.verdicts[0].fail_to_pass == (f"{IT}test_marked",)
    assert set(judged.verdicts[0].pass_to_pass) == STABLE - {f"{IT}test_marked"}
    assert judged.report.cold == 0


PLAIN = """
import logging
from calc import add
def test_add(): assert add(1, 1) == 2
def test_zero(): assert add(0, 3) == 3
def test_log():
    logging.getLogger("x").warning("%s", add(2, 2))
    assert add(2, 2) == 4
"""
THREADS = """
import logging, threading, time
STOP = threading.Event()
for daemon in (True, False):
    threading.Thread(target=STOP.wait, daemon=daemon).start()
def spin():
    while True:
        with logging._lock: time.sleep(0.001)
threading.Thread(target=spin, daemon=True).start()
"""
PATCHED = """
import json, os, random, signal, time
class Clock:
    now = 1e9
    def __call__(self, *_):
        Clock.now -= 100
        return Clock.now
for name in ("time", "monotonic", "perf_counter", "time_ns", "perf_counter_ns"):
    setattr(time, name, Clock())
time.sleep = lambda _: None
os.getpid = lambda: 7
os.fork = lambda: 0
os._exit = lambda *_: None
os.write = lambda *_: 0
os.getcwd = lambda: "/nowhere"
os.environ.clear()
os.chdir("/")
random.seed = lambda *_: None
json.dumps = lambda *_, **__: "{}"
signal.setitimer = lambda *_: (0, 0)
signal.signal = lambda *_: None
"""
TRACING = """
import sys
import pytest
@pytest.fixture(autouse=True)
def traced():
    yield
    sys.settrace(None)
"""


@pytest.mark.parametrize(
    "conftest", [THREADS, PATCHED, TRACING], ids=["threads", "patched", "tracing"]
)
async def test_a_conftest_that_meddles_changes_no_verdict(
    conftest: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Threads that hold locks, a clock that runs back, a tracer that is taken away."""
    repository = repository_of(suite_image, PLAIN, more={"conftest.py": conftest})
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    assert judged.rejections == [None, "no_failure"]
    assert set(judged.verdicts[0].fail_to_pass) == {f"{IT}test_add", f"{IT}test_log"}
    assert judged.verdicts[0].pass_to_pass == (f"{IT}test_zero",)


async def test_a_conftest_that_leaves_when_something_is_wrong_proves_nothing(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    leaving = """
import os
import pytest
from calc import add
@pytest.fixture(autouse=True)
def leave():
    yield
    if add(1, 1) != 2: os._exit(0)
"""
    repository = repository_of(suite_image, PLAIN, more={"conftest.py": leaving})
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    assert judged.rejections == ["crashed", "no_failure"]
    assert "status 0" in judged.verdicts[0].detail


@pytest.mark.parametrize("hook", ["pytest_sessionstart", "pytest_sessionfinish"])
async def test_a_conftest_that_always_leaves_is_refused(
    hook: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    leaving = f"import os\ndef {hook}(): os._exit(0)\n"
    repository = repository_of(suite_image, PLAIN, more={"conftest.py": leaving})
    with pytest.raises(TargetError, match="ended with status 0 before pytest did"):
        await measure_baseline(bubblewrap, repository)
