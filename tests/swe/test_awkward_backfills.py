"""Two backfills of one repository at once: two processes, one store, the same verdicts."""

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Origin, ResultCache, Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.prove import prove
from tests.fakes import DeadProvider
from tests.swe.made_suites import edited
from tests.swe.small_repository import (
    FAIL_TO_PASS,
    PASS_TO_PASS,
    small_baseline,
    small_repository,
)

QUICK = VerificationSettings(runs=2, repeats=2, concurrency=1)
ASSET = "verified_bugs"
EDITS = {
    "<= high": "< high",
    "low <=": "low <",
    "result = 0": "result = 1",
    "return result": "return +result",
}
REJECTIONS = [None, None, None, "no_failure"]


def candidates(image: Image) -> list[BugCandidate]:
    """Three bugs and one that is none."""
    repository = small_repository(image)
    return [edited(repository, old, new, "spans/core.py") for old, new in EDITS.items()]


def _prove(
    provider: SandboxProvider, image: Image, results: ResultCache
) -> tuple[Verdict, ...]:
    work = prove(
        provider,
        small_repository(image),
        small_baseline(),
        candidates(image),
        QUICK,
        results=results,
    )
    return asyncio.run(work)


def backfill(image: Image, home: Path) -> list[str | None]:
    """Prove as an asset does: each verdict kept at once, the partition at the end."""
    store = Store(home)
    _START.wait()
    verdicts = _prove(BubblewrapProvider(), image, store.results(ASSET))
    store.write_rows(
        ASSET,
        verdicts,
        row_type=Verdict,
        origin=Origin(created=datetime.now(tz=UTC)),
        partition="made__spans",
    )
    return [verdict.rejection for verdict in verdicts]


_START: Barrier


def _together(start: Barrier) -> None:
    global _START  # noqa: PLW0603  how a pool hands over what can't be pickled
    _START = start


@pytest.mark.usefixtures("bubblewrap")
def test_two_backfills_of_one_repository_agree_and_leave_one_whole_table(
    suite_image: Image, tmp_path: Path
) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(2)
    with ProcessPoolExecutor(
        2, mp_context=context, initializer=_together, initargs=(start,)
    ) as pool:
        found = list(pool.map(backfill, [suite_image] * 2, [tmp_path] * 2))
    assert found == [REJECTIONS, REJECTIONS]
    store = Store(tmp_path)
    rows = store.rows(Verdict, ASSET, "made__spans")
    assert [row.rejection for row in rows] == REJECTIONS
    assert rows[0].fail_to_pass == FAIL_TO_PASS
    assert rows[0].pass_to_pass == PASS_TO_PASS
    assert store.verify() == ()
    results = store.results(ASSET)
    kept = [path for path in results.folder.glob("*/*") if path.is_file()]
    assert len(kept) == len(EDITS)
    assert not list(tmp_path.rglob("*.tmp"))
    again = _prove(DeadProvider(), suite_image, results)
    assert [_without_cost(v) for v in again] == [_without_cost(v) for v in rows]


def _without_cost(verdict: Verdict) -> Verdict:
    return replace(verdict, cost=type(verdict.cost)())
