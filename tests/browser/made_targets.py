"""Four tiny repositories, fixes of others, a seed, and the `envplatform.toml` for them.

Three are healthy; the suite of `made__red` fails, so it can be no target.
"""

from pathlib import Path

from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from tests.made_fixes import make_fixes

STABLE_TESTS = {"made__clamp": 6, "made__spans": 2, "made__words": 3}
"""Healthy targets to the number of their tests, no two alike."""
BAD = "made__red"
SEED = "contract_clauses"
"""A seed that ships, over files alone: its gate takes the fewest seconds."""
ENVIRONMENTS = 2
"""Asked for from each target; there are more proven bugs than that."""

_CLAMP = """
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value


def shift(values, step):
    return [value + step for value in values]
"""
_TEST_CLAMP = """
import pytest

from clamp import clamp, shift


@pytest.mark.parametrize(
    ("value", "kept"), [(-1, 0), (0, 0), (3, 3), (9, 9), (10, 9)]
)
def test_stays_inside(value, kept):
    assert clamp(value, 0, 9) == kept


def test_shifts_each():
    assert shift([1, 2], 3) == [4, 5]
"""
_SPANS = """
def inside(value, low, high):
    return low <= value <= high


def unused(value):
    return value - 1
"""
_TEST_SPANS = """
from spans import inside


def test_ends_count():
    assert inside(1, 1, 3)
    assert inside(3, 1, 3)


def test_outside():
    assert not inside(0, 1, 3)
"""
_WORDS = """
def longest(words):
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word
    return best
"""
_TEST_WORDS = """
from words import longest


def test_the_first_of_the_longest():
    assert longest(["a", "bcd", "efg"]) == "bcd"


def test_none():
    assert longest([]) == ""


def test_one():
    assert longest(["a"]) == "a"
"""
_RED = """
def half(value):
    return value / 2
"""
_TEST_RED = """
from red import half


def test_half():
    assert half(4) == 3
"""
_FILES = {
    "made__clamp": ("clamp", _CLAMP, _TEST_CLAMP),
    "made__spans": ("spans", _SPANS, _TEST_SPANS),
    "made__words": ("words", _WORDS, _TEST_WORDS),
    BAD: ("red", _RED, _TEST_RED),
}
_CONFIGURATION = """\
profile = "browser"
[sandbox]
kind = "bubblewrap"
[targets]
builtin = []
files = [{files}]
[seeds]
builtin = ["{seed}"]
python = "{python}"
[res]
depth = 2
explorer_turns = 20
ablations = ["one_operator"]
[synthesis]
candidates_per_repository = 4
environments_per_repository = {environments}
fail_to_pass_repeats = 2
{fixes}"""


def write_configuration(folder: Path, *, python: str) -> Path:
    """Write the repositories below `folder`, and the configuration that names them."""
    files = []
    for name, (module, code, tests) in _FILES.items():
        target = _write_target(folder / name, name, module, python=python)
        source = folder / name / "source"
        (source / "tests").mkdir(parents=True)
        (source / f"{module}.py").write_text(code.lstrip(), encoding="utf-8")
        tests_file = source / "tests" / f"test_{module}.py"
        tests_file.write_text(tests.lstrip(), encoding="utf-8")
        files.append(f'"{target.relative_to(folder)}"')
    path = folder / "envplatform.toml"
    text = _CONFIGURATION.format(
        files=", ".join(files),
        environments=ENVIRONMENTS,
        seed=SEED,
        python=python,
        fixes=make_fixes(folder, with_gone=True).toml,
    )
    path.write_text(text, encoding="utf-8")
    return path


def _write_target(folder: Path, name: str, module: str, *, python: str) -> Path:
    pins = ", ".join(f'"{pin}"' for pin in DEFAULT_REQUIREMENTS)
    text = f"""\
name = "{name}"
license = "Apache-2.0"
python = ["{python}"]
requirements = [{pins}]
[source]
kind = "path"
path = "source"
[suite]
paths = ["tests"]
[code]
roots = ["{module}.py"]
"""
    folder.mkdir()
    path = folder / "target.toml"
    path.write_text(text, encoding="utf-8")
    return path
