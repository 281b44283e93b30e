"""Local folders: what is read, what is guessed, and a patch verified on the spot."""

import sys
from pathlib import Path

import pytest

from envplatform.errors import PatchError, TargetError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.p2f import VerificationSettings, local_target, verify_patch
from envplatform.swe.targets import PackageIndex, guess_target, read_folder
from envplatform.tree import File, write_tree
from tests.swe.made_suites import CALC, tree_of

LAYOUTS = {
    "flat": (
        ["pkg/__init__.py", "pkg/a.py", "tests/test_a.py", "setup.py", "docs/conf.py"],
        ("tests",),
        ("pkg",),
        (".",),
    ),
    "src": (
        ["src/pkg/__init__.py", "src/other.py", "test/test_a.py", "noxfile.py"],
        ("test",),
        ("src/other.py", "src/pkg"),
        ("src", "."),
    ),
    "tests inside": (
        ["pkg/__init__.py", "pkg/tests/test_a.py", "pkg/sub/tests/test_b.py"],
        ("pkg/sub/tests", "pkg/tests"),
        ("pkg",),
        (".",),
    ),
    "one file": (["mod.py", "test_mod.py"], ("test_mod.py",), ("mod.py",), (".",)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_usual_layouts(name: str) -> None:
    """Tests, code and import folders of the layouts people use."""
    paths, tests, roots, pythonpath = LAYOUTS[name]
    tree = tree_of(dict.fromkeys(paths, "x = 1\n"))
    target = guess_target(tree, folder=Path("somewhere"))
    assert target.suite.paths == tests
    assert target.code.roots == roots
    assert target.suite.pythonpath == pythonpath
    assert target.name == "local__somewhere"
    assert not any(target.code.holds(path) for path in paths if "test" in path)


def test_given_pins_win(tmp_path: Path) -> None:
    """And bad ones are named."""
    tree = tree_of({"mod.py": "", "test_mod.py": ""})
    target = guess_target(tree, folder=tmp_path, requirements=("pytest==8.0", "x==1"))
    assert "pytest==8.0" in target.requirements
    assert "x==1" in target.requirements
    assert sum(pin.startswith("pytest==") for pin in target.requirements) == 1
    with pytest.raises(TargetError, match=r"requirements.*'x>=1'"):
        guess_target(tree, folder=tmp_path, requirements=("x>=1",))


@pytest.mark.parametrize(
    ("paths", "part"),
    [(["mod.py"], "tests"), (["tests/test_a.py"], "Python code"), (["a.txt"], "tests")],
)
def test_what_can_t_be_made_out_is_said(paths: list[str], part: str) -> None:
    """With the remedy."""
    tree = tree_of(dict.fromkeys(paths, ""))
    with pytest.raises(TargetError, match=rf"{part}.*write a target\.toml"):
        guess_target(tree, folder=Path("x"))


def test_a_folder_is_read_without_what_tools_left(tmp_path: Path) -> None:
    """No version control, no caches, no links."""
    write_tree(
        tree_of({"a.py": "x", ".git/config": "x", "p/__pycache__/a": "x"}), tmp_path
    )
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    (tmp_path / "a.py").chmod(0o755)
    assert read_folder(tmp_path) == {"a.py": File(b"x", executable=True)}
    with pytest.raises(TargetError, match="is not a folder"):
        read_folder(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TargetError, match="holds no files"):
        read_folder(tmp_path / "empty")


TESTS = "from calc import add\ndef test_add(): assert add(1, 2) == 3\n"
SETTINGS = VerificationSettings(repeats=3)
INDEX = PackageIndex()


async def test_a_patch_on_a_plain_folder(
    bubblewrap: SandboxProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """No target.toml, no store: a guess, a baseline, a verdict."""
    before = tree_of({"calc.py": CALC, "tests/test_calc.py": TESTS})
    write_tree(before, tmp_path)
    after = {**before, "calc.py": File(CALC.replace("a + b", "a - b").encode())}
    stages: list[str] = []
    verdict, baseline = await verify_patch(
        bubblewrap,
        diff_trees(before, after),
        local_target(tmp_path),
        cache=cache_folder / "images",
        index=INDEX,
        settings=SETTINGS,
        told=stages.append,
    )
    assert len(stages) == 3
    assert baseline is not None
    assert verdict.fail_to_pass == ("tests/test_calc.py::test_add",)
    assert baseline.stable == ("tests/test_calc.py::test_add",)


async def test_a_missing_module_is_named_with_the_remedy(
    bubblewrap: SandboxProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """The suite imports something that nobody pinned."""
    tests = "import not_pinned\n" + TESTS
    before = tree_of({"calc.py": CALC, "tests/test_calc.py": tests})
    write_tree(before, tmp_path)
    after = {**before, "calc.py": File(CALC.replace("a + b", "a - b").encode())}
    with pytest.raises(
        TargetError, match=r"'not_pinned'[^$]*--requirement name==version"
    ):
        await verify_patch(
            bubblewrap,
            diff_trees(before, after),
            local_target(tmp_path),
            cache=cache_folder / "images",
            index=INDEX,
            settings=SETTINGS,
            told=print,
        )


async def test_a_text_that_is_no_patch(
    bubblewrap: SandboxProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """Said before anything runs."""
    write_tree(tree_of({"calc.py": CALC, "tests/test_calc.py": TESTS}), tmp_path)
    with pytest.raises(PatchError):
        await verify_patch(
            bubblewrap,
            "not a patch\n",
            local_target(tmp_path),
            cache=cache_folder / "images",
            index=INDEX,
            settings=SETTINGS,
            told=print,
        )


def test_a_folder_with_a_target_file_is_taken_at_its_word(tmp_path: Path) -> None:
    """No guess then."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / "target.toml").write_text(f"""
name = "my__repo"
license = "MIT"
python = ["{minor}"]
requirements = ["pytest==9.2.0", "coverage==7.17.5"]
source = {{ kind = "path", path = "." }}
code = {{ roots = ["calc.py"] }}
""")
    assert local_target(tmp_path).name == "my__repo"
