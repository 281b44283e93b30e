"""`envplatform why CANDIDATE`: what became of a proposed bug, and for what reason."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.syntax import Syntax

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import ENVIRONMENTS, only_one
from envplatform.cli.output import Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, find_place
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict

Row = TypeVar("Row", BugCandidate, Verdict, EnvironmentRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """All that is known of one candidate."""

    candidate: BugCandidate
    verdict: Verdict | None
    """None: proposed, not executed yet."""
    environment: EnvironmentRow | None
    """None: rejected, beyond the number asked for, or not made yet."""
    conclusion: str


def why(
    candidate: Annotated[str, typer.Argument(help="Its id, or a unique start.")],
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Say what became of a candidate: rejected for which reason, or proven by what."""
    with clear_errors(as_json=as_json):
        fate = find_fate(Store(find_place(config).home), candidate)
    answer(fate, as_json=as_json, show=lambda console: _show(console, fate))


def find_fate(store: Store, name: str) -> Fate:
    """Gather what the tables hold on one candidate.

    Raises:
        StoreError: no or several candidates fit.
    """
    candidates = store.all_rows(BugCandidate, "bug_candidates")
    exact = [row for row in candidates if row.candidate_id == name]
    starts = [row for row in candidates if row.candidate_id.startswith(name)]
    candidate = only_one(
        exact or starts,
        what=f"candidate {name!r}",
        known=[row.candidate_id for row in starts or candidates],
    )
    key = candidate.candidate_id
    verdicts = [
        *store.all_rows(Verdict, "verified_bugs"),
        *store.all_rows(Verdict, "rejected_candidates"),
    ]
    environments = store.all_rows(EnvironmentRow, ENVIRONMENTS)
    verdict = next((row for row in verdicts if row.candidate_id == key), None)
    environment = next((row for row in environments if row.candidate_id == key), None)
    return Fate(
        candidate=candidate,
        verdict=verdict,
        environment=environment,
        conclusion=_conclude(verdict, environment),
    )


def _conclude(verdict: Verdict | None, environment: EnvironmentRow | None) -> str:
    if verdict is None:
        return "proposed; not executed yet (materialise verified_bugs)"
    if verdict.rejection is not None:
        return f"rejected: {verdict.rejection}: {verdict.detail}"
    proven = f"proven by {len(verdict.fail_to_pass)} failing test(s)"
    if environment is None:
        return f"{proven}; no environment was made of it"
    gate = "passed the gate" if environment.gated else "did not pass the gate"
    return f"{proven}; environment {environment.environment_id} {gate}"


def _show(console: Console, fate: Fate) -> None:
    console.print(f"[bold]{fate.candidate.candidate_id}[/]")
    console.print(fate.conclusion, markup=False)
    place = f"{fate.candidate.path}:{fate.candidate.line}"
    console.print(f"{fate.candidate.inducer}/{fate.candidate.operator} at {place}")
    console.print(Syntax(fate.candidate.bug_patch, "diff"))
    for test in fate.verdict.fail_to_pass if fate.verdict else ():
        console.print(f"fails: {test}", markup=False)
