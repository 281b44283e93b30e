"""`envplatform run ENV`: one rollout, with the configured model or without any."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.cli.find import EnvironmentName, place_for
from envplatform.cli.machine import TARGETS_CACHE, Opened, open_for_work
from envplatform.cli.output import (
    ANSWER_IS_NO,
    FAILED,
    Json,
    Progress,
    answer,
    clear_errors,
    say,
)
from envplatform.cli.place import ConfigOption, Place
from envplatform.cli.user_words import configured_wording
from envplatform.configuration import ModelSettings
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse
from envplatform.llm.opening import open_model
from envplatform.rollout import (
    FENCED,
    NATIVE,
    Harness,
    MiniPackage,
    MiniSweAgentHarness,
    NopHarness,
    OracleHarness,
    Policy,
    RolloutLimits,
    ToolLoopHarness,
)
from envplatform.rollout.settings import rollout_limits as limits_of_all
from envplatform.store import Store
from envplatform.trajectories import Trajectory
from envplatform.user.wording import Wording

RunHarness = Literal["tool_loop", "mini_swe_agent", "oracle", "nop"]
_SHOWN = 2000
_EMBEDDED_ANSWER = 200
"""Tokens of one answer."""


def run(  # noqa: PLR0913  each is an option that a person may give
    environment: EnvironmentName,
    model: Annotated[
        str | None, typer.Option(help="Model name; else the one of envplatform.toml.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible server of that model.")
    ] = None,
    config: ConfigOption = None,
    *,
    harness: Annotated[RunHarness, typer.Option(help="Who acts.")] = "tool_loop",
    turns: Annotated[int | None, typer.Option(min=1, help="Turns at most.")] = None,
    seed: Annotated[int, typer.Option(help="Of the model's sampling.")] = 0,
    as_json: Json = False,
) -> None:
    """Let an agent work in an environment, then grade it in another sandbox."""
    with clear_errors(as_json=as_json):
        place = place_for(config, environment)
        settings = model_settings(place.configuration.model, model, base_url)
        told = Progress()
        opened = open_for_work(place, environment, told)
        rollout = Rollout(
            harness=harness,
            model=settings,
            limits=rollout_limits(place, turns),
            seed=seed,
            told=told,
        )
        trajectory = asyncio.run(roll_out(place, opened, rollout))
    answer(trajectory, as_json=as_json, show=lambda console: _show(console, trajectory))
    if trajectory.error_class is not None:
        raise typer.Exit(FAILED)
    if trajectory.reward is None or trajectory.reward < 1:
        raise typer.Exit(ANSWER_IS_NO)


def model_settings(
    settings: ModelSettings, name: str | None, base_url: str | None
) -> ModelSettings:
    """`[model]` with what the command line says instead; a server means `openai`."""
    changed: dict[str, object] = {}
    if name is not None:
        changed["name"] = name
    if base_url is not None:
        changed |= {"base_url": base_url, "kind": "openai"}
    return ModelSettings.model_validate({**settings.model_dump(), **changed})


def rollout_limits(place: Place, turns: int | None) -> RolloutLimits:
    """`[rollouts]`, with another number of turns where one is given."""
    limits = limits_of_all(place.configuration.rollouts)
    return replace(limits, turns=turns) if turns else limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """What was asked for."""

    harness: RunHarness
    model: ModelSettings
    limits: RolloutLimits
    seed: int
    told: Callable[[str], None]


async def roll_out(place: Place, opened: Opened, rollout: Rollout) -> Trajectory:
    """Run one rollout.

    Raises:
        ConfigError: the model's settings contradict each other, or its key is missing.
        BundleError: the image is not the one that the environment names.
    """
    if rollout.harness in ("oracle", "nop"):
        acting = OracleHarness if rollout.harness == "oracle" else NopHarness
        return await acting(opened.provider).run(
            opened.environment,
            None,
            rollout.limits,
            image=opened.image,
            seed=rollout.seed,
        )
    opening = open_model(
        rollout.model, folder=place.home / "models", asset="run", purpose="rollout"
    )
    embedded = rollout.model.kind == "embedded"
    rollout.told(f"opening {rollout.model.kind} model {rollout.model.name}")
    words = configured_wording(place, opened.environment, seed=rollout.seed)
    async with opening as model, words as wording:
        policy = Policy(model=ToldModel(model, rollout.told))
        if embedded:  # it goes on and on, on this machine's cores, until it is stopped
            policy = replace(policy, answer_tokens=_EMBEDDED_ANSWER)
        harness = _asking(place, opened, rollout, wording)
        return await harness.run(
            opened.environment,
            policy,
            rollout.limits,
            image=opened.image,
            seed=rollout.seed,
        )


def _asking(
    place: Place, opened: Opened, rollout: Rollout, wording: Wording | None
) -> Harness:
    """Make a harness that asks a model; the small embedded one knows no tool calls."""
    embedded = rollout.model.kind == "embedded"
    if rollout.harness == "mini_swe_agent":
        package = MiniPackage(Store(place.home).cache_folder(TARGETS_CACHE))
        return MiniSweAgentHarness(
            opened.provider,
            package,
            speaks="text" if embedded else "tools",
            wording=wording,
        )
    dialect = FENCED if embedded else NATIVE
    return ToolLoopHarness(opened.provider, dialect=dialect, wording=wording)


class ToldModel(ChatModel):
    """Asks another model and tells of each turn: for progress."""

    def __init__(self, model: ChatModel, told: Callable[[str], None]) -> None:
        self.name = model.name
        self._model = model
        self._told = told
        self._turn = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer as the other model does."""
        self._turn += 1
        self._told(f"turn {self._turn}: asking {self.name}")
        response = await self._model.complete(request)
        if response.cached:
            self._told(
                f"turn {self._turn}: that was recorded; [model] record = off asks"
            )
        return response


def _show(console: Console, trajectory: Trajectory) -> None:
    for message in trajectory.messages:
        console.rule(message.role)
        say(console, message.content[:_SHOWN])
        for call in message.tool_calls:
            say(console, f"-> {call.name} {call.arguments[:_SHOWN]}")
    console.rule("result")
    scores = ", ".join(f"{one.criterion} {one.score:g}" for one in trajectory.scores)
    say(
        console,
        f"{trajectory.harness} by {trajectory.policy}: {trajectory.ending} after "
        f"{len(trajectory.steps)} turn(s), reward {trajectory.reward}",
        "bold",
    )
    for line in (scores, trajectory.grading_failure, trajectory.error):
        if line:
            say(console, line)
