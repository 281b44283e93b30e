"""`res_lineages`, `res_ablations`, `depth_report`: grown, kept, resumed, checked, drawn."""

import asyncio
import base64
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.level_checks import only_accepted_children
from assets.stage import FORCE_TAG
from envplatform.bundle import environment_digest
from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import find_environment
from envplatform.cli.lineage import lineage_of
from envplatform.cli.why_seed import find_seed_fate
from envplatform.evaluation.depth import DepthRow
from envplatform.res.rows import LevelRow
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Origin, Store
from resources.store import StoreResource
from tests.assets.made_root import folder_of, write_root
from tests.assets.runs import materialised, metadata

SEED = "contract_clauses"
LEFT_OUT = "release_notes"
_CONFIGURATION = """
[sandbox]
kind = "bubblewrap"
[seeds]
builtin = ["{seed}", "{left_out}"]
[res]
seeds = ["{seed}", "no_such"]
depth = {depth}
explorer_turns = {turns}
ablations = ["composed", "one_operator"]
"""
Grow = Callable[..., dg.ExecuteInProcessResult]


@pytest.fixture
def grow(
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
    store: Store,
) -> Grow:
    """Materialises assets of the group for one seed, whose root is stored."""
    assert bubblewrap.info.kind == "bubblewrap"
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    asyncio.run(write_root(store, SEED))
    instance.add_dynamic_partitions("res_seed", [SEED, LEFT_OUT])

    def run(
        *assets: str,
        depth: int = 1,
        turns: int = 0,
        seed: str | None = SEED,
        force: bool = False,
    ) -> dg.ExecuteInProcessResult:
        text = _CONFIGURATION.format(
            seed=SEED, left_out=LEFT_OUT, depth=depth, turns=turns
        )
        file.write_text(text)
        job = build_definitions().resolve_job_def("res_lineage")
        return job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in assets],
            partition_key=seed,
            raise_on_error=False,
            tags={FORCE_TAG: "yes"} if force else {},
        )

    return run


def levels(store: Store, asset: str = "res_lineages") -> list[LevelRow]:
    return store.rows(LevelRow, asset, SEED)


@pytest.mark.slow
def test_a_lineage_grows_goes_on_and_is_told_in_rows_and_pictures(  # noqa: PLR0915  one lineage is grown once
    grow: Grow, instance: dg.DagsterInstance, store: Store
) -> None:
    assert grow("res_lineages", depth=1).success
    first = levels(store)
    assert [one.level for one in first] == [0, 1]

    shutil.rmtree(folder_of(store, first[1].environment))  # as if it were lost
    assert grow("res_lineages", "res_ablations", depth=2, turns=0).success
    root, one, two = levels(store)
    assert (root, one) == tuple(first), "the level that was there is the same again"
    assert folder_of(store, one.environment).is_dir(), "made anew from its plan"
    assert two.parent == one.environment.digest
    assert {each.environment.core_digest for each in (root, one, two)} == {
        root.environment.core_digest
    }
    assert two.reads > one.reads > root.reads
    assert two.chain > root.chain
    assert two.new_edges
    assert two.consumes_earlier
    assert sum(edge.calls for edge in two.edges) <= two.calls
    assert two.oracle == 1
    assert two.floor == root.floor < 1

    told = metadata(materialised(instance, "res_lineages")[-1])
    assert told["depth"] == 2
    assert told["resumed levels"] == 2, "one from ablations, which ran before"
    assert told["ended"] == "as deep as asked"
    assert told["planned by"] == "planned"
    assert two.environment.digest[:12] in told["levels"]
    picture = re.search(r"base64,([^)]+)", told["lineage"])
    assert picture is not None
    assert "level 2" in base64.b64decode(picture[1]).decode()

    ablated = levels(store, "res_ablations")
    assert [each for each in ablated if each.ablation == "composed"] == [root, one, two]
    (child,) = [x for x in ablated if x.ablation == "one_operator" and x.level == 1]
    assert set(child.operators) == {"sharding"}
    assert child.environment.environment_id == f"seed.{SEED}.one_operator.level1"

    assert grow("depth_report", depth=2, seed=None).success
    rows = store.rows(DepthRow, "depth_report")
    assert [(x.ablation, x.depth) for x in rows[:3]] == [
        ("composed", 0),
        ("composed", 1),
        ("composed", 2),
    ]
    assert rows[2].reads.mean == two.reads
    report = metadata(materialised(instance, "depth_report")[-1])
    assert (report["lineages"], report["children"], report["deepest"]) == (1, 2, 2)
    assert "| composed | planned | 2 | 1 |" in report["depth"]
    assert "Nobody tried" in report["Pass@1"]
    for name in ("reads", "chain", "operators", "lineage pictures"):
        assert "data:image/svg+xml" in report[name]

    found, _ = find_environment(store, f"seed.{SEED}.level2")
    assert environment_digest(found) == two.environment.digest
    assert find_environment(store, SEED)[0].environment_id == f"seed.{SEED}"
    node = lineage_of(store, two.environment.digest)
    assert [part.name for part in node.made_from] == [
        f"seed.{SEED}.level1",
        "res_lineages",
    ]
    assert node.made_from[0].made_from[0].name == f"seed.{SEED}"
    assert node.facts["level"] == "2"
    fate = find_seed_fate(store, f"seed.{SEED}.level2")
    assert fate is not None
    assert fate.conclusion.startswith(f"accepted as level 2 of {SEED}: ")

    resource = StoreResource(home=str(store.home))
    assert passed(only_accepted_children(store=resource))
    spoil(store, [root, one, replace(two, random_seed=99)])
    assert "its plan makes" in problems(only_accepted_children(store=resource))
    spoil(store, [root, one, replace(two, checks=two.checks[:-1])])
    assert "not all checks" in problems(only_accepted_children(store=resource))
    other = replace(two.environment, core_digest="0" * 64)
    spoil(store, [root, one, replace(two, environment=other)])
    assert "its core is not" in problems(only_accepted_children(store=resource))


@pytest.mark.slow
def test_what_is_not_chosen_damaged_or_unknown_says_so(
    grow: Grow, instance: dg.DagsterInstance, store: Store
) -> None:
    asyncio.run(write_root(store, LEFT_OUT))
    assert grow("res_lineages", seed=LEFT_OUT).success
    told = metadata(materialised(instance, "res_lineages")[-1])
    assert told["left out"] == "[res] in envplatform.toml does not name this seed"
    assert store.rows(LevelRow, "res_lineages", LEFT_OUT) == []

    definitions = build_definitions()
    seeds = definitions.resources["seeds"]  # type: ignore[index]
    assert seeds.names() == (SEED, LEFT_OUT, "broken__no_such")
    instance.add_dynamic_partitions("res_seed", ["broken__no_such"])
    assert not grow("seed_environments", seed="broken__no_such").success
    (failure,) = store.failures("seed_environments")
    assert failure.message.startswith(
        f"res.seeds: no seed 'no_such' is configured under [seeds]: {SEED}, {LEFT_OUT}"
    )

    (row,) = store.rows(EnvironmentRow, "seed_environments", SEED)
    instruction = folder_of(store, row) / "instruction.md"
    instruction.chmod(0o644)
    instruction.write_text("Do something else.\n")
    assert not grow("res_lineages").success
    (failure,) = store.failures("res_lineages")
    assert f"seed_environments of '{SEED}': environment {row.digest}" in failure.message
    assert "materialise it again" in failure.message


def spoil(store: Store, rows: list[LevelRow]) -> None:
    origin = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
    store.write_rows(
        "res_lineages", rows, row_type=LevelRow, partition=SEED, origin=origin
    )


def passed(result: object) -> bool:
    assert isinstance(result, dg.AssetCheckResult)
    return result.passed


def problems(result: object) -> str:
    assert isinstance(result, dg.AssetCheckResult)
    assert not result.passed
    return str(result.metadata["problems"].value)
