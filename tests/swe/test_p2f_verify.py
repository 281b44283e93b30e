"""Cold verification in bubblewrap: proven bugs, and a reason for everything else."""

import asyncio
import re
from collections.abc import Mapping, Sequence

import pytest

from envplatform.errors import SandboxError, TargetError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import (
    Image,
    SandboxProvider,
)
from envplatform.swe.candidate import BugCandidate, Rejection, Verdict
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    measure_baseline,
    verify_candidate,
    verify_candidates,
)
from envplatform.swe.targets import Code, HealthyRepository, Suite
from envplatform.tree import File, Tree
from tests.fakes import CountingProvider
from tests.swe.made_suites import candidate_of, repository_of

BANK = """
LIMIT = 100
NAMES = [f"n{i}" for i in range(3)]


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def pay(self, amount):
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount
        return self.balance

    def wait(self, times):
        while times > 0:
            times -= 1
        return times

    def unused(self):
        return 1
"""
TESTS = """
import pytest
from bank import LIMIT, NAMES, Account

@pytest.fixture
def account(): return Account(10)

def test_pay(account): assert account.pay(3) == 7
def test_all(account): assert account.pay(10) == 0
def test_too_much(account):
    with pytest.raises(ValueError): account.pay(11)
def test_wait(account): assert account.wait(5) == 0
def test_limit(): assert LIMIT == 100
@pytest.mark.parametrize("name", NAMES)
def test_names(name): assert name.startswith("n")
"""
QUICK = VerificationSettings(repeats=4, least_test_s=1.0, least_suite_s=8.0)
ALL = {
    "test_all", "test_limit", "test_names[n0]", "test_names[n1]", "test_names[n2]",
    "test_pay", "test_too_much", "test_wait",
}  # fmt: skip


@pytest.fixture(scope="module")
def repository(suite_image: Image) -> HealthyRepository:
    """A small bank with a suite that is green."""
    return repository_of(
        suite_image,
        TESTS,
        more={"bank.py": BANK, "README.md": "# Bank\n"},
        suite=Suite(
            paths=("tests",),
            test_timeout_s=3,
            suite_timeout_s=20,
            memory_mb=512,
            disk_mb=64,
            processes=64,
        ),
        code=Code(roots=("bank.py", "calc.py")),
    )


@pytest.fixture(scope="module")
def baseline(bubblewrap: SandboxProvider, repository: HealthyRepository) -> Baseline:
    """Measured once."""
    return asyncio.run(measure_baseline(bubblewrap, repository))


def changed(repository: HealthyRepository, old: str, new: str) -> BugCandidate:
    """A candidate that replaces `old` in bank.py."""
    text = repository.tree["bank.py"].data.decode()
    assert old in text
    after = {**repository.tree, "bank.py": File(text.replace(old, new, 1).encode())}
    return candidate_of(repository, diff_trees(repository.tree, after))


def names(tests: Sequence[str]) -> set[str]:
    """Ids without their file."""
    return {test.split("::", 1)[1] for test in tests}


async def test_a_bug_is_proved(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """The boundary is off by one: one test fails in every run, the rest pass."""
    candidate = changed(repository, "amount > self.balance", "amount >= self.balance")
    verdict = await verify_candidate(bubblewrap, repository, baseline, candidate, QUICK)
    assert verdict.verified
    assert names(verdict.fail_to_pass) == {"test_all"}
    assert names(verdict.pass_to_pass) == ALL - {"test_all"}
    assert verdict.runs == 2
    assert re.fullmatch(r"bubblewrap [\d.]+", verdict.sandbox)
    assert "test_all" in verdict.failure_report
    assert "ValueError: not enough" in verdict.failure_report
    assert ">=" not in verdict.failure_report
    assert verdict.cost.seconds > 0


SEED = "import os; seed = int(os.environ['PYTHONHASHSEED']); return "
REJECTED: dict[str, tuple[str, str, Rejection, str]] = {
    "nothing fails": ("return times\n\n", "return times * 1\n\n", "no_failure", "passes"),
    "comment only": ("return times\n\n", "return times  # x\n\n", "no_failure", "nothing"),
    "no test runs it": ("return 1\n", "return 2\n", "uncovered", "no stable test"),
    "does not compile": ("return times\n\n", "return times)\n\n", "does_not_compile", "bank.py"),
    "loops": ("times -= 1", "times += 1", "timeout", "test_wait"),
    "import breaks": ("LIMIT = 100", "import gone", "collection_error", "test_it.py"),
    "set-up breaks": ("self.balance = balance", "raise KeyError", "only_errors", "error"),
    "ids change": ("range(3)", "range(3, 6)", "only_errors", "missing"),
    "import in a call": ("self.balance -= amount", "import gone", "only_errors", "error"),
    "leaves": ("times -= 1", "import os; os._exit(0)", "crashed", "test_wait"),
    "fills memory": ("times -= 1", "x = bytearray(10**10)", "out_of_memory", "test_wait"),
    "fails by seed": ("return times\n\n", SEED + "1 - seed\n\n", "flaky", "some runs"),
    "fails twice": ("return times\n\n", SEED + "seed < 2\n\n", "flaky", "repetitions"),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
async def test_what_is_rejected_and_why(
    name: str,
    bubblewrap: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
) -> None:
    """Each class has its own name, and a line for a person."""
    old, new, reason, part = REJECTED[name]
    candidate = changed(repository, old, new)
    verdict = await verify_candidate(bubblewrap, repository, baseline, candidate, QUICK)
    assert (verdict.rejection, part in verdict.detail) == (reason, True), verdict
    assert not verdict.verified
    assert verdict.fail_to_pass == verdict.pass_to_pass == ()
    assert verdict.failure_report == ""


def _replaced(tree: Tree, path: str, data: bytes) -> str:
    return diff_trees(tree, {**tree, path: File(data)})


PATCHES: Mapping[str, Rejection] = {
    "no diff": "does_not_apply",
    "other content": "does_not_apply",
    "leaves the tree": "does_not_apply",
    "absolute": "does_not_apply",
    "a test": "touches_tests",
    "a new conftest": "touches_tests",
    "the suite's configuration": "touches_tests",
    "a test beside the bug": "touches_tests",
    "the read-me": "uncovered",
}


@pytest.mark.parametrize("name", PATCHES)
async def test_patches_that_are_refused_before_anything_runs(
    name: str,
    bubblewrap: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
) -> None:
    """Not applicable, outside, or on the tests: rejected with the path."""
    tree = repository.tree
    bug = changed(repository, "amount >", "amount >=").bug_patch
    test = "tests/test_it.py"
    patch = {
        "no diff": "once upon a time\n",
        "other content": bug.replace("self.balance", "self.money"),
        "leaves the tree": bug.replace("bank.py", "../bank.py"),
        "absolute": bug.replace("a/bank.py", "/etc/passwd"),
        "a test": _replaced(tree, test, b""),
        "a new conftest": _replaced(tree, "conftest.py", b"x = 1\n"),
        "the suite's configuration": _replaced(tree, "pytest.ini", b"[pytest]\n"),
        "a test beside the bug": bug + _replaced(tree, test, b""),
        "the read-me": _replaced(tree, "README.md", b"# Banks\n"),
    }[name]
    candidate = candidate_of(repository, patch)
    verdict = await verify_candidate(bubblewrap, repository, baseline, candidate, QUICK)
    assert verdict.rejection == PATCHES[name], verdict
    assert verdict.detail
    assert verdict.runs == 0


async def test_a_candidate_of_another_tree_is_an_error(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """A verdict about the wrong tree would be worse than none."""
    candidate = changed(repository, "amount >", "amount >=")
    other = repository_of(repository.image, TESTS)
    with pytest.raises(TargetError, match="prepare and measure again"):
        await verify_candidate(bubblewrap, other, baseline, candidate, QUICK)


async def test_many_at_once_give_the_same_as_one_by_one(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """Each bug once, whichever is done first, and one verdict a candidate."""
    candidates = [
        changed(repository, "amount > self.balance", "amount >= self.balance"),
        changed(repository, "return 1\n", "return 2\n"),
        changed(repository, "self.balance -= amount", "self.balance += amount"),
        changed(repository, "amount > self.balance", "amount  >=  self.balance"),
    ]
    found = {
        verdict.candidate_id: verdict
        async for verdict in verify_candidates(
            bubblewrap, repository, baseline, candidates, QUICK
        )
    }
    verdicts = [found[candidate.candidate_id] for candidate in candidates]
    reasons = [verdict.rejection for verdict in verdicts]
    assert reasons == [None, "uncovered", None, "duplicate"]
    assert candidates[0].candidate_id in verdicts[3].detail
    alone = await verify_candidate(
        bubblewrap, repository, baseline, candidates[2], QUICK
    )
    assert _without_cost(alone) == _without_cost(verdicts[2])


def _without_cost(verdict: Verdict) -> tuple[object, ...]:
    return (
        verdict.rejection,
        verdict.detail,
        verdict.fail_to_pass,
        verdict.pass_to_pass,
        verdict.failure_report,
        verdict.runs,
    )


async def test_a_lost_sandbox_is_no_verdict_and_costs_no_other(
    bubblewrap: SandboxProvider, repository: HealthyRepository, baseline: Baseline
) -> None:
    """The others are yielded first; then the error says how many are left."""
    candidates = [
        changed(repository, "amount > self.balance", "amount >= self.balance"),
        changed(repository, "self.balance -= amount", "self.balance += amount"),
    ]
    one_at_a_time = VerificationSettings(repeats=2, concurrency=1)
    provider = CountingProvider(bubblewrap, failing={2})
    found = verify_candidates(provider, repository, baseline, candidates, one_at_a_time)
    assert (await anext(found)).verified
    with pytest.raises(SandboxError, match=r"no verdict on 1 of 2 .* daemon is gone"):
        await anext(found)


@pytest.mark.parametrize(
    ("runs", "repeats", "concurrency"), [(1, 10, 1), (2, 1, 1), (2, 10, 0)]
)
def test_settings_that_would_prove_nothing(
    runs: int, repeats: int, concurrency: int
) -> None:
    """One run can't tell a flaky test from a failing one."""
    with pytest.raises(ValueError, match="at least 2 runs"):
        VerificationSettings(runs=runs, repeats=repeats, concurrency=concurrency)


@pytest.mark.parametrize(
    ("is_stateful", "sandboxes"),
    [(False, 2), (True, 4)],  # 4: two runs, one that was in vain, and repetitions
)
async def test_a_survivor_is_repeated_in_its_last_run_with_the_verdict_of_an_audit(
    bubblewrap: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    *,
    is_stateful: bool,
    sandboxes: int,
) -> None:
    """A test that fails in forks only makes the merged run unlike the first."""
    text = repository.tree["bank.py"].data.decode()
    buggy = text.replace("> self.balance", ">= self.balance")
    if is_stateful:
        buggy = buggy.replace("times -= 1", "times -= 1 + (os.getpid() != STARTED)")
        buggy = "import os\nSTARTED = os.getpid()\n" + buggy
    after = {**repository.tree, "bank.py": File(buggy.encode())}
    candidate = candidate_of(repository, diff_trees(repository.tree, after))
    stable = frozenset(baseline.stable)
    counting = CountingProvider(bubblewrap)
    verdict = await verify_candidate(
        counting, repository, baseline, candidate, QUICK, survivor_of=stable
    )
    assert counting.opened == sandboxes
    audit = await verify_candidate(bubblewrap, repository, baseline, candidate, QUICK)
    assert verdict.verified
    assert (verdict.fail_to_pass, verdict.pass_to_pass, verdict.failure_report) == (
        audit.fail_to_pass, audit.pass_to_pass, audit.failure_report,
    )  # fmt: skip
    assert verdict.runs == audit.runs == 2
