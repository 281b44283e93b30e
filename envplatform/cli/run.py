"""`envplatform run ENV`: one rollout, with the configured model or without any."""

import asyncio
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.cli.inspect import Environment_
from envplatform.cli.machine import Opened, open_for_work
from envplatform.cli.output import ANSWER_IS_NO, FAILED, Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, Place, find_place
from envplatform.configuration import ModelSettings
from envplatform.llm.opening import open_model
from envplatform.rollout import (
    FENCED,
    NATIVE,
    NopHarness,
    OracleHarness,
    Policy,
    RolloutLimits,
    ToolLoopHarness,
)
from envplatform.trajectories import Trajectory

HarnessName = Literal["tool_loop", "oracle", "nop"]
_SHOWN = 2000


def run(  # noqa: PLR0913  each is an option that a person may give
    environment: Environment_,
    model: Annotated[
        str | None, typer.Option(help="Model name; else the one of envplatform.toml.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible server of that model.")
    ] = None,
    config: ConfigOption = None,
    *,
    harness: Annotated[HarnessName, typer.Option(help="Who acts.")] = "tool_loop",
    turns: Annotated[int | None, typer.Option(min=1, help="Turns at most.")] = None,
    seed: Annotated[int, typer.Option(help="Of the model's sampling.")] = 0,
    as_json: Json = False,
) -> None:
    """Let an agent work in an environment, then grade it in another sandbox."""
    with clear_errors(as_json=as_json):
        place = find_place(config)
        settings = model_settings(place.configuration.model, model, base_url)
        opened = open_for_work(place, environment)
        limits = rollout_limits(place, turns)
        trajectory = asyncio.run(
            roll_out(place, opened, settings, harness=harness, limits=limits, seed=seed)
        )
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
    settings = place.configuration.rollouts
    return RolloutLimits(
        turns=turns or settings.turns,
        tokens=settings.tokens,
        seconds=settings.seconds,
    )


async def roll_out(
    place: Place,
    opened: Opened,
    settings: ModelSettings,
    *,
    harness: HarnessName,
    limits: RolloutLimits,
    seed: int,
) -> Trajectory:
    """Run one rollout.

    Raises:
        ConfigError: the model's settings contradict each other, or its key is missing.
    """
    if harness != "tool_loop":
        acting = OracleHarness if harness == "oracle" else NopHarness
        return await acting(opened.provider).run(
            opened.environment, None, limits, image=opened.image, seed=seed
        )
    opening = open_model(
        settings, folder=place.home / "models", asset="run", purpose="rollout"
    )
    # A small embedded model knows no tool calls; it is asked for fenced commands.
    dialect = FENCED if settings.kind == "embedded" else NATIVE
    async with opening as model:
        return await ToolLoopHarness(opened.provider, dialect=dialect).run(
            opened.environment,
            Policy(model=model),
            limits,
            image=opened.image,
            seed=seed,
        )


def _show(console: Console, trajectory: Trajectory) -> None:
    for message in trajectory.messages:
        console.rule(message.role)
        console.print(message.content[:_SHOWN], markup=False, highlight=False)
        for call in message.tool_calls:
            console.print(f"-> {call.name} {call.arguments}", markup=False)
    console.rule("result")
    scores = {score.criterion: score.score for score in trajectory.scores}
    console.print(
        f"{trajectory.harness} by {trajectory.policy}: {trajectory.ending} after "
        f"{len(trajectory.steps)} turn(s), reward {trajectory.reward} {scores}",
        markup=False,
    )
    for problem in (trajectory.grading_failure, trajectory.error):
        if problem:
            console.print(problem, markup=False)
