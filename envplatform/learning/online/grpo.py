"""The one module that touches what TRL calls experimental, and what it keeps to itself.

Both ways into GRPOTrainer: environments whose tools it calls, and rollouts that are
played for it with a mask over what was heard. The rest of `online` knows neither.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from transformers import PreTrainedTokenizerBase
from trl.chat_template_utils import add_response_schema, supports_tool_calling
from trl.trainer.grpo_trainer import GRPOTrainer

from envplatform.errors import TrainingError
from envplatform.learning.answers import CALL_CLOSES, CALL_OPENS
from envplatform.learning.online.groups import Groups, Played
from envplatform.learning.online.player import LatePlays
from envplatform.learning.online.rewards import Verdict, components
from envplatform.learning.online.stages import Stage, factories
from envplatform.learning.online.turns import Turns
from envplatform.learning.training.renamed import known_renamings
from envplatform.learning.training.steady import Steady
from envplatform.llm.chat import Tool
from envplatform.trajectories.playing import PLAY_ROW, PlayRow

ROW = "row"
"""Column of the data set that holds the whole row, as JSON."""
_VERDICT = "verdict"
_EXPERIMENTAL = r"You are using '(rollout_func|environment_factory)'"
_REFERENCE = "ref"
"""The adapter that TRL keeps of where the training began."""


class OnlineTrainer(Steady, GRPOTrainer):
    """GRPO over plays; rows reach whoever plays, and no play is cut to fit."""

    def __init__(
        self,
        plays: LatePlays,
        **given: Any,  # noqa: ANN401  of its base
    ) -> None:
        self.plays = plays
        self.groups: Groups | None = None
        """Plays the rollouts; None where the trainer calls tools itself."""
        self.rows: list[PlayRow] = []
        """Of the batch that is generated, repeated as its prompts are."""
        with _experimental():
            super().__init__(**given)

    @classmethod
    def calling_tools(
        cls,
        plays: LatePlays,
        sets: Mapping[str, Sequence[Tool]],
        **given: Any,  # noqa: ANN401  of its base
    ) -> "OnlineTrainer":
        """TRL runs the turns; an environment's tools are methods, by tool set."""
        return cls(plays, environment_factory=factories(sets, plays), **given)

    @classmethod
    def playing(
        cls,
        plays: LatePlays,
        groups: Groups,
        **given: Any,  # noqa: ANN401  of its base
    ) -> "OnlineTrainer":
        """We run the turns, and mask what was heard."""
        trainer = cls(plays, rollout_func=_rollouts, **given)
        trainer.groups = groups
        return trainer

    def train(self, resume_from_checkpoint: str | None = None) -> object:
        """Train while the player is there."""
        with self.plays, known_renamings():
            done: object = super().train(resume_from_checkpoint=resume_from_checkpoint)
        if _REFERENCE in self.model.peft_config:
            self.model.delete_adapter(_REFERENCE)  # no part of what is published
        return done

    def spoken(self, contexts: list[list[int]]) -> list[list[int]]:
        """One more turn of each, by TRL's own generation and settings."""
        ids, _ = self._generate_single_turn(  # type: ignore[no-untyped-call]  # TRL's
            contexts, None, {}, num_generations=1
        )
        return [list(one) for one in ids]

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> Any:  # noqa: ANN401  as its base
        """Note the rows of the batch: a rollout function is told prompts alone."""
        self.rows = [PLAY_ROW.validate_json(one[ROW]) for one in inputs]
        return super()._generate_and_score_completions(inputs)


def reward_function(
    code_weight: float, group: int
) -> Callable[..., list[float | None]]:
    """The one reward, for both ways; components go to the trainer's log."""

    def verified_reward(
        *,
        environments: Sequence[Stage] = (),
        verdict: Sequence[Verdict] = (),
        log_metric: Callable[[str, float], None],
        **_: object,
    ) -> list[float | None]:
        """None where nothing is known: such a play has no part in the group's mean."""
        if environments:
            check_openings(environments, group)
        found = list(verdict) or [one.verdict() for one in environments]
        for name, mean in components(found, code_weight).items():
            log_metric(name, mean)
        return [one.reward(code_weight) for one in found]

    return verified_reward


def check_openings(stages: Sequence[Stage], group: int) -> None:
    """Hold each group to one opening.

    Raises:
        TrainingError: two of one group read something else at first.
    """
    for start in range(0, len(stages), group):
        openings = {one.opening for one in stages[start : start + group] if one.opening}
        if len(openings) > 1:
            msg = "a group must start from one state, and its members read otherwise"
            raise TrainingError(msg)


def columns_of(plays: Sequence[Played]) -> dict[str, Any]:
    """What TRL wants of rollouts: tokens and a mask; and our column for the reward."""
    return {
        "prompt_ids": [one.tokens.prompt for one in plays],
        "completion_ids": [one.tokens.completion for one in plays],
        "logprobs": None,
        "env_mask": [one.tokens.mask for one in plays],
        _VERDICT: [one.verdict for one in plays],
    }


def knows_tools(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Whether the template writes calls and their answers."""
    return bool(supports_tool_calling(tokenizer))


def read_calls(tokenizer: PreTrainedTokenizerBase, turns: Turns) -> None:
    """Have TRL find calls in what is generated; templates that it knows its own way."""
    try:
        add_response_schema(tokenizer)
    except ValueError:
        tokenizer.response_template = {
            "defaults": {"role": "assistant"},
            "start_anchor": turns.header,
            "fields": {
                "tool_calls": {
                    "open": CALL_OPENS,
                    "close_pattern": rf"{CALL_CLOSES}\s*",
                    "repeats": True,
                    "content": "json",
                    "transform": {"type": "function", "function": "{content}"},
                },
                "content": {"close": turns.closing.strip(), "content": "text"},
            },
        }


def _rollouts(prompts: Sequence[object], trainer: OnlineTrainer) -> dict[str, Any]:
    """Play the batch; prompts come in already repeated, as the rows do."""
    if trainer.groups is None or len(trainer.rows) != len(prompts):
        msg = f"{len(prompts)} prompts and {len(trainer.rows)} rows, or nobody to play"
        raise TrainingError(msg)
    group = int(trainer.num_generations or 1)
    return columns_of(trainer.groups.play(trainer.rows, trainer.spoken, group=group))


@contextmanager
def _experimental() -> Iterator[None]:
    """Known, and kept in this module: TRL need not say it each time."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_EXPERIMENTAL, category=UserWarning)
        yield
