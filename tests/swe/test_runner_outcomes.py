"""What the runner says of honest suites: classes, ids, order, repetitions, lines."""

import ast
import itertools
from dataclasses import replace
from importlib import resources

import pytest

from envplatform.errors import TargetError
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f.result import Coverage
from envplatform.swe.targets import Suite
from tests.swe.made_suites import repository_of, request_of, run_tests

EVERY_CLASS = """
import errno, unittest
import pytest
from calc import add

def test_passed(): assert add(1, 2) == 3
def test_failed(): assert add(1, 2) == 4, "sum"
def test_exit(): raise SystemExit(0)
@pytest.fixture
def broken(): raise ValueError("set-up")
def test_error(broken): pass
@pytest.fixture
def breaks_after():
    yield
    raise ValueError("tear-down")
def test_error_after(breaks_after): pass
def test_failed_and_error(breaks_after): assert False
@pytest.mark.skip
def test_skipped(): pass
def test_skipped_inside(): pytest.skip("later")
@pytest.mark.xfail
def test_xfailed(): assert False
@pytest.mark.xfail
def test_xpassed(): pass
@pytest.mark.xfail(strict=True)
def test_xpassed_strict(): pass
def test_timeout():
    while True: pass
def test_import(): import module_that_is_not_there
def test_memory(): raise MemoryError
def test_disk(): raise OSError(errno.ENOSPC, "full")
class TestSub(unittest.TestCase):
    def test_sub_failed(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
    def test_sub_passed(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 9)
    @unittest.expectedFailure
    def test_xfailed_unittest(self): self.fail()
    def test_skipped_unittest(self): self.skipTest("why")
@pytest.mark.parametrize("x", ["a b", "[", "x::y", "\\u00e9\\u2028", "-k"])
def test_passed_ids(x): pass
"""


async def test_every_class_of_outcome(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The name of each test begins with its class."""
    repository = repository_of(suite_image, EVERY_CLASS)
    run = await run_tests(bubblewrap, repository, request_of(test_s=1))
    assert run.ending == "completed"
    assert len(run.outcomes) == 24
    expected = {
        "exit": "failed",
        "sub": "failed",
        "import": "error",
        "memory": "error",
        "disk": "error",
    }
    for test, outcome in run.outcomes.items():
        name = test.split("[")[0].split("::")[-1]
        word = name.removeprefix("test_").split("_")[0]
        if test.endswith("sub_passed"):
            assert outcome == "passed"
        else:
            assert outcome == expected.get(word, word), test
    assert {t.split("_")[-1]: c for t, c in run.causes.items()} == {
        "import": "import",
        "memory": "memory",
        "disk": "disk",
    }
    assert run.seconds_by_test["tests/test_it.py::test_timeout"] >= 1


async def test_all_ids_can_be_chosen_again(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Spaces, brackets, colons and non-ASCII in ids; unknown ones are missing."""
    repository = repository_of(suite_image, EVERY_CLASS)
    first = await run_tests(bubblewrap, repository, request_of(test_s=1))
    ids = tuple(test for test in first.outcomes if "test_passed" in test)
    assert len(ids) == 6
    lost = ("tests/test_it.py::test_gone", "tests/test_it.py::test_passed[")
    again = await run_tests(bubblewrap, repository, request_of(ids=(*ids, *lost)))
    assert again.ending == "completed"
    assert again.outcomes == {
        **dict.fromkeys(ids, "passed"),
        **dict.fromkeys(lost, "missing"),
    }


async def test_the_report_shows_the_test_and_not_the_code(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Lines of the code under test would give the bug away."""
    code = "def add(a, b):\n    return wrong_name\n"
    tests = """
from calc import add
def test_add(): assert add(1, 2) == 3
def test_inner():
    try:
        add(1, 2)
    except NameError as error:
        raise ValueError("outer") from error
"""
    repository = repository_of(suite_image, tests, more={"calc.py": code})
    run = await run_tests(bubblewrap, repository, request_of())
    report = run.reports["tests/test_it.py::test_add"]
    assert "assert add(1, 2) == 3" in report
    assert "NameError: name 'wrong_name' is not defined" in report
    everything = "".join(run.reports.values())
    assert "return wrong_name" not in everything
    assert "ValueError: outer" in everything


SHUFFLED = """
import pytest
SEEN = []
class TestA:
    @pytest.mark.parametrize("i", range(5))
    def test_a(self, i): SEEN.append(i)
class TestB:
    @pytest.mark.parametrize("i", range(5))
    def test_b(self, i): SEEN.append(i)
"""


async def test_shuffling_is_seeded_and_keeps_groups(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Same seed, same order; another seed, another; a class stays together."""
    more = {f"tests/test_{n}.py": SHUFFLED for n in range(3)}
    repository = repository_of(suite_image, "def test_x(): pass\n", more=more)
    orders = []
    for seed in (1, 1, 2):
        request = replace(request_of(), shuffle=True, seed=seed)
        run = await run_tests(bubblewrap, repository, request)
        orders.append(list(run.outcomes))
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])
    assert orders[0] != sorted(orders[0])
    groups = [test.rpartition("::")[0] for test in orders[0]]
    changes = sum(a != b for a, b in itertools.pairwise(groups))
    assert changes == len(set(groups)) - 1


async def test_seeds_reach_random_and_hashes(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Equal seeds draw equally, whatever else is selected; others differ."""
    tests = """
import os, random
def test_other(): random.random()
def test_draw(): raise ValueError(f"{random.random()} {hash('x')}")
"""
    repository = repository_of(suite_image, tests)
    draw = "tests/test_it.py::test_draw"
    said = []
    for seed, ids in ((0, None), (0, (draw,)), (1, None)):
        request = replace(request_of(ids=ids), seed=seed)
        run = await run_tests(bubblewrap, repository, request)
        said.append(run.reports[draw])
    assert said[0] == said[1] != said[2]


async def test_repetitions_start_from_the_same_state(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """A test that changes its module fails the same way each time; draws differ."""
    tests = """
import random
STATE = []
def test_state():
    STATE.append(1)
    assert len(STATE) != 1
def test_draw():
    assert random.random() < 0.5
"""
    repository = repository_of(suite_image, tests)
    request = replace(request_of(), rounds=8)
    run = await run_tests(bubblewrap, repository, request)
    rounds = [run.outcomes, *run.repeats]
    assert run.ending == "completed"
    assert [r["tests/test_it.py::test_state"] for r in rounds] == ["failed"] * 8
    assert {r["tests/test_it.py::test_draw"] for r in rounds} == {"passed", "failed"}


async def test_a_repetition_that_dies_is_no_completed_run(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Leaving in the second round is seen in the second round."""
    tests = """
import os, pathlib
def test_leave():
    mark = pathlib.Path("/tmp/mark")
    if mark.exists(): os._exit(0)
    mark.touch()
"""
    request = replace(request_of(), rounds=3)
    run = await run_tests(bubblewrap, repository_of(suite_image, tests), request)
    assert run.ending == "inconsistent"


async def test_with_threads_at_import_a_run_has_one_round(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """A fork would lose them: the caller asks again for the rest."""
    conftest = """
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
"""
    repository = repository_of(
        suite_image, "def test_x(): pass\n", more={"tests/conftest.py": conftest}
    )
    run = await run_tests(bubblewrap, repository, replace(request_of(), rounds=5))
    assert (run.ending, len(run.repeats)) == ("completed", 0)


COVERED = """
import pytest
from calc import add
@pytest.fixture(scope="module")
def wide(): return add(0, 1)
def test_wide(wide): pass
def test_long(): add(1, 2)
def test_short(): add(0, 2)
def test_none(): pass
"""


async def test_lines_by_test_import_and_shared_fixture(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Three kinds of time are kept apart; lines of tests are not recorded."""
    request = replace(request_of(), cover=True)
    run = await run_tests(bubblewrap, repository_of(suite_image, COVERED), request)
    name = "tests/test_it.py::test_"
    assert run.coverage == Coverage(
        by_test={
            f"{name}long": {"calc.py": (3, 5)},
            f"{name}short": {"calc.py": (3, 4)},
        },
        imported={"calc.py": (2, 8)},
        shared={"calc.py": (3, 4)},
        statements={"calc.py": (2, 3, 4, 5, 8, 9)},
    )


async def test_addopts_of_the_repository_have_no_say(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """`-x`, `--cov` and the like would end or slow what we measure."""
    tests = "def test_a(): assert False\ndef test_b(): pass\n"
    for name, text in (
        ("pytest.ini", "[pytest]\naddopts = -x --cov=calc --nonsense\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = ['-x', '--nonsense']\n",
        ),
    ):
        repository = repository_of(suite_image, tests, more={name: text})
        run = await run_tests(bubblewrap, repository, request_of())
        assert run.ending == "completed", run.output
        assert list(run.outcomes.values()) == ["failed", "passed"]


BREAKS: dict[str, dict[str, str]] = {
    "import": {"tests/test_b.py": "import module_that_is_not_there\n"},
    "syntax": {"tests/test_b.py": "def test_(:\n"},
    "conftest": {"tests/conftest.py": "import module_that_is_not_there\n"},
    "option": {},
    "code": {"calc.py": "def add(:\n"},
}


BREAKS_SAY = {
    "import": "tests/test_b.py can't be collected: ModuleNotFoundError: No module",
    "syntax": "tests/test_b.py can't be collected: SyntaxError: ",
    "conftest": "pytest could not start: E   ModuleNotFoundError: No module named",
    "option": "pytest could not start: ",
    "code": "tests/test_it.py can't be collected: SyntaxError: ",
}


@pytest.mark.parametrize("name", BREAKS)
async def test_what_can_t_be_collected(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Collection breakage is a class of its own."""
    args = ("--no-such-option",) if name == "option" else ()
    suite = Suite(paths=("tests",), args=args)
    tests = "from calc import add\ndef test_x(): pass\n"
    repository = repository_of(suite_image, tests, more=BREAKS[name], suite=suite)
    run = await run_tests(bubblewrap, repository, request_of())
    assert run.ending == "collection_error"
    assert BREAKS_SAY[name] in run.detail


async def test_a_suite_without_tests(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Nothing ran, so nothing is known."""
    run = await run_tests(
        bubblewrap, repository_of(suite_image, "x = 1\n"), request_of()
    )
    assert run.ending == "no_tests"


async def test_an_image_without_pytest_is_named(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    """That is the target's mistake, and no verdict."""
    repository = repository_of(bare_image, "def test_x(): pass\n")
    with pytest.raises(TargetError, match=r"made__calc.*No module named 'pytest'.*pin"):
        await run_tests(bubblewrap, repository, request_of())


@pytest.mark.parametrize(
    "name",
    [
        entry.name
        for entry in (resources.files("envplatform.swe.p2f") / "inside").iterdir()
        if entry.name.endswith(".py")
    ],
)
def test_the_files_inside_are_python_3_7(name: str) -> None:
    """Old targets run on old interpreters."""
    file = resources.files("envplatform.swe.p2f") / "inside" / name
    ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 7))
