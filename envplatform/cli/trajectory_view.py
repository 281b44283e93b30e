"""A trajectory in a terminal: what was said, run, changed, claimed and scored.

All of it was written by models and programs of strangers, so every text is shown with
its control characters as escapes. Finding the record is done here too.
"""

import re
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from envplatform.cli.output import harmless, say
from envplatform.errors import StoreError
from envplatform.interop.stored_trajectories import ASSET
from envplatform.llm.chat import Message
from envplatform.store import Store
from envplatform.trajectories import (
    Standards,
    Step,
    ToolOutcome,
    Trajectory,
    UserTurn,
    faults,
)

_ID = re.compile(r"[0-9a-f]{16}\.\S+")
_SHOWN = 2_000
_LISTED = 5


def is_trajectory(name: str) -> bool:
    """Whether `name` can only mean a trajectory: digest, harness, policy, seed."""
    return _ID.fullmatch(name) is not None


def find_trajectory(store: Store, name: str) -> tuple[str, Trajectory]:
    """Return batch and record of an id or a start of it that fits only one.

    A rollout that several batches have is the same in all; the first is told.

    Raises:
        StoreError: none or several fit.
    """
    found: dict[str, tuple[str, Trajectory]] = {}
    for manifest in store.manifests(ASSET):
        for one in store.scan(Trajectory, ASSET, manifest.partition):
            if one.trajectory_id == name:
                return manifest.partition or "", one
            if one.trajectory_id.startswith(name):
                batch = manifest.partition or ""
                found.setdefault(one.trajectory_id, (batch, one))
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        several = ", ".join(sorted(found)[:_LISTED])
        msg = f"{len(found)} trajectories start with {name!r}: {several}"
    else:
        msg = (
            f"no trajectory {name!r} is stored; `envplatform review --browse` names "
            "those of each environment"
        )
    raise StoreError(msg)


def show_trajectory(
    console: Console, batch: str, one: Trajectory, *, whole: bool
) -> None:
    """Draw it; `whole`: texts uncut."""
    most = None if whole else _SHOWN
    say(console, one.trajectory_id, "bold")
    say(console, f"batch {batch}, {one.harness} by {one.policy}, seed {one.seed}")
    say(console, f"environment {one.environment_id} {one.environment_digest[:12]}")
    for message in one.prompt:
        _message(console, message, most)
    for number, step in enumerate(one.steps, 1):
        _step(console, number, step, most)
    for turn in one.user_turns:
        _user_turn(console, turn, most)
    _state(console, one, most)
    _result(console, one)


def _step(console: Console, number: int, step: Step, most: int | None) -> None:
    tokens = step.usage.completion_tokens
    console.rule(f"turn {number}: {step.finish_reason}, {tokens} tokens")
    say(console, _cut(step.message.content, most))
    outcomes = {outcome.call_id: outcome for outcome in step.outcomes}
    for call in step.message.tool_calls:
        say(console, f"-> {call.name} {_cut(call.arguments, most)}", "cyan")
        say(console, f"   {_outcome(outcomes.get(call.call_id))}")
    asked = {call.call_id for call in step.message.tool_calls}
    for outcome in step.outcomes:
        if outcome.call_id not in asked:  # asked for in words
            say(console, f"-> {outcome.tool}: {_outcome(outcome)}", "cyan")
    for message in step.replies:
        _message(console, message, most)


def _message(console: Console, message: Message, most: int | None) -> None:
    console.rule(message.role, align="left", style="dim")
    say(console, _cut(message.content, most))


def _outcome(outcome: ToolOutcome | None) -> str:
    if outcome is None:
        return "no outcome is recorded"
    if outcome.problem is not None:
        return f"not run: {outcome.problem}"
    code = "" if outcome.exit_code is None else f" {outcome.exit_code}"
    return f"{outcome.ending or 'done'}{code}, {outcome.output_bytes} bytes"


def _user_turn(console: Console, turn: UserTurn, most: int | None) -> None:
    how = turn.signal or "no signal"
    title = f"user inside, after message {turn.number}: {how}"
    console.rule(Text(harmless(title)))
    if turn.user:
        say(console, _cut(turn.user, most))
    for patch in turn.patches:
        done = "" if turn.changed else " (could not be applied)"
        say(console, f"{patch.action} {patch.path}{done}", "yellow")
        for mark, text in (("-", patch.old), ("+", patch.new)):
            if text:
                say(console, f"{mark} {_cut(text, most)}")


def _state(console: Console, one: Trajectory, most: int | None) -> None:
    console.rule("what it left")
    if not one.changes:
        is_known = one.final_state is not None
        say(console, "nothing is changed" if is_known else "nothing was taken home")
    for change in one.changes:
        say(console, f"{change.change} {change.path}", "yellow")
        if change.patch:
            say(console, _cut(change.patch, most))
    if one.dispatches:
        refused = sum(each.error is not None for each in one.dispatches)
        count = len(one.dispatches)
        say(console, f"{count} requests to what is served, {refused} refused")


def _result(console: Console, one: Trajectory) -> None:
    console.rule("result")
    for claim in one.claims:
        holds = "holds" if claim.holds else f"is wrong: {claim.found or 'nothing'}"
        said = f"{claim.path} {claim.field} = {claim.value}"
        say(console, f"claim {_cut(said, _SHOWN)} {holds}")
    for line in _lines(one):
        say(console, line)
    say(console, f"{one.ending}, reward {one.reward}", "bold")


def _lines(one: Trajectory) -> Iterator[str]:
    if one.scores:
        yield ", ".join(f"{each.criterion} {each.score:g}" for each in one.scores)
    judged = one.judged
    if judged is not None:
        score = judged.why_none if judged.score is None else f"{judged.score:g}"
        yield f"code {judged.code}, judge {judged.judge}: {score}"
    yield from (f"user: {each.kind} {each.detail}" for each in one.user_mistakes)
    for why in (one.grading_failure, one.error):
        if why:
            yield why
    reasons = dict.fromkeys(faults(one, Standards()))
    against = ", ".join(reasons) or "nothing"
    yield f"against its use for training, by the usual standards: {against}"


def _cut(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    return f"{text[:most]}\n[{len(text) - most} more characters; --whole shows them]"
