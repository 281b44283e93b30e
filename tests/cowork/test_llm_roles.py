"""Roles played by a model behind a real server: one converges, one is revised, others end."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envplatform.cowork.blueprint import Blueprint, plan_shard
from envplatform.cowork.families import family
from envplatform.cowork.keeping import Shard, make_shard
from envplatform.cowork.library import Library
from envplatform.cowork.llm import (
    PromptedBuilder,
    PromptedConstructor,
    PromptedReviewer,
)
from envplatform.cowork.rows import KeptOutcome
from envplatform.cowork.workshop import Outcome, Workshop, make
from envplatform.errors import ModelError
from envplatform.llm.chat import ChatModel
from envplatform.rollout import attending
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.store import Store
from tests.llm.serving import model_for
from tests.model_server import Reply, Request, answer, hold, model_server, refuse

LIBRARY = Library.builtin()
(BLUEPRINT,) = plan_shard(1, 1, [family("invoice_matching")])
ORACLE = """
from seedlib import deliver, rows_of, ws_json, ws_text

def solve():
    ws_text("read", "sales/north.csv")
    ws_json("say", "I have read the sales.")
    rows = rows_of(ws_text("read", "sales/north.csv"))
    total = sum(int(row["amount"]) for row in rows)
    lines = [f"{row['item']},{row['amount']}" for row in sorted(rows, key=by_name)]
    deliver("sales.csv", "\\n".join(["item,amount", *lines, ""]))
    deliver("total.txt", f"{total}\\n")

def by_name(row):
    return row["item"]
"""
VERIFIER = """
from seedlib import rows_of, share
from spelling import spelt

def wanted(final, old=False):
    rows = rows_of(final.held("sales/north.csv"))
    if old:
        rows = [row for row in rows if row["item"] != "urn"]
    return sorted(rows, key=lambda row: row["item"])

def listed(final):
    given = final.rows("sales.csv") or []
    due = wanted(final)
    right = sum(one == other for one, other in zip(given, due))
    return share(right, max(len(given), len(due))) ** 2

def total(final):
    due = sum(int(row["amount"]) for row in wanted(final))
    return float(final.text("total.txt") == f"{due}\\n")

def delivered(rows):
    lines = [f"{row['item']},{row['amount']}" for row in rows]
    total = sum(int(row["amount"]) for row in rows)
    return {"sales.csv": "\\n".join(["item,amount", *lines, ""]), "total.txt": f"{total}\\n"}

CRITERIA = spelt({"listed": listed, "total": total}, lambda f: delivered(wanted(f)))
MISREADINGS = {
    "what came late is missing": lambda final: delivered(wanted(final, old=True)),
    "nothing was sold": lambda final: delivered([]),
}
"""
SALES = "item,amount\ntray,40\nlamp,25\ncup,7\nbowl,12\nvase,31\n"
BUILT: dict[str, Any] = {
    "instruction": (
        "Please list the sales of the north. Write `/workspace/sales.csv` with the "
        "columns item and amount, by item, and `/workspace/total.txt` with the sum and "
        "a line break. The sales are in `sales/north.csv`; I hear you by `ws say`."
    ),
    "criteria": {"listed": "each sale, by item", "total": "the sum"},
    "documents": [
        {
            "name": "sales",
            "view": "sales/north.csv",
            "about": "Sales, amounts in euros.",
            "text": SALES,
        }
    ],
    "user": {
        "name": "Ines Vogel",
        "goal": "wants the late sale in it",
        "signals": [
            {
                "id": "late",
                "when": {
                    "kind": "dispatched",
                    "operation": "read",
                    "name": "sales/north.csv",
                },
                "changes": [
                    {
                        "path": "sales/north.csv",
                        "action": "append",
                        "new": "urn,18\n",
                    }
                ],
            },
            {
                "id": "tell",
                "when": {"kind": "fired", "signal": "late"},
                "message": "One sale came late; it is in the file now.",
            },
        ],
    },
    "oracle": ORACLE,
}
CONSTRUCTED: dict[str, Any] = {
    "verifier": VERIFIER,
    "faults": [
        {"criterion": "listed", "path": "sales.csv", "old": "cup,7", "new": "cup,8"},
        {"criterion": "total", "path": "total.txt", "old": "133", "new": "134"},
    ],
}


def role_of(request: Request) -> str:
    """Which role asks, by what it was told first."""
    system: str = request["messages"][0]["content"]
    return next(
        name
        for name, begins in {
            "builder": "You build one work",
            "constructor": "You write the verifier",
            "reviewer": "You read a finished",
        }.items()
        if system.startswith(begins)
    )


def answers(
    builder: Callable[[Request], dict[str, Any] | str],
    review: dict[str, Any] | None = None,
) -> Callable[[Request], Reply]:
    def rule(request: Request) -> Reply:
        told: dict[str, dict[str, Any] | str] = {
            "constructor": CONSTRUCTED,
            "reviewer": review or {"findings": []},
        }
        role = role_of(request)
        found = builder(request) if role == "builder" else told[role]
        return answer(found if isinstance(found, str) else json.dumps(found))

    return rule


@pytest.fixture
def workshop(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> Callable[[ChatModel], Workshop]:
    image = build_image("bare", "{}.{}".format(*sys.version_info[:2]), (), tmp_path)

    def opened(model: ChatModel) -> Workshop:
        def constructor(blueprint: Blueprint) -> PromptedConstructor:
            return PromptedConstructor(model, seed=blueprint.number)

        return Workshop(
            provider=bubblewrap,
            image=image,
            builder=PromptedBuilder(model, LIBRARY),
            constructor=constructor,
            reviewer=PromptedReviewer(model),
            attend=attending(),
            rounds=2,
            checks=("oracle_max", "nop_floor", "determinism", "leak_scan", "reset"),
        )

    return opened


async def made(
    workshop: Callable[[ChatModel], Workshop], rule: Callable[[Request], Reply]
) -> tuple[Outcome, list[Request]]:
    with model_server(rule) as server:
        async with model_for(server) as model:
            outcome = await make(workshop(model), BLUEPRINT)
    return outcome, server.requests


async def test_roles_that_agree_make_an_environment(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    outcome, requests = await made(workshop, answers(lambda _: BUILT))
    assert outcome.findings == ()
    assert outcome.is_accepted
    assert outcome.environment is not None
    audit = {one.name: one for one in outcome.environment.audit}
    assert audit["user_matters"].status == "passed"
    assert audit["controlled_failures"].status == "passed"
    assert audit["other_spellings"].status == "passed"
    assert audit["review"].status == "passed"
    assert outcome.environment.lineage.model == "scripted"
    assert outcome.environment.lineage.spent.tokens == 30
    assert [role_of(one) for one in requests] == ["builder", "constructor", "reviewer"]


async def test_the_constructor_is_shown_neither_oracle_nor_the_users_words(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    _, requests = await made(workshop, answers(lambda _: BUILT))
    (asked,) = (one for one in requests if role_of(one) == "constructor")
    told = json.dumps(asked["messages"])
    assert "sales/north.csv" in told
    assert "urn,18" in told
    assert "def solve" not in told
    assert "came late" not in told
    assert "wants the late sale" not in told
    (built,) = (one for one in requests if role_of(one) == "builder")
    assert "CRITERIA" not in json.dumps(built["messages"])


async def test_a_finding_comes_back_to_its_role_and_is_mended(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    hasty = {**BUILT, "oracle": ORACLE.replace("total}\\n", "total} euros\\n")}

    def builder(request: Request) -> dict[str, Any]:
        return BUILT if "oracle_not_full" in json.dumps(request["messages"]) else hasty

    outcome, requests = await made(workshop, answers(builder))
    assert outcome.is_accepted
    assert [one.kind for one in outcome.rounds[0].findings][:2] == [
        "oracle_not_full",
        "oracle_not_full",
    ]
    assert {one.role for one in outcome.rounds[0].findings} == {"builder", "verifier"}
    assert [role_of(one) for one in requests].count("builder") == 2


async def test_a_verifier_that_sticks_to_a_spelling_comes_back_and_is_mended(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    spelt = "spelt({LISTED}, lambda f: delivered(wanted(f)))"
    names = '{"listed": listed, "total": total}'
    strict = VERIFIER.replace(spelt.replace("{LISTED}", names), names)
    assert strict != VERIFIER
    fine = answers(lambda _: BUILT)

    def rule(request: Request) -> Reply:
        told = json.dumps(request["messages"])
        if role_of(request) != "constructor" or "spelling_costs" in told:
            return fine(request)
        return answer(json.dumps({**CONSTRUCTED, "verifier": strict}))

    outcome, requests = await made(workshop, rule)
    (found,) = outcome.rounds[0].findings
    assert (found.kind, found.role) == ("spelling_costs", "verifier")
    assert "byte order mark" in found.evidence
    assert outcome.is_accepted
    (first, _) = (one for one in requests if role_of(one) == "constructor")
    assert "`spelt`" in first["messages"][0]["content"]


async def test_roles_that_disagree_for_ever_are_stopped_and_the_reason_is_kept(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    stubborn = {**BUILT, "oracle": "def solve():\n    pass\n"}
    outcome, _ = await made(workshop, answers(lambda _: stubborn))
    assert not outcome.is_accepted
    assert len(outcome.rounds) == 2
    assert "oracle_not_full" in {one.kind for one in outcome.rounds[1].findings}
    assert outcome.environment is not None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I can't help with that.", "no valid BuilderAnswer"),
        ({**BUILT, "documents": [{**BUILT["documents"][0], "view": "../x"}]}, "view"),
        (
            {
                **BUILT,
                "stores": [
                    {
                        "name": "s",
                        "view": "s",
                        "about": "s",
                        "sheets": [
                            {
                                "table": "t",
                                "columns": {"a": "TEXT); ATTACH 'x' AS y; --"},
                                "rows": [["1"]],
                            }
                        ],
                    }
                ],
            },
            "stores",
        ),
    ],
    ids=["refuses", "leaves the workspace", "injects SQL"],
)
async def test_what_a_builder_can_not_be_taken_at_is_a_finding(
    workshop: Callable[[ChatModel], Workshop], said: dict[str, Any] | str, why: str
) -> None:
    outcome, _ = await made(workshop, answers(lambda _: said))
    assert not outcome.is_accepted
    assert outcome.environment is None
    assert {one.kind for one in outcome.findings} == {"role_failed"}
    assert why in outcome.findings[0].evidence


async def test_what_a_reader_finds_is_revised_and_else_rejected(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    found = {"kind": "ambiguous", "role": "builder", "evidence": "which north?"}
    rule = answers(lambda _: BUILT, {"findings": [found]})
    outcome, _ = await made(workshop, rule)
    assert not outcome.is_accepted
    assert [one.kind for one in outcome.findings] == ["ambiguous", "ambiguous"]


async def test_a_model_that_is_cut_off_is_a_finding(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    half = json.dumps(BUILT)[:200]
    outcome, _ = await made(workshop, lambda _: answer(half, finish="length"))
    assert not outcome.is_accepted
    assert {one.kind for one in outcome.findings} == {"role_failed"}


async def test_a_server_that_fails_for_one_costs_no_other_and_is_asked_again(
    workshop: Callable[[ChatModel], Workshop], tmp_path: Path
) -> None:
    blueprints = plan_shard(1, 2, [family("invoice_matching")])
    store = Store(tmp_path / "home")
    told: list[str] = []

    async def run(rule: Callable[[Request], Reply]) -> list[KeptOutcome]:
        with model_server(rule) as server:
            async with model_for(server, attempts=1) as model:
                shard = Shard(workshop=workshop(model), inputs={}, at_once=1)
                return await make_shard(
                    store,
                    shard,
                    blueprints,
                    told=lambda kept: told.append(kept.blueprint_id),
                )

    fine = answers(lambda _: BUILT)
    first = [refuse(500)]

    def rule(request: Request) -> Reply:
        return first.pop() if first else fine(request)

    with pytest.raises(ModelError, match=f"1 of 2 .*{blueprints[0].blueprint_id}"):
        await run(rule)
    assert told == [blueprints[1].blueprint_id]
    kept = await run(fine)
    assert [one.environment is not None for one in kept] == [True, True]


async def test_a_server_that_never_answers_concludes_nothing(
    workshop: Callable[[ChatModel], Workshop],
) -> None:
    with model_server(lambda _: hold()) as server:
        async with model_for(server, attempts=1, timeout_s=0.2) as model:
            with pytest.raises(ModelError):
                await make(workshop(model), BLUEPRINT)
