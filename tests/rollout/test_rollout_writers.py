"""Who wrote a task wrote its children too, however they were made."""

from dataclasses import replace

import pytest

from envplatform.bundle import Environment, Lineage, handed_down, writers_of
from envplatform.cowork.over_code import with_colleague
from envplatform.errors import ConfigError
from envplatform.res.attachments import with_report_served
from envplatform.res.child import child_of
from envplatform.res.plan import Step, TransformPlan
from envplatform.res.primitives import primitive_names
from envplatform.rollout.separation import check_solver
from envplatform.sandbox.base import Image
from envplatform.workspace.draft import is_plain
from tests.swe.small_repository import small_environment


def written(environment: Environment) -> Environment:
    """Its bug by one model, its issue by another."""
    origin = {**environment.lineage.origin, "issue_model": "teller"}
    lineage = replace(environment.lineage, origin=origin, model="inducer")
    return replace(environment, lineage=lineage)


def plan_for(environment: Environment) -> TransformPlan:
    name = next(one.name for one in environment.views if is_plain(one))
    return TransformPlan(steps=(Step(operator=primitive_names()[0], name=name),))


def child(parent: Environment, model: str | None) -> Environment:
    return child_of(parent, plan_for(parent), seed=1, producer="p", model=model)


@pytest.fixture
def code(bare_image: Image) -> Environment:
    """An environment of code; nothing of it is run."""
    return small_environment(bare_image)


def test_writers_go_down_a_lineage_level_by_level(code: Environment) -> None:
    root = with_report_served(written(code))
    assert writers_of(root.lineage) == ("teller", "inducer")
    first = child(root, "proposer")
    assert writers_of(first.lineage) == ("teller", "inducer", "proposer")
    second = child(first, None)
    assert writers_of(second.lineage) == ("teller", "inducer", "proposer")
    for model in ("teller", "Inducer", "PROPOSER"):
        with pytest.raises(ConfigError, match="name another model"):
            check_solver(second, model)
    check_solver(second, "somebody else")


def test_composing_does_not_wash_them_off(code: Environment) -> None:
    made = with_colleague(written(code), seed=1)
    assert made.lineage.model is None
    with pytest.raises(ConfigError, match="name another model"):
        check_solver(made, "inducer")


def test_without_models_nothing_is_told(code: Environment) -> None:
    """So what no model wrote stays, byte for byte, what it was."""
    assert writers_of(code.lineage) == ()
    assert handed_down(code.lineage) == code.lineage.origin


def test_a_writer_is_named_once() -> None:
    origin = {"writers": "a\nb", "issue_model": "b"}
    lineage = Lineage(producer="p", seed=0, origin=origin, model="a")
    assert writers_of(lineage) == ("a", "b")
