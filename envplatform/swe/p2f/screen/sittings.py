"""Put all candidates that a fork can judge to warm sandboxes, some at a time."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from envplatform.errors import SandboxError
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Cost
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.changes import Change
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.screen.answers import Answer, Question
from envplatform.swe.p2f.screen.ask import screen
from envplatform.swe.p2f.screen.select import Selection, select_tests
from envplatform.swe.p2f.screen.tiered import TieredVerdict
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verdict_of
from envplatform.swe.targets.prepare import HealthyRepository

_LEAST_A_SANDBOX = 20
"""Fewer candidates than this are not worth a second warm sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """A candidate that was put to a fork."""

    change: Change
    selection: Selection
    answer: Answer

    @property
    def survives(self) -> bool:
        """Whether it is to be confirmed."""
        return self.answer.said == "survives"

    @property
    def is_cold(self) -> bool:
        """Whether the fork could not tell."""
        return self.answer.said == "cold"

    def rejection(
        self, candidate: BugCandidate, provider: SandboxProvider
    ) -> TieredVerdict:
        """Return the verdict of a screen that neither survives nor is cold."""
        answer = self.answer
        if answer.said == "survives" or answer.said == "cold":  # noqa: PLR1714  narrows
            msg = f"{candidate.candidate_id}: {answer.said} is no rejection"
            raise AssertionError(msg)
        refusal = Refusal(reason=answer.said, detail=answer.detail)
        verdict = verdict_of(candidate, refusal, provider)
        is_run = answer.said != "does_not_compile"
        cost = Cost(seconds=round(answer.seconds, 3))
        return TieredVerdict(
            candidate_id=candidate.candidate_id,
            verdict=replace(verdict, runs=int(is_run), cost=cost),
            tier="rejected",
            affected_share=self.selection.share,
        )


_Picked = tuple[int, Change, Selection]


async def screen_all(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    changes: Mapping[int, Change],
    settings: VerificationSettings,
    *,
    failures: dict[int, SandboxError],
) -> dict[int, Screened]:
    """Return what forks say, by place; without those that no fork can judge.

    Places about which a sandbox failed to tell are entered in `failures`.
    """

    async def ask(picked: Sequence[_Picked]) -> dict[int, Screened]:
        questions = [
            Question(
                files={path: change.tree[path].data for path in change.lines},
                stages=selection.stages,
            )
            for _, change, selection in picked
        ]
        try:
            answers = await screen(provider, repository, baseline, questions, settings)
        except SandboxError as error:
            failures.update((place, error) for place, _, _ in picked)
            return {}
        return {
            place: Screened(change=change, selection=selection, answer=answer)
            for (place, change, selection), answer in zip(picked, answers, strict=True)
        }

    picked: list[_Picked] = []
    for place, change in changes.items():
        selection = select_tests(repository, baseline, change)
        if selection is not None:
            picked.append((place, change, selection))
    parts = min(settings.concurrency, len(picked) // _LEAST_A_SANDBOX) or 1
    hands = [picked[start::parts] for start in range(parts)]
    sittings = await asyncio.gather(*map(ask, hands))
    return {place: one for sitting in sittings for place, one in sitting.items()}
