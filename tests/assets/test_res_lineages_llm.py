"""`res_lineages` whose plans a model writes: the assets, against a server on a real socket."""

import asyncio
import json
from pathlib import Path

import dagster as dg
import pytest

from assets.definitions import build_definitions
from envplatform.evaluation.depth import DepthRow
from envplatform.llm.ledger import Ledger
from envplatform.res.rows import LevelRow
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from tests.assets.made_root import write_root
from tests.assets.runs import materialised, metadata
from tests.model_server import WORKS, Reply, Request, answer, model_server

SEED = "contract_clauses"
_CONFIGURATION = """
[sandbox]
kind = "bubblewrap"
[seeds]
builtin = ["{seed}"]
[res]
depth = 1
proposer = "llm"
explorer_turns = 0
ablations = ["uncomposed"]
[model]
kind = "openai"
name = "planner-1"
base_url = "{url}"
"""


def plan(request: Request) -> Reply:
    """Link the first name on offer; the first time, name an operator that there is none of."""
    data = json.loads("\n".join(request["messages"][1]["content"].split("\n")[1:-1]))
    operator = "link_lookup" if data["refused"]["diagnostics"] else "padding"
    step = {"operator": operator, "name": data["names"][0]["name"], "options": {}}
    return answer(json.dumps({"steps": [step]}))


@pytest.mark.slow
def test_a_models_plans_are_tried_kept_paid_for_and_told_apart(  # noqa: PLR0915  grown once
    instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bubblewrap: BubblewrapProvider,
    store: Store,
) -> None:
    assert bubblewrap.info.kind == "bubblewrap"
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    monkeypatch.setenv("OPENAI_API_KEY", WORKS)
    asyncio.run(write_root(store, SEED))
    instance.add_dynamic_partitions("res_seed", [SEED])

    def make(*assets: str, seed: str | None = SEED) -> None:
        job = build_definitions().resolve_job_def("res_lineage")
        result = job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in assets],
            partition_key=seed,
        )
        assert result.success

    with model_server(plan, key=WORKS) as server:
        file.write_text(_CONFIGURATION.format(seed=SEED, url=server.base_url))
        make("res_lineages", "res_ablations")
        make("depth_report", seed=None)
    assert len(server.requests) == 2
    root, child = store.rows(LevelRow, "res_lineages", SEED)
    assert (child.producer, child.model, child.tokens) == ("llm", "planner-1", 30)
    assert child.operators == ("link_lookup",)
    refused, accepted = child.attempts
    assert "there is no operator 'padding'" in refused.diagnostics[0]
    assert accepted.diagnostics == ()
    assert child.chain > root.chain

    told = [metadata(one) for one in materialised(instance, "res_lineages")]
    assert told[-1]["planned by"] == "llm planner-1"
    ablated = [metadata(one) for one in materialised(instance, "res_ablations")]
    assert ablated[-1]["planned by"] == "planned"
    (other,) = [x for x in store.rows(LevelRow, "res_ablations", SEED) if x.level]
    assert (other.producer, other.model) == ("planned", "")
    planners = {
        one.ablation: one.planners
        for one in store.rows(DepthRow, "depth_report")
        if one.depth
    }
    assert planners == {"composed": ("llm",), "uncomposed": ("planned",)}
    (paid,) = {
        (one.asset, one.purpose)
        for one in Ledger(store.home / "models" / "ledger.jsonl").rows()
    }
    assert paid == ("res_lineages", "plan")
