"""Repositories that are awkward to run: their settings, names, threads and layout."""

import functools
import http.server
import io
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.targets import Code, Package, Suite, target_digest
from envplatform.swe.targets.installed import installed_files
from tests.swe.made_suites import repository_of, request_of, run_tests

TESTS = """
import pytest

from calc import add


def test_fails_first():
    assert add(1, 1) == 3


@pytest.mark.parametrize("a", [1], ids=["é::[x] y/z"])
def test_add(a):
    assert add(a, 1) == 2
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -x --cov=calc --maxfail=1 -n 4 --lf\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --cov calc -p no_such_plugin\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-x', '--cov']\n"),
        ("tox.ini", "[pytest]\naddopts = --strict-config -k nothing\nunknown = 3\n"),
    ],
)
async def test_options_of_a_repository_neither_stop_nor_select(
    name: str, text: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    repository = repository_of(suite_image, TESTS, more={name: text})
    run = await run_tests(bubblewrap, repository, request_of())
    assert run.ending == "completed"
    assert sorted(run.outcomes.values()) == ["failed", "passed"]


async def test_odd_ids_can_be_asked_for_again(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Spaces, brackets, colons, slashes and what is not ASCII."""
    repository = repository_of(suite_image, TESTS)
    first = await run_tests(bubblewrap, repository, request_of())
    odd = next(test for test in first.outcomes if "test_add" in test)
    assert odd.endswith("[\\xe9::[x] y/z]")
    again = await run_tests(bubblewrap, repository, request_of(ids=(odd,)))
    assert again.outcomes == {odd: "passed"}


async def test_a_conftest_that_starts_threads_hangs_nothing(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    threads = (
        "import threading, time\n"
        "stop = threading.Event()\n"
        "for daemon in (True, False):\n"
        "    threading.Thread(target=stop.wait, daemon=daemon).start()\n"
        "def pytest_sessionfinish():\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()\n"
    )
    repository = repository_of(suite_image, TESTS, more={"conftest.py": threads})
    run = await run_tests(bubblewrap, repository, request_of())
    assert run.ending == "completed"
    assert run.seconds < 30
    assert sorted(run.outcomes.values()) == ["failed", "passed"]


async def test_namespace_packages_below_src_are_imported_and_covered(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The same name twice, in two folders: one package without `__init__.py`."""
    tests = "from big.one import a\nfrom big.two import b\n\n\ndef test_ab(): assert a < b\n"
    repository = repository_of(
        suite_image,
        tests,
        more={"src/big/one/__init__.py": "a = 1\n", "lib/big/two.py": "b = 2\n"},
        suite=Suite(paths=("tests",), pythonpath=("src", "lib")),
        code=Code(roots=("src/big", "lib/big")),
    )
    run = await run_tests(bubblewrap, repository, request_of())
    assert set(run.outcomes.values()) == {"passed"}
    paths = repository.target.source_paths(repository.tree)
    assert paths == ("lib/big/two.py", "src/big/one/__init__.py")


async def test_a_package_that_is_not_installed_finds_its_version_and_entry_points(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    tests = (
        "from importlib import metadata\n\n\n"
        "def test_version():\n    assert metadata.version('Made.calc-x') == '1.2'\n\n\n"
        "def test_points():\n"
        "    (point,) = metadata.entry_points(group='made.group')\n"
        "    assert point.load()(1, 2) == 3\n"
    )
    package = Package(
        name="made-calc.x",
        version="1.2",
        entry_points={"made.group": {"a b": "calc:add"}},
    )
    plain = repository_of(suite_image, tests)
    target = replace(plain.target, package=package)
    tree = {**plain.tree, **installed_files(target, plain.tree)}
    assert not installed_files(target, tree)
    repository = replace(plain, target=target, tree=tree)
    run = await run_tests(bubblewrap, repository, request_of())
    assert set(run.outcomes.values()) == {"passed"}
    assert target_digest(target) != target_digest(plain.target)


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def private_index(tmp_path: Path) -> Iterator[str]:
    """An index of one package that no other has."""
    name = "envplatform_made_private-1.0-py3-none-any.whl"
    folder = tmp_path / "index" / "simple" / "envplatform-made-private"
    folder.mkdir(parents=True)
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        info = "envplatform_made_private-1.0.dist-info"
        archive.writestr("made_private.py", "x = 1\n")
        about = "Metadata-Version: 2.1\nName: envplatform-made-private\nVersion: 1.0\n"
        archive.writestr(f"{info}/METADATA", about)
        tag = "Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: true\n"
        archive.writestr(f"{info}/WHEEL", f"{tag}Tag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    (folder / name).write_bytes(wheel.getvalue())
    (folder / "index.html").write_text(f'<a href="{name}">{name}</a>')
    handler = functools.partial(Silent, directory=str(tmp_path / "index"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()
        thread.join()


def test_packages_come_from_the_index_that_pip_is_set_up_for(
    private_index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", private_index)
    version = "{}.{}".format(*sys.version_info[:2])
    pins = ("envplatform-made-private==1.0",)
    image = build_image("private", version, pins, tmp_path / "images")
    assert image.site is not None
    assert (image.site / "made_private.py").read_text() == "x = 1\n"
