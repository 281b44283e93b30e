"""Code that is awkward to import: compiled, spread over folders, run by very many tests."""

import json
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.p2f import measure_baseline
from envplatform.swe.p2f.inside.channel import MAX_LINE
from envplatform.swe.p2f.inside.lines import parts_of
from envplatform.swe.targets import Code, Suite
from tests.swe.made_suites import BUG, SAME, judge_edits, repository_of

IT = "tests/test_it.py::"
SPREAD = {
    "src/big/one/__init__.py": "def one(a):\n    return a + 1\n",
    "src/big/deep/below/mod.py": "def deep(a):\n    return a * 3\n",
    "lib/big/two.py": "from big.one import one\n\n\ndef two(a):\n    return one(a) + 1\n",
}
SPREAD_TESTS = """
import big.deep.below.mod as mod
from big.one import one
from big.two import two
def test_one(): assert one(1) == 2
def test_two(): assert two(1) == 3
def test_deep(): assert mod.deep(2) == 6
"""


async def test_a_namespace_package_below_src_and_lib_is_proved_part_by_part(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    repository = repository_of(
        suite_image,
        SPREAD_TESTS,
        more=SPREAD,
        suite=Suite(
            paths=("tests",),
            pythonpath=("src", "lib"),
            test_timeout_s=5,
            suite_timeout_s=30,
        ),
        code=Code(roots=("src/big", "lib/big")),
    )
    edits = [
        ("a + 1", "a + 2", "src/big/one/__init__.py"),
        ("one(a) + 1", "one(a) + 2", "lib/big/two.py"),
        ("a * 3", "3 * a", "src/big/deep/below/mod.py"),
        ("a * 3", "a * 4", "src/big/deep/below/mod.py"),
    ]
    judged = await judge_edits(bubblewrap, repository, edits)
    assert judged.rejections == [None, None, "no_failure", None]
    assert [v.fail_to_pass for v in judged.verdicts] == [
        (f"{IT}test_one", f"{IT}test_two"),
        (f"{IT}test_two",),
        (),
        (f"{IT}test_deep",),
    ]
    assert judged.verdicts[1].pass_to_pass == (f"{IT}test_deep", f"{IT}test_one")
    assert judged.report.cold == 0


async def test_a_compiled_package_from_a_wheel_is_at_hand_cold_and_warm(
    bubblewrap: SandboxProvider, suite_image: Image, cache_folder: Path
) -> None:
    tests = """
import markupsafe._speedups
from calc import add
from markupsafe import escape
def test_escape(): assert escape("<%d>" % add(1, 1)) == "&lt;2&gt;"
def test_zero(): assert add(0, 1) == 1
"""
    pins = tuple(sorted({*suite_image.requirements, "markupsafe==3.0.3"}))
    image = build_image("compiled", suite_image.python, pins, cache_folder / "images")
    judged = await judge_edits(bubblewrap, repository_of(image, tests), [BUG, SAME])
    assert judged.rejections == [None, "no_failure"]
    assert judged.verdicts[0].fail_to_pass == (f"{IT}test_escape",)
    assert judged.verdicts[0].pass_to_pass == (f"{IT}test_zero",)
    assert judged.report.cold == 0


NEEDS = "from pkg import size\nfrom calc import add\ndef test(): assert add(1, size()) == 3\n"
LOST = "from pkg._fast import size\n"
FALLBACK = f"try:\n    {LOST}except ImportError:\n    def size():\n        return 2\n"


@pytest.mark.parametrize(
    "source", ["pkg/_fast.c", "pkg/_fastmodule.c", "pkg/_fast.pyx", "Cargo.toml"]
)
async def test_an_extension_that_is_not_built_is_named_with_its_source(
    source: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    more = {"pkg/__init__.py": LOST, source: '[lib]\nname = "_fast"\n'}
    repository = repository_of(suite_image, NEEDS, more=more)
    with pytest.raises(TargetError) as caught:
        await measure_baseline(bubblewrap, repository)
    assert f"pkg._fast is compiled from {source}" in str(caught.value)


async def test_a_module_that_nobody_compiles_is_only_missing(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    more = {"pkg/__init__.py": LOST, "pkg/other.c": "", "Cargo.toml": 'name = "x"\n'}
    repository = repository_of(suite_image, NEEDS, more=more)
    with pytest.raises(TargetError, match=r"No module named 'pkg._fast'$"):
        await measure_baseline(bubblewrap, repository)


async def test_code_that_does_without_its_extension_is_proved(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    more = {"pkg/__init__.py": FALLBACK, "pkg/_fast.c": ""}
    repository = repository_of(suite_image, NEEDS, more=more)
    judged = await judge_edits(bubblewrap, repository, [BUG, SAME])
    assert judged.rejections == [None, "no_failure"]
    assert judged.verdicts[0].fail_to_pass == (f"{IT}test",)


def test_the_lines_of_twenty_thousand_tests_are_sent_in_records_that_fit() -> None:
    lines = list(range(1, 101))
    found = {f"test:{IT}test_n[{n}]": lines for n in range(20_000)}
    parts = list(parts_of(found))
    assert {test: ran for part in parts for test, ran in part.items()} == found
    assert sum(map(len, parts)) == len(found)
    assert max(len(json.dumps(part)) for part in parts) < MAX_LINE / 4
    assert list(parts_of({})) == [{}]
