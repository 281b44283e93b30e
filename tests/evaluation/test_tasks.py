"""Environments as tasks: which of them are kin, and who wrote them."""

from dataclasses import replace

from envplatform.evaluation.tasks import tasks_of
from envplatform.res.rows import LevelRow
from tests.evaluation.test_depth import ENVIRONMENT as ROW
from tests.evaluation.test_depth import level


def made_level(depth: int, parent: str, model: str = "") -> LevelRow:
    row = replace(ROW, digest=f"d{depth}", environment_id=f"e.level{depth}")
    return replace(
        level("s", depth, ""), environment=row, parent=parent, root="d0", model=model
    )


def test_kin_and_writers_go_down_a_lineage() -> None:
    root = replace(ROW, digest="d0", scenario="legal", issue_model="teller")
    levels = [made_level(2, "d1"), made_level(1, "d0", "planner"), made_level(0, "")]
    found = tasks_of([root], levels)
    assert [found[f"d{n}"].depth for n in range(3)] == [0, 1, 2]
    assert {one.lineage for one in found.values()} == {"d0"}
    assert {one.scenario for one in found.values()} == {"legal"}
    assert found["d0"].writers == ("teller",)
    assert found["d1"].writers == found["d2"].writers == ("teller", "planner")


def test_a_level_without_its_parent_names_its_root_itself() -> None:
    (one,) = tasks_of([], [made_level(3, "lost")]).values()
    assert (one.lineage, one.depth, one.parent) == ("d0", 3, "lost")


def test_a_root_that_a_model_wrote_has_it_from_its_level() -> None:
    found = tasks_of([replace(ROW, digest="d0")], [made_level(0, "", "inducer")])
    assert found["d0"].writers == ("inducer",)


def test_an_environment_of_several_partitions_is_one_task() -> None:
    rows = [replace(ROW, digest="d0", candidate_id=name) for name in "xy"]
    assert list(tasks_of(rows, [])) == ["d0"]
