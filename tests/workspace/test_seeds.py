"""Every seed that ships: proven solvable, graded with judgement, closed to its answer."""

from dataclasses import replace

import pytest

from envplatform.bundle import ImageReference, core_digest, environment_digest
from envplatform.errors import BundleError, ConfigError
from envplatform.grading import apply_solution, grade, open_environment, run_gate
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.toml_file import parse_toml
from envplatform.tree import File
from envplatform.workspace import (
    Fault,
    Seed,
    builtin_seeds,
    read_seed,
    seed_environment,
)
from envplatform.workspace.fault import check_faults, with_fault


def reference(image: Image) -> ImageReference:
    return ImageReference(
        name=image.name, python=image.python, requirements=(), digest=image.digest
    )


@pytest.mark.parametrize("name", builtin_seeds())
async def test_a_seed_passes_the_gate(
    bubblewrap: SandboxProvider, bare_image: Image, name: str
) -> None:
    environment = seed_environment(name, reference(bare_image))
    checks = await run_gate(bubblewrap, environment, image=bare_image)
    assert {one.name: one.status for one in checks} == {
        one.name: "passed" for one in checks
    }, checks


@pytest.mark.parametrize("name", builtin_seeds())
async def test_each_fault_lowers_its_criterion(
    bubblewrap: SandboxProvider, bare_image: Image, name: str
) -> None:
    """A grader that gives full marks to a wrong answer is worse than none."""
    seed, _ = read_seed(name)
    environment = seed_environment(name, reference(bare_image))
    async with open_environment(bubblewrap, environment, image=bare_image) as opened:
        await apply_solution(opened.sandbox, environment)
        final = await opened.final()
    assert final.served is not None
    for fault in seed.fault:
        workspace, served = final.workspace, final.served
        if fault.where == "workspace":
            workspace = with_fault(workspace, fault)
        else:
            served = replace(served, held=with_fault(served.held, fault))
        grading = await grade(
            bubblewrap, environment, workspace, image=bare_image, served=served
        )
        assert grading.components[fault.criterion] < 1, fault
        assert grading.reward is not None
        assert grading.reward < 1


def test_a_seed_is_the_same_environment_every_time(bare_image: Image) -> None:
    for name in builtin_seeds():
        one, other = (seed_environment(name, reference(bare_image)) for _ in range(2))
        assert environment_digest(one) == environment_digest(other)
        assert core_digest(one.core) == core_digest(other.core)


def test_a_seed_that_is_not_there_is_named() -> None:
    with pytest.raises(BundleError, match="there is no seed 'nothing'; there are "):
        read_seed("nothing")


SEED = """
name = "x"
title = "t"
scenario = "s"
capabilities = []
license = "MIT"
criteria = ["a"]
provider = []
resource = []
view = []
fault = []
[facts]
"""


@pytest.mark.parametrize(
    ("line", "new", "key"),
    [
        ('license = "MIT"', 'license = "ours"', "license"),
        ('criteria = ["a"]', "criteria = []", "criteria"),
        ("view = []", 'view = [{name = "v", kind = "window"}]', "view.0.kind"),
        (
            "fault = []",
            'fault = [{criterion = "a", where = "log", path = "p"}]',
            "where",
        ),
        ('title = "t"', 'titel = "t"', "titel"),
    ],
)
def test_a_wrong_key_is_named(line: str, new: str, key: str) -> None:
    assert parse_toml(Seed, SEED, source="seed.toml").name == "x"
    with pytest.raises(ConfigError, match=key):
        parse_toml(Seed, SEED.replace(line, new), source="seed.toml")


def test_a_fault_that_tests_nothing_is_refused() -> None:
    fault = Fault(criterion="a", where="workspace", path="f", old="x", new="y")
    with pytest.raises(BundleError, match="leaves no f"):
        with_fault({}, fault)
    with pytest.raises(BundleError, match="changes nothing in f"):
        with_fault({"f": File(b"abc")}, fault)
    with pytest.raises(BundleError, match="b has no fault"):
        check_faults((fault,), ("reward", "a", "b"))
    with pytest.raises(BundleError, match="a is no criterion"):
        check_faults((fault,), ("reward",))
