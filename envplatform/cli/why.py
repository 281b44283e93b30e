"""`envplatform why`: what became of a proposed bug, a fix, a seed or a blueprint."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar

import typer
from rich.console import Console
from rich.syntax import Syntax

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_BUGS, find_one
from envplatform.cli.output import Json, answer, clear_errors, harmless, say
from envplatform.cli.place import ConfigOption, find_place
from envplatform.cli.why_cowork import find_cowork_fate, show_cowork_fate
from envplatform.cli.why_fix import find_fix_fate, show_fix_fate
from envplatform.cli.why_seed import find_seed_fate, show_seed_fate
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.publish import REFUSED, Refused
from envplatform.swe.report import REJECTED


class _OfCandidate(Protocol):
    @property
    def candidate_id(self) -> str: ...


Row = TypeVar("Row", bound=_OfCandidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """All that is known of one candidate."""

    candidate: BugCandidate
    verdict: Verdict | None
    """None: proposed, not executed yet."""
    refused: Refused | None
    """Why a proven bug became no environment; None if it did or was never tried."""
    environment: EnvironmentRow | None
    """None: rejected, refused, beyond the number asked for, or not made yet."""
    conclusion: str


def why(
    candidate: Annotated[
        str,
        typer.Argument(
            help="Id of a candidate, environment or blueprint, or a unique start; "
            "a fix or seed."
        ),
    ],
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Say what became of a candidate, fix, seed or blueprint: rejected why, made what."""
    with clear_errors(as_json=as_json):
        store = Store(find_place(config).home)
        told = _find_told(store, candidate)
    answer(told.fate, as_json=as_json, show=told.draw)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A fate of whatever kind, and how it is drawn."""

    fate: object
    draw: Callable[[Console], None]


def _find_told(store: Store, name: str) -> _Told:
    """Ask each kind in turn; what none knows is a candidate's name.

    Raises:
        StoreError: nothing, or several things, are called so.
    """
    if fix := find_fix_fate(store, name):
        return _Told(fate=fix, draw=lambda console: show_fix_fate(console, fix))
    if seed := find_seed_fate(store, name):
        return _Told(fate=seed, draw=lambda console: show_seed_fate(console, seed))
    if made := find_cowork_fate(store, name):
        return _Told(fate=made, draw=lambda console: show_cowork_fate(console, made))
    fate = find_fate(store, name)
    return _Told(fate=fate, draw=lambda console: _show(console, fate))


def find_fate(store: Store, name: str) -> Fate:
    """Gather what the tables hold on one candidate.

    Raises:
        StoreError: no or several candidates fit.
    """
    candidate = find_one(
        store.all_rows(BugCandidate, "bug_candidates"),
        name,
        names=lambda row: (row.candidate_id,),
        what="candidate",
    )
    verdicts = (
        *store.all_rows(Verdict, "verified_bugs"),
        *store.all_rows(Verdict, REJECTED),
    )
    verdict = _of(candidate, verdicts)
    refused = _of(candidate, store.all_rows(Refused, REFUSED))
    environment = _of(candidate, store.all_rows(EnvironmentRow, OF_BUGS))
    tried = store.manifest(OF_BUGS, candidate.repository) is not None
    return Fate(
        candidate=candidate,
        verdict=verdict,
        refused=refused,
        environment=environment,
        conclusion=_conclude(verdict, refused, environment, tried=tried),
    )


def _of(candidate: BugCandidate, rows: Iterable[Row]) -> Row | None:
    key = candidate.candidate_id
    return next((row for row in rows if row.candidate_id == key), None)


def _conclude(
    verdict: Verdict | None,
    refused: Refused | None,
    environment: EnvironmentRow | None,
    *,
    tried: bool,
) -> str:
    if verdict is None:
        return "proposed; not executed yet (materialise verified_bugs)"
    if verdict.rejection is not None:
        return f"rejected: {verdict.rejection}: {verdict.detail}"
    proven = f"proven by {len(verdict.fail_to_pass)} failing test(s)"
    if environment is not None:
        gate = "passed the gate" if environment.gated else "did not pass the gate"
        return f"{proven}; environment {environment.environment_id} {gate}"
    if refused is not None:
        return f"{proven}; refused: {refused.reason}: {refused.detail}"
    if tried:
        return f"{proven}; not among those chosen (environments_per_repository)"
    return f"{proven}; no environments made yet (materialise swe_environments)"


def _show(console: Console, fate: Fate) -> None:
    candidate = fate.candidate
    say(console, candidate.candidate_id, "bold")
    say(console, fate.conclusion)
    place = f"{candidate.path}:{candidate.line}"
    say(console, f"{candidate.inducer}/{candidate.operator} at {place}")
    console.print(Syntax(harmless(candidate.bug_patch), "diff"))
    for test in fate.verdict.fail_to_pass if fate.verdict else ():
        say(console, f"fails: {test}")
