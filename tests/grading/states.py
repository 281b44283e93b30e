"""A bench that scores states by a rule: checks are tested without a verifier."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envplatform.grading import Final, Grading
from envplatform.grading.batch import Bench
from envplatform.grading.evidence import Evidence
from envplatform.sandbox.base import Image
from tests.fakes import DeadProvider
from tests.grading.made import grading

Scores = dict[str, float]
Rule = Callable[[Final], Scores | float | None]
"""From a state to its reward, all of its scores, or no verdict."""
IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledBench(Bench):
    """Grades by a rule; its sandboxes can't be opened."""

    rule: Rule

    async def grade(self, finals: Sequence[Final]) -> tuple[Grading, ...]:
        """Ask the rule."""
        return tuple(_graded(self.rule(final)) for final in finals)


def bench_of(evidence: Evidence, rule: Rule) -> Bench:
    """A bench for the environment of `evidence`."""
    return RuledBench(
        provider=DeadProvider(),
        environment=evidence.environment,
        image=IMAGE,
        rule=rule,
    )


def _graded(found: Scores | float | None) -> Grading:
    if isinstance(found, dict):
        parts = {name: score for name, score in found.items() if name != "reward"}
        return grading(found["reward"], **parts)
    return grading(found)
