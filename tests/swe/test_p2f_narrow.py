"""What a fork collects, and in which order: asked of pytest itself, in this process."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from envplatform.swe.p2f.inside.screen_narrow import Narrow
from envplatform.swe.p2f.screen.select import _quickest

TESTS = """
import pytest
def pytest_generate_tests(metafunc):
    if "made" in metafunc.fixturenames:
        raise AssertionError("nobody asked for it")
def test_unwanted(made): pass
@pytest.mark.parametrize("at", ["a::b", "c"])
def test_one(at): pass
def test_two(): pass
class TestOf:
    def test_three(self): pass
    def test_four(self, made): pass
class TestNone:
    def test_five(self, made): pass
"""
WANTED = (
    "tests/test_it.py::TestOf::test_three",
    "tests/test_it.py::test_two",
    "tests/test_it.py::test_one[c]",
    "tests/test_it.py::test_one[a::b]",
)


class _Seen:
    """Keeps what was collected, and the threshold while files are read."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.broken: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note failures."""
        if report.failed:
            self.broken.append(report.nodeid)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the order."""
        self.ids = [item.nodeid for item in session.items]


@pytest.fixture(autouse=True)
def _same_garbage() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    assert gc.get_threshold() == before


def collected(root: Path, paths: tuple[str, ...], narrow: Narrow) -> _Seen:
    """What pytest makes of `paths`."""
    seen = _Seen()
    arguments = [f"--rootdir={root}", "-c", str(root / "none.ini"), "--collect-only"]
    arguments += ["-q", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    arguments += ["--import-mode=importlib"]  # one process, many files of one name
    files = [str(root / path) for path in paths]
    pytest.main([*arguments, *files], plugins=[narrow, seen])
    return seen


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of two files, the second of which can't be imported."""
    (tmp_path / "none.ini").write_text("[pytest]\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    (tmp_path / "tests" / "test_not.py").write_text("raise AssertionError\n")
    return tmp_path


@pytest.mark.parametrize("folder", ["tests/test_it.py", "tests"])
def test_only_what_is_wanted_is_made_in_the_order_that_it_is_wanted_in(
    root: Path, folder: str
) -> None:
    narrow = Narrow()
    narrow.want(str(root), WANTED, [folder])
    seen = collected(root, (folder,), narrow)
    assert seen.broken == (["tests/test_not.py"] if folder == "tests" else [])
    assert seen.ids == list(WANTED)


def test_before_it_is_told_everything_is_collected(root: Path) -> None:
    seen = collected(root, ("tests/test_it.py",), Narrow())
    assert seen.broken == ["tests/test_it.py"]


def test_each_function_comes_once_before_any_comes_twice_and_classes_stay_whole() -> (
    None
):
    seconds = {"t::a[1]": 0.2, "t::a[2]": 0.1, "t::b": 0.3, "t::C::d": 0.0}
    assert _quickest([*seconds], seconds) == ["t::a[2]", "t::b", "t::a[1]", "t::C::d"]
