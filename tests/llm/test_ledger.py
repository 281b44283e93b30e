"""The cost ledger: a row a call, whole rows from many processes."""

import multiprocessing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envplatform.errors import ModelError, StoreError
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.ledger import Ledger, LedgeredModel, LedgerRow
from envplatform.llm.recording import RecordedModel
from tests.fakes import ScriptedChatModel, text_answer

HELLO = ChatRequest(messages=(Message(role="user", content="hello secret prompt"),))
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def row(**changes: object) -> LedgerRow:
    values: dict[str, object] = {
        "at": "2026-03-01T12:00:00.000+00:00",
        "model": "scripted",
        "asset": "rollouts",
        "purpose": "solve",
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "usd": 0.001,
        "seconds": 2.0,
        "retries": 0,
        "cached": False,
        "error": None,
    }
    return LedgerRow(**{**values, **changes})  # type: ignore[arg-type]


def ledgered(model: ScriptedChatModel | RecordedModel, path: Path) -> LedgeredModel:
    ticks = iter(range(0, 1000, 2))
    return LedgeredModel(
        model,
        Ledger(path),
        asset="rollouts",
        purpose="solve",
        now=lambda: NOON,
        clock=lambda: float(next(ticks)),
    )


async def test_every_call_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "ledger.jsonl"
    script = ScriptedChatModel(
        [text_answer("a"), ModelError("down"), text_answer("b", retries=2)]
    )
    model = ledgered(script, path)
    await model.complete(HELLO)
    with pytest.raises(ModelError, match="down"):
        await model.complete(HELLO)
    await model.complete(HELLO)
    assert Ledger(path).rows() == (
        row(),
        row(prompt_tokens=0, completion_tokens=0, usd=0.0, error="ModelError"),
        row(retries=2),
    )
    assert "secret" not in path.read_text()


async def test_a_replayed_answer_costs_nothing_and_says_so(tmp_path: Path) -> None:
    recorded = RecordedModel(
        ScriptedChatModel([text_answer("a")]), tmp_path / "rec", mode="record"
    )
    model = ledgered(recorded, tmp_path / "ledger.jsonl")
    await model.complete(HELLO)
    await model.complete(HELLO)
    assert Ledger(tmp_path / "ledger.jsonl").rows() == (
        row(),
        row(cached=True, usd=0.0),
    )


def append_many(path: Path, asset: str) -> None:
    for number in range(200):
        Ledger(path).append(row(asset=asset, prompt_tokens=number, model="m" * 500))


def test_rows_of_many_processes_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=append_many, args=(path, f"a{n}")) for n in range(3)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    rows = Ledger(path).rows()
    for n in range(3):
        numbers = [r.prompt_tokens for r in rows if r.asset == f"a{n}"]
        assert numbers == list(range(200))


def test_without_a_file_there_are_no_rows(tmp_path: Path) -> None:
    assert Ledger(tmp_path / "none.jsonl").rows() == ()


def test_half_a_row_is_named_and_spoils_no_other(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(row())
    with ledger.path.open("a") as file:
        file.write('{"at": "2026')
    ledger.append(row(asset="after"))
    with pytest.raises(StoreError, match=r"ledger\.jsonl:3: damaged"):
        ledger.rows()
    lines = ledger.path.read_text().split("\n")
    ledger.path.write_text("\n".join(lines[:2] + lines[3:]))
    assert ledger.rows() == (row(), row(asset="after"))


@pytest.mark.parametrize(
    "bad",
    [
        {"usd": float("nan")},
        {"usd": float("inf")},
        {"seconds": -1.0},
        {"prompt_tokens": -1},
        {"completion_tokens": 1.5},
        {"retries": True},
        {"model": None},
        {"cached": "no"},
    ],
)
def test_a_row_whose_figures_are_none_costs_no_other(
    tmp_path: Path, bad: dict[str, object]
) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for one in (row(), row(**bad), row(model="other")):
        ledger.append(one)
    with ledger.path.open("ab") as file:
        file.write(b'{"at": \xff\n[1]\n')
    rows, damaged = ledger.sound_rows()
    assert [one.model for one in rows] == ["scripted", "other"]
    assert len(damaged) == 3
    assert all(str(ledger.path) in one for one in damaged)


def test_no_file_is_no_row(tmp_path: Path) -> None:
    assert Ledger(tmp_path / "none").sound_rows() == ((), ())
