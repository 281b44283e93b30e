"""The warm screen against repositories that try to fool it: cold is always right."""

import asyncio
from collections.abc import Sequence

import pytest

from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    measure_baseline,
    verify_candidates,
)
from envplatform.swe.p2f.changes import apply_change
from envplatform.swe.p2f.screen.answers import Answer, Question
from envplatform.swe.p2f.screen.ask import screen
from envplatform.swe.p2f.screen.fast import verify_candidates_fast
from envplatform.swe.p2f.screen.report import FastReport, FastSettings
from envplatform.swe.p2f.screen.select import select_tests
from envplatform.swe.targets import Code, HealthyRepository, Suite
from envplatform.tree import File
from tests.swe.made_suites import candidate_of, repository_of

QUICK = VerificationSettings(repeats=2, least_test_s=1.0, least_suite_s=8.0)
IMPATIENT = VerificationSettings(repeats=2, least_test_s=1.0, least_suite_s=3.0)
UNAUDITED = FastSettings(audit_share=0.0, least_audits=0)
SHOP = """
import functools
import os

SEEN = []


def price(amount):
    SEEN.append(amount)
    return amount * 2


@functools.lru_cache
def cached(amount):
    return amount + 1


def total(amounts):
    result = 0
    for amount in amounts:
        result = result + price(amount)
    return result


def place():
    return "here"


def wait(times):
    while times > 0:
        times = times - 1
    return times
"""
INIT = "from shop.core import cached, place, price, total, wait\n"
TESTS = """
import os, subprocess, sys
import pytest
from shop import SEEN_AT_IMPORT, cached, core, place, price, total, wait

def test_price(): assert price(2) == 4
def test_cached(): assert cached(1) == 2
def test_total(): assert total([1, 2]) == 6
def test_seen():
    core.SEEN.clear()
    price(1)
    assert core.SEEN == [1]
def test_place(tmp_path):
    (tmp_path / "x").write_text(place())
    with open("written.txt", "a") as stream:
        stream.write("x")
    assert open("written.txt").read() == "x"
def test_wait(): assert wait(3) == 0
def test_nothing(): assert SEEN_AT_IMPORT == 0
"""
CONFTEST = """
import shop.core
import pytest

@pytest.fixture(autouse=True)
def clean():
    yield
    import os
    if os.path.exists("written.txt"):
        os.unlink("written.txt")
"""


def shop(image: Image, **more: str) -> HealthyRepository:
    """A package whose parts are imported everywhere, its conftest included."""
    return repository_of(
        image,
        TESTS,
        more={
            "shop/__init__.py": INIT + "SEEN_AT_IMPORT = len(core.SEEN)\n",
            "shop/core.py": SHOP,
            "tests/conftest.py": CONFTEST,
            **more,
        },
        suite=Suite(
            paths=("tests",),
            test_timeout_s=3,
            suite_timeout_s=20,
            memory_mb=512,
            processes=64,
        ),
        code=Code(roots=("shop", "calc.py")),
    )


@pytest.fixture(scope="module")
def repository(suite_image: Image) -> HealthyRepository:
    """The shop."""
    return shop(suite_image)


@pytest.fixture(scope="module")
def baseline(bubblewrap: SandboxProvider, repository: HealthyRepository) -> Baseline:
    """Measured once."""
    return asyncio.run(measure_baseline(bubblewrap, repository))


def changed(
    repository: HealthyRepository, old: str, new: str, path: str = "shop/core.py"
) -> BugCandidate:
    """A candidate that replaces `old`."""
    text = repository.tree[path].data.decode()
    assert old in text
    after = {**repository.tree, path: File(text.replace(old, new, 1).encode())}
    return candidate_of(repository, diff_trees(repository.tree, after))


async def answers_of(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    settings: VerificationSettings = QUICK,
) -> tuple[Answer, ...]:
    """What the screen says of candidates that a fork can judge."""
    questions = []
    for candidate in candidates:
        change = apply_change(repository.tree, candidate.bug_patch)
        selection = select_tests(repository, baseline, change)
        assert selection is not None
        files = {path: change.tree[path].data for path in change.lines}
        questions.append(Question(files=files, stages=selection.stages))
    return await screen(provider, repository, baseline, questions, settings)


BUG = ("return amount * 2", "return amount * 3")
SAME = ("return amount * 2", "return 2 * amount")
HARMLESS = ("return amount + 1", "return 1 + amount")
ODD = {
    "bug": (BUG, "survives"),
    "cached": (("return amount + 1", "return amount + 2"), "survives"),
    "same": (SAME, "no_failure"),
    "harmless": (HARMLESS, "no_failure"),
    "state": (("SEEN.append(amount)", "SEEN.extend([amount, amount])"), "survives"),
    "error": (("    return amount * 2", "    import gone_module"), "only_errors"),
    "syntax": (("    return amount * 2", "    return ("), "does_not_compile"),
    "loop": (("times = times - 1", "times = times + 1"), "survives"),  # is confirmed
    "exit": (("return amount * 2", "os._exit(0)"), "cold"),
    "segfault": (("return amount * 2", "os.kill(os.getpid(), 11)"), "cold"),
    "fork": (
        (
            "return amount * 2",
            "os.fork() or __import__('time').sleep(60); return amount * 2",
        ),
        "no_failure",
    ),
    "daemon": (
        (
            "return amount * 2",
            (
                "os.system('(while :; do echo x > /workspace/shop/core.py; done) &'); "
                "return amount * 2"
            ),
        ),
        "no_failure",
    ),
    "tamper": (
        (
            "return amount * 2",
            (
                "open('/workspace/shop/core.py', 'w').close(); "
                "open('/workspace/tests/test_it.py', 'w').close(); "
                "os.makedirs('/workspace/os', exist_ok=True); "
                "open('/workspace/os/__init__.py', 'w').close(); "
                "open('/workspace/pytest.ini', 'w').write('[pytest]'); "
                "return amount * 2"
            ),
        ),
        "no_failure",
    ),
    "delete": (
        (
            "return amount * 2",
            (
                "__import__('shutil').rmtree('/workspace', ignore_errors=True); "
                "__import__('shutil').rmtree('/tests', ignore_errors=True); "
                "os.makedirs('/workspace', exist_ok=True); return amount * 2"
            ),
        ),
        "no_failure",
    ),
    "chmod": (
        (
            "return amount * 2",
            (
                "os.chmod('/workspace/shop', 0); os.chmod('/workspace', 0o500); "
                "return amount * 2"
            ),
        ),
        "survives",
    ),
    "peeks": (
        (
            "return amount * 2",
            (
                "os.listdir('/proc/self/fd'); "
                "seen = [os.access(f'/proc/{os.getppid()}/{name}', os.R_OK)"
                " for name in ('mem', 'environ', 'fd')]; "
                "return amount * (3 if any(seen) else 2)"
            ),
        ),
        "no_failure",
    ),
    "garbage": (
        (
            "return amount * 2",
            (
                "[os.write(n, b'0' * 64 + b' 0 {}' + bytes([10])) for n in range(3, 64)"
                " if os.path.exists(f'/proc/self/fd/{n}')]; return amount * 2"
            ),
        ),
        "cold",
    ),
}
KILLERS = {
    "kills the worker": "os.kill(os.getppid(), 9)",
    "kills everything": "os.kill(-1, 9)",
    "stops the worker": "os.kill(os.getppid(), 19)",
}


async def test_odd_candidates_leave_no_trace_for_each_other(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """After each one a bug still survives, and what changes nothing is still rejected."""
    asked: list[tuple[tuple[str, str], str]] = []
    for change, said in ODD.values():
        asked += [(change, said), (BUG, "survives"), (SAME, "no_failure")]
    candidates = [changed(repository, *change) for change, _ in asked]
    answers = await answers_of(bubblewrap, repository, baseline, candidates)
    found = [answer.said for answer in answers]
    names = [name for name in ODD for _ in range(3)]
    wrong = [
        (name, want, answer)
        for name, (_, want), answer in zip(names, asked, answers, strict=True)
        if answer.said != want
    ]
    assert not wrong, found


@pytest.mark.parametrize("name", KILLERS)
async def test_what_ends_the_screen_goes_cold_and_costs_no_other(
    bubblewrap: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    name: str,
) -> None:
    """The rest is asked in another sandbox."""
    killer = changed(repository, "return amount * 2", f"{KILLERS[name]}; return 2")
    same, bug = changed(repository, *SAME), changed(repository, *BUG)
    answers = await answers_of(
        bubblewrap, repository, baseline, [same, killer, bug, same], IMPATIENT
    )
    assert [a.said for a in answers] == ["no_failure", "cold", "survives", "no_failure"]


async def both(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    candidates: Sequence[BugCandidate],
    fast: FastSettings = UNAUDITED,
) -> tuple[dict[str, Verdict], dict[str, Verdict], FastReport]:
    """Fast verdicts and cold ones, by candidate."""
    reports: list[FastReport] = []
    quick = {
        verdict.candidate_id: verdict
        async for verdict in verify_candidates_fast(
            provider,
            repository,
            baseline,
            candidates,
            QUICK,
            fast=fast,
            reported=reports.append,
        )
    }
    cold = {
        verdict.candidate_id: verdict
        async for verdict in verify_candidates(
            provider, repository, baseline, candidates, QUICK
        )
    }
    return quick, cold, reports[0]


async def test_both_tiers_agree_on_every_odd_candidate(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """The same rejection, or the same tests."""
    compared = ("bug", "cached", "state", "error", "tamper", "exit", "loop")
    candidates = [changed(repository, *ODD[name][0]) for name in compared]
    killer = f"{KILLERS['kills the worker']}; return 2"
    candidates.append(changed(repository, "return amount * 2", killer))
    candidates += [
        changed(repository, "SEEN = []", "SEEN = [1]"),
        changed(repository, "@functools.lru_cache\n", ""),
        changed(repository, "def price(amount)", "def price(amount, more)"),
        changed(repository, "import cached,", "import", "shop/__init__.py"),
        candidates[0],
    ]
    quick, cold, report = await both(bubblewrap, repository, baseline, candidates)
    assert {
        name: (v.rejection, v.fail_to_pass, v.pass_to_pass) for name, v in quick.items()
    } == {
        name: (v.rejection, v.fail_to_pass, v.pass_to_pass) for name, v in cold.items()
    }
    assert report.candidates == len(candidates)
    assert report.screened == len(compared) - 1
    assert report.cold == 2 + 4  # two that end it, four that change what runs at import
    assert not report.widened


async def test_a_miss_of_the_screen_is_found_and_widens_everything(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """A test that reads its source fails, and runs no changed line."""
    tests = """
import ast, inspect
from calc import add
def test_add(): assert add(1, 2) == 3
def test_source():
    assert "a + b" in open("calc.py").read()
"""
    repository = repository_of(suite_image, tests)
    baseline = await measure_baseline(bubblewrap, repository)
    hidden = changed(repository, "return a + b", "return b + a", "calc.py")
    bug = changed(repository, "return a + b", "return a - b", "calc.py")
    unaudited, cold, report = await both(
        bubblewrap, repository, baseline, [hidden, bug]
    )
    assert unaudited[hidden.candidate_id].rejection == "no_failure"
    assert (report.audited_rejected, report.screen_miss_interval) == (0, (0.0, 1.0))
    audited, _, report = await both(
        bubblewrap, repository, baseline, [hidden, bug], FastSettings()
    )
    assert report.widened
    assert (report.missed, report.screen_miss_rate) == (1, 1.0)
    assert {name: v.fail_to_pass for name, v in audited.items()} == {
        name: v.fail_to_pass for name, v in cold.items()
    }
    assert {d.candidate_id for d in report.differences} >= {hidden.candidate_id}


async def test_an_audit_sees_what_a_selection_proves_and_the_whole_suite_does_not(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """A test that only fails without another one before it is no proof."""
    tests = "from calc import add\ndef test_add(): assert add(1, 2) == 3\n"
    first = "import os\ndef test_warm(): os.environ['WARM'] = '1'\n"
    repository = repository_of(suite_image, tests, more={"tests/test_a.py": first})
    baseline = await measure_baseline(bubblewrap, repository)
    cold_only = [
        changed(
            repository,
            "return a + b",
            f"return a + b if __import__('os').getenv('WARM') else a - {wrong}",
            "calc.py",
        )
        for wrong in ("b", "b - 1")
    ]
    found, cold, report = await both(bubblewrap, repository, baseline, cold_only)
    assert all(verdict.verified for verdict in found.values()), "nobody looked"
    assert not any(verdict.verified for verdict in cold.values())
    audits = FastSettings(audit_share=0.0, least_audits=1)
    found, cold, report = await both(
        bubblewrap, repository, baseline, cold_only, audits
    )
    assert (report.audited_confirmed, report.widened) == (1, True)
    assert not any(verdict.verified for verdict in found.values())


async def test_a_batch_that_would_be_audited_whole_goes_cold_at_once(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    tests = "from calc import add\ndef test_add(): assert add(1, 2) == 3\n"
    repository = repository_of(suite_image, tests)
    baseline = await measure_baseline(bubblewrap, repository)
    bug = changed(repository, "return a + b", "return a - b", "calc.py")
    found, cold, report = await both(
        bubblewrap, repository, baseline, [bug], FastSettings(least_candidates=2)
    )
    assert (report.screened, report.cold, report.audited_confirmed) == (0, 1, 0)
    assert found[bug.candidate_id].fail_to_pass == cold[bug.candidate_id].fail_to_pass


async def test_a_thread_from_an_import_does_not_reach_the_worker(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Modules that start threads are imported in each fork, not before."""
    tests = """
import threading
import beside
from calc import add
def test_add(): assert add(1, 2) == 3
def test_thread(): assert threading.active_count() == 2 and beside.THREAD.is_alive()
"""
    beside = """
import threading
GO = threading.Event()
THREAD = threading.Thread(target=GO.wait, daemon=True)
THREAD.start()
"""
    repository = repository_of(suite_image, tests, more={"beside.py": beside})
    baseline = await measure_baseline(bubblewrap, repository)
    bug = changed(repository, "return a + b", "return a - b", "calc.py")
    same = changed(repository, "return a + b", "return b + a", "calc.py")
    answers = await answers_of(bubblewrap, repository, baseline, [bug, same])
    assert [answer.said for answer in answers] == ["survives", "no_failure"]


async def test_a_test_that_does_not_pass_in_a_fork_sends_candidates_cold(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The healthy suite is tried warm first; this one sees who started it."""
    tests = """
from pathlib import Path
from calc import add
def test_add():
    parent = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[1]
    assert b"worker" not in Path(f"/proc/{parent}/cmdline").read_bytes()
    assert add(1, 2) == 3
"""
    repository = repository_of(suite_image, tests)
    baseline = await measure_baseline(bubblewrap, repository)
    bug = changed(repository, "return a + b", "return a - b", "calc.py")
    answers = await answers_of(bubblewrap, repository, baseline, [bug])
    assert [answer.said for answer in answers] == ["cold"]


async def test_a_trial_is_over_with_its_first_failure(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """No tear-down is waited for; a test that the bug skips is no failure."""
    tests = """
import pytest
from calc import add
@pytest.fixture
def patient():
    yield
    while add(1, 1) != 2:
        pass
def test_add(patient): assert add(1, 2) == 3
def test_skip():
    if add(0, 7) != 7:
        pytest.skip("no")
"""
    repository = repository_of(suite_image, tests)
    baseline = await measure_baseline(bubblewrap, repository)
    fails = changed(repository, "return a + b", "return a - b", "calc.py")
    skips = changed(repository, "return b\n", "return a\n", "calc.py")
    answers = await answers_of(bubblewrap, repository, baseline, [fails, skips])
    assert [(answer.said, answer.detail) for answer in answers] == [
        ("survives", "tests/test_it.py::test_add"),
        (
            "only_errors",
            "1 tests break without judging: tests/test_it.py::test_skip (skipped)",
        ),
    ]


async def test_tests_about_what_pytest_says_are_not_left_to_a_fork(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Assertions are not rewritten there, unless the target asks for it."""
    tests = """
import pytest
from calc import add
def test_message():
    with pytest.raises(AssertionError, match="assert 3 == 4"):
        assert add(1, 2) == 4
"""
    said = []
    for args in ((), ("--assert=rewrite",)):
        suite = Suite(paths=("tests",), args=args, test_timeout_s=3, suite_timeout_s=30)
        repository = repository_of(suite_image, tests, suite=suite)
        baseline = await measure_baseline(bubblewrap, repository)
        bug = changed(repository, "return a + b", "return a - b", "calc.py")
        (answer,) = await answers_of(bubblewrap, repository, baseline, [bug])
        said.append(answer.said)
    assert said == ["cold", "survives"]
