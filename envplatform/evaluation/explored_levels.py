"""The explorer over levels of a lineage."""

from dataclasses import dataclass

from envplatform.bundle import Environment
from envplatform.res.rows import ExplorerRow
from envplatform.rollout.explorer import attempt
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.retry import with_retries


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerTries:
    """Tries one environment after the other, each within the same number of turns."""

    provider: SandboxProvider
    image: Image
    turns: int

    async def __call__(
        self, environment: Environment, *, root: Environment
    ) -> ExplorerRow:
        """Return how the explorer fared in `environment`, graded as `root`.

        Raises:
            SandboxError: a sandbox failed time and again.
        """
        tried = await with_retries(
            lambda: attempt(
                self.provider,
                environment,
                root=root,
                image=self.image,
                turns=self.turns,
            )
        )
        return ExplorerRow(
            passed=tried.passed,
            reward=tried.grading.reward or 0.0,
            turns=tried.explored.turns,
            calls=tried.explored.calls,
            out_of_turns=tried.explored.is_exhausted,
        )
