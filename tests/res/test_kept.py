"""Lineages in the store: a crash loses one level, two runs take turns, damage is named."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Environment, environment_digest
from envplatform.errors import BundleError, SandboxError
from envplatform.res.diagnostic import CHECKS
from envplatform.res.growing import Growing, Grown
from envplatform.res.kept import grow_kept, kept_root
from envplatform.res.lineage import Budget
from envplatform.res.measure import measure
from envplatform.res.plan import TransformPlan
from envplatform.res.proposers import Planned, Prompted
from envplatform.res.replay import Replayer
from envplatform.res.verifier import Verdict, Verifier
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from tests.assets.made_root import folder_of, running_image, write_root
from tests.fakes import ScriptedChatModel

SEED = "contract_clauses"


class Accepting(Verifier):
    """Accepts whatever it sees, after counting it; fails at a level if told so."""

    seen: list[str]
    fails_at: str

    async def verify(
        self, parent: Environment, plan: TransformPlan, child: Environment
    ) -> Verdict:
        """See the class."""
        del parent, plan
        if child.environment_id.endswith(self.fails_at):
            msg = "the sandbox is gone"
            raise SandboxError(msg)
        self.seen.append(child.environment_id)
        return Verdict(diagnostics=(), measures=measure(child), ran=CHECKS)


def growing(
    store: Store, provider: BubblewrapProvider, *, fails_at: str = "never"
) -> Growing:
    row = asyncio.run(write_root(store, SEED))
    root = kept_root(store, row, asset="seed_environments")
    verifier = Accepting(
        provider=provider,
        image=running_image(store),
        replayer=Replayer(),
        root_bytes=measure(root).served_bytes,
        floor=0.0,
    )
    object.__setattr__(verifier, "seen", [])
    object.__setattr__(verifier, "fails_at", fails_at)
    return Growing(
        row=row,
        root=root,
        ablation="composed",
        proposer=Planned(),
        verifier=verifier,
        seed=3,
        budget=Budget(depth=2),
    )


def seen(one: Growing) -> list[str]:
    assert isinstance(one.verifier, Accepting)
    return [name.rpartition(".")[2] for name in one.verifier.seen]


def digests(grown: Grown) -> list[str]:
    return [level.environment.digest for level in grown.levels]


def test_a_crash_between_levels_costs_the_level_under_way_alone(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    store = Store(tmp_path / "one")
    crashing = growing(store, bubblewrap, fails_at=".level2")
    with pytest.raises(SandboxError, match="the sandbox is gone"):
        asyncio.run(grow_kept(store, crashing))
    assert seen(crashing) == ["level1"]
    going_on = growing(store, bubblewrap)
    grown = asyncio.run(grow_kept(store, going_on))
    assert seen(going_on) == ["level2"]
    assert grown.resumed == 1

    other = Store(tmp_path / "other")
    at_once = asyncio.run(grow_kept(other, growing(other, bubblewrap)))
    assert digests(at_once) == digests(grown)


def test_two_runs_at_once_make_each_level_once(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    runs = [growing(store, bubblewrap), growing(store, bubblewrap)]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda one: asyncio.run(grow_kept(store, one)), runs)
    assert digests(first) == digests(second)
    assert sorted([seen(runs[0]), seen(runs[1])]) == [[], ["level1", "level2"]]


def test_a_level_that_is_not_what_its_digest_says_is_named(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    one = growing(store, bubblewrap)
    _, child, _ = asyncio.run(grow_kept(store, one)).levels
    instruction = folder_of(store, child.environment) / "instruction.md"
    instruction.chmod(0o644)
    instruction.write_text("Do something else.\n")
    with pytest.raises(BundleError, match=f"level 1 of '{SEED}': environment") as told:
        asyncio.run(grow_kept(store, one))
    assert child.environment.digest in str(told.value)
    assert environment_digest(one.root) == child.root


def test_all_that_a_models_plans_rest_on_names_a_level(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    one, model = growing(Store(tmp_path), bubblewrap), ScriptedChatModel([])
    proposers = [
        Planned(),
        Prompted(model),
        Prompted(model, temperature=0.1),
        Prompted(model, answer_tokens=100),
        Prompted(model, server="other"),
    ]
    keys = [replace(one, proposer=by).key("p", 1) for by in proposers]
    assert len(set(keys)) == len(keys)
    assert replace(one, proposer=Prompted(model)).key("p", 1) == keys[1]
