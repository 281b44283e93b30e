"""A dispatch log is what a broker says again; a forged one is not."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from envplatform.bundle import View
from envplatform.bundle.layout import GRAPH, content_files
from envplatform.grading.broker import Served
from envplatform.grading.checks import replay
from envplatform.grading.evidence import Evidence
from envplatform.tree import File
from envplatform.ws import Broker, MemoryHoldings, Request, read_manifest
from envplatform.ws.changes import Change
from envplatform.ws.server import state_line
from tests.grading.made import PRICES, evidence_of, priced
from tests.grading.states import IMAGE


def session(*, notes: str = "") -> Evidence:
    """Two readings, one refused, and a change of the user's, as they were logged."""
    environment = priced(IMAGE)
    broker = Broker(
        read_manifest(content_files(environment)[GRAPH].data),
        MemoryHoldings({"prices.csv": PRICES}),
    )
    broker.ask(Request("list", {}))
    broker.ask(Request("read", {"name": "prices.csv"}))
    broker.ask(Request("read", {"name": f"none{notes}"}))
    broker.patch([Change("prices.csv", "append", new="cap,10\n")])
    log = "".join(f"{entry.line()}\n" for entry in broker.log).encode()
    held = {"prices.csv": File(broker.room.holdings.read("prices.csv"))}
    served = Served(held=held, log=log, state=state_line(broker.room.memory))
    return evidence_of(environment, {"a": File(b"1")}, served=served)


def test_an_honest_session_is_replayed() -> None:
    result = replay(session())
    assert (result.status, "4 dispatches" in result.evidence) == ("passed", True), (
        result
    )


def edited(
    change: Callable[[list[dict[str, object]]], object],
) -> Callable[[bytes], bytes]:
    """The log with its entries changed."""

    def edit(log: bytes) -> bytes:
        entries = [json.loads(line) for line in log.splitlines()]
        change(entries)
        lines = [
            json.dumps(one, sort_keys=True, separators=(",", ":")) for one in entries
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    return edit


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (edited(lambda log: log[2].update(error=None)), "entry 3: the broker says"),
        (edited(lambda log: log[1].update(by="user")), "line 2 of the dispatch log"),
        (edited(lambda log: log.pop(0)), "entry 1: the broker says"),
        (edited(lambda log: log.pop(3)), "prices.csv is held with another content"),
        (
            edited(lambda log: log[1].update(reply={"sha256": "0" * 64, "bytes": 1})),
            "entry 2: the broker says",
        ),
        (lambda log: log + b"{}\n", "line 5 of the dispatch log is no entry"),
        (lambda log: log + b"\xff\n", "line 5 of the dispatch log is no entry"),
    ],
    ids=["granted", "by", "dropped", "patch-dropped", "digest", "empty", "bytes"],
)
def test_a_forged_log_is_refused(forge: Callable[[bytes], bytes], said: str) -> None:
    given = session()
    assert given.solved_served is not None
    served = replace(given.solved_served, log=forge(given.solved_served.log))
    result = replay(replace(given, solved_served=served))
    assert (result.status, said in result.evidence) == ("failed", True), result


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": b'{"x":{}}\n'}, "the views remember something else"),
        ({"held": {}}, "prices.csv is held in one session only"),
    ],
)
def test_what_was_taken_home_must_come_of_the_log(
    changes: dict[str, object], said: str
) -> None:
    given = session()
    assert given.solved_served is not None
    served = replace(given.solved_served, **changes)  # type: ignore[arg-type]
    result = replay(replace(given, solved_served=served))
    assert (result.status, said in result.evidence) == ("failed", True), result


def test_what_can_not_be_replayed_did_not_run() -> None:
    plain = replace(session(), solved_served=None)
    long = session(notes="x" * 200_000)
    given = session()
    process = View(name="crm", kind="service", options={"port": 9, "command": ["x"]})
    asked = replace(
        given,
        environment=replace(
            given.environment, views=(*given.environment.views, process)
        ),
    )
    for evidence, why in (
        (plain, "no views"),
        (long, "entry 3 keeps a long argument"),
        (asked, "crm is answered by a process"),
    ):
        result = replay(evidence)
        assert (result.status, why in result.evidence) == ("not_run", True), result
