"""The depth report's rows: Pass@1 against the root and against the lineage, by seed."""

from dataclasses import replace

from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Ablation
from envplatform.evaluation.depth import DepthRow, depth_rows
from envplatform.res.rows import ExplorerRow, LevelRow

ENVIRONMENT = EnvironmentRow(
    environment_id="e",
    digest="d",
    core_digest="c",
    pillar="res",
    repository="",
    candidate_id="s",
    inducer="planned",
    operator="",
    licence="MIT",
    image_digest="i",
    python="3.11",
    fail_to_pass=0,
    pass_to_pass=0,
    issue_writer="",
    checks=(),
    tokens=0,
    gated=True,
    sandbox="none",
    seconds=0.0,
)


def level(
    seed: str, depth: int, passed: str, ablation: Ablation = "composed"
) -> LevelRow:
    explorer = None
    if passed:
        explorer = ExplorerRow(
            passed=passed == "passed", reward=0.0, turns=1, calls=1, out_of_turns=False
        )
    return LevelRow(
        seed_name=seed,
        ablation=ablation,
        level=depth,
        environment=ENVIRONMENT,
        parent="",
        root="",
        plan="",
        operators=(),
        reads=1,
        calls=1,
        chain=1,
        served_bytes=1,
        attempts=(),
        checks=(),
        oracle=1.0,
        floor=0.0,
        edges=(),
        explorer=explorer,
        random_seed=0,
        producer="planned",
        model="",
        tokens=0,
        usd=0.0,
        seconds=0.0,
    )


def rows_of(*levels: LevelRow) -> dict[tuple[Ablation, int], DepthRow]:
    return {(one.ablation, one.depth): one for one in depth_rows(levels)}


def test_differences_are_of_seeds_that_were_tried_on_both_sides() -> None:
    rows = rows_of(
        level("a", 0, "passed"),
        level("a", 1, "failed"),
        level("b", 0, "passed"),
        level("b", 1, "passed"),
        level("c", 0, "passed"),  # ended at the root
        level("d", 0, ""),  # nobody tried
        level("d", 1, "passed"),
        level("a", 0, "passed", "independent"),
        level("a", 1, "passed", "independent"),
        level("b", 0, "passed", "independent"),
        level("b", 1, "passed", "independent"),
    )
    root, deeper = rows["composed", 0], rows["composed", 1]
    assert root.against_root is not None
    assert (root.against_root.mean, root.against_root.tasks) == (0.0, 3)
    assert root.against_composed is None
    found = deeper.against_root
    assert found is not None
    assert (found.low, found.mean, found.high, found.tasks) == (-1.0, -0.5, 0.0, 2)
    other = rows["independent", 1].against_composed
    assert other is not None
    assert (other.low, other.mean, other.high, other.tasks) == (0.0, 0.5, 1.0, 2)


def test_plans_of_a_model_are_no_match_for_those_of_the_search() -> None:
    asked = replace(level("a", 1, "failed"), producer="llm")
    alone = level("a", 1, "passed", "independent")
    roots = [level("a", 0, "passed"), level("a", 0, "passed", "independent")]
    found = rows_of(*roots, asked, alone)
    assert found["independent", 1].against_composed is None
    assert found["composed", 1].planners == ("llm",)
    twins = [level("a", 1, "failed"), level("a", 0, "passed")]
    rows = depth_rows([*roots, asked, alone], twins=twins)
    (other,) = [one for one in rows if one.ablation == "independent" and one.depth]
    assert other.against_composed is not None
    assert other.against_composed.mean == 1.0


def test_where_nobody_tried_there_is_no_difference() -> None:
    rows = rows_of(level("a", 0, ""), level("a", 1, ""))
    assert rows["composed", 1].against_root is None
