"""Our verdict on real, judged bugs is SWE-bench's own: gold patches turned around.

Two of nine by default; ENVPLATFORM_SWEBENCH=all runs the rest, some minutes.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.swebench_instances import Instance, instances
from benchmarks.swebench_verdicts import compare
from envplatform.errors import PatchError, TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.targets import PackageIndex, configured_index, list_sdists

SHARED = Path(os.environ.get("ENVPLATFORM_SHARED", "../shared"))
REPOSITORY = Path(__file__).parents[2]
DEFAULT = {"marshmallow-code__marshmallow-1252", "marshmallow-code__marshmallow-1524"}
LATER = {"pydicom__pydicom-1069", "pydicom__pydicom-1608"}
"""Their releases are later than the fix: some tests have other names there, and some
need files that pydicom's tests would fetch.
"""
ALL = os.environ.get("ENVPLATFORM_SWEBENCH") == "all"


@pytest.fixture(scope="module")
def judged() -> dict[str, Instance]:
    """The nine, by id."""
    try:
        return {one.instance_id: one for one in instances(SHARED)}
    except FileNotFoundError as error:
        pytest.skip(f"{error}; ENVPLATFORM_SHARED names the folder")


@pytest.fixture(scope="module")
def index() -> PackageIndex:
    """The index that pip uses; skips where it does not answer."""
    found = configured_index()
    try:
        list_sdists("marshmallow", index=found)
    except TargetError as error:
        pytest.skip(str(error))
    return found


def test_there_are_nine_instances(judged: dict[str, Instance]) -> None:
    assert len(judged) == 9
    assert judged.keys() >= DEFAULT
    assert all(one.fail_to_pass for one in judged.values())


@pytest.mark.parametrize(
    "instance_id",
    [
        "marshmallow-code__marshmallow-1164",
        "marshmallow-code__marshmallow-1252",
        "marshmallow-code__marshmallow-1359",
        "marshmallow-code__marshmallow-1524",
        "marshmallow-code__marshmallow-1702",
        "marshmallow-code__marshmallow-1810",
        "pydicom__pydicom-1069",
        "pydicom__pydicom-1255",
        "pydicom__pydicom-1608",
    ],
)
async def test_the_verdict_is_theirs(
    bubblewrap: SandboxProvider,
    judged: dict[str, Instance],
    index: PackageIndex,
    cache_folder: Path,
    instance_id: str,
) -> None:
    if not ALL and instance_id not in DEFAULT:
        pytest.skip("takes long; ENVPLATFORM_SWEBENCH=all runs it")
    found = await compare(bubblewrap, judged[instance_id], cache_folder / "swe", index)
    assert found.equal, found
    if instance_id not in LATER:
        assert found.pass_to_pass_missing == 0, found


async def test_a_release_without_the_fix_is_told(
    bubblewrap: SandboxProvider,
    judged: dict[str, Instance],
    index: PackageIndex,
    cache_folder: Path,
) -> None:
    one = judged["marshmallow-code__marshmallow-1524"]
    elsewhere = replace(one, patch=judged["marshmallow-code__marshmallow-1810"].patch)
    with pytest.raises(PatchError, match=r"src/marshmallow"):
        await compare(bubblewrap, elsewhere, cache_folder / "swe", index)
    with pytest.raises(TargetError, match=r"0\.0\.77: the index has no"):
        await compare(
            bubblewrap, replace(one, version="0.0.77"), cache_folder / "swe", index
        )


@pytest.mark.parametrize(
    ("options", "reason"),
    [(["--shared", "nowhere"], "ENVPLATFORM_SHARED"), (["no__such-1"], "no__such-1")],
)
def test_the_benchmark_says_why_there_is_no_figure(
    judged: dict[str, Instance], options: list[str], reason: str
) -> None:
    del judged  # needed: skips where the data is not there
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.swebench_verdicts", *options],
        cwd=REPOSITORY,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "ENVPLATFORM_SHARED": str(SHARED.resolve())},
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "no figure: " in done.stderr
    assert reason in done.stderr
