"""A batch of rollouts, planned: who acts in which environments, how often, by what key.

Nothing is opened and nothing is run here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from envplatform.bundle import Environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration.harnesses import (
    ASKS_A_MODEL,
    HarnessName,
    Perturbation,
)
from envplatform.errors import ConfigError
from envplatform.rollout.dialects import FENCED, NATIVE
from envplatform.rollout.explorer_harness import ExplorerHarness
from envplatform.rollout.harness import Harness
from envplatform.rollout.mini import MiniPackage, MiniSweAgentHarness
from envplatform.rollout.nop import NopHarness
from envplatform.rollout.oracle import OracleHarness
from envplatform.rollout.reference import ReferenceHarness
from envplatform.rollout.report import id_of
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import result_key
from envplatform.trajectories import RolloutLimits
from envplatform.user.wording import Wording

REVISION = 4
"""Of what rollouts come to; raised by hand when a harness acts or records otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Which model acts, and how it is asked; part of what a rollout is."""

    model: str = ""
    """Name as configured; empty where no model takes part."""
    server: str = ""
    temperature: float = 0.0
    answer_tokens: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is done in each environment of a batch."""

    harness: HarnessName
    sampling: Sampling
    limits: RolloutLimits
    user_words: str = ""
    """Name of the model that words what users inside say; empty: the plans' own words."""
    judge: str = ""
    """Name of the model that judges by rubrics; empty: code alone scores."""
    seeds: tuple[int, ...] = (0,)
    """One rollout each."""
    perturbations: tuple[Perturbation, ...] = ("none",)
    """Of the harness `reference`: one rollout each, by seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One rollout of a plan."""

    row: EnvironmentRow
    seed: int
    perturbation: Perturbation
    key: str
    trajectory_id: str


def planned(
    rows: Sequence[EnvironmentRow], plan: Plan, tools: Mapping[str, str]
) -> Iterator[Planned]:
    """Yield all rollouts, environment by environment; `tools` shape what they come to."""
    for row in rows:
        for perturbation in plan.perturbations:
            for seed in plan.seeds:
                yield Planned(
                    row=row,
                    seed=seed,
                    perturbation=perturbation,
                    key=_key(row, plan, perturbation, seed, tools),
                    trajectory_id=id_of(
                        row.digest, plan.harness, _actor(plan, perturbation), seed
                    ),
                )


def harness_of(  # noqa: PLR0911  one a name
    provider: SandboxProvider,
    name: HarnessName,
    *,
    perturbation: Perturbation = "none",
    root_of: Callable[[Environment], Environment] = lambda environment: environment,
    wording: Wording | None = None,
    package: MiniPackage | None = None,
) -> Harness:
    """Make the harness of a name; `root_of` is for the explorer alone.

    `wording`: how users inside speak to a model; to all others as their plan has it.
    `package`: what mini-swe-agent is brought in from.

    Raises:
        ConfigError: mini-swe-agent without a package.
    """
    match name:
        case "tool_loop":
            return ToolLoopHarness(provider, dialect=NATIVE, wording=wording)
        case "tool_loop_fenced":
            return ToolLoopHarness(provider, dialect=FENCED, wording=wording)
        case "mini_swe_agent" | "mini_swe_agent_text":
            return _mini(provider, name, package, wording)
        case "oracle":
            return OracleHarness(provider)
        case "nop":
            return NopHarness(provider)
        case "explorer":
            return ExplorerHarness(provider, root_of=root_of)
        case "reference":
            return ReferenceHarness(provider, perturbation=perturbation)


def _mini(
    provider: SandboxProvider,
    name: HarnessName,
    package: MiniPackage | None,
    wording: Wording | None,
) -> Harness:
    if package is None:
        msg = f"{name} needs the folder that its package is kept in"
        raise ConfigError(msg)
    is_text = name == "mini_swe_agent_text"
    return MiniSweAgentHarness(
        provider, package, speaks="text" if is_text else "tools", wording=wording
    )


def _actor(plan: Plan, perturbation: Perturbation) -> str:
    if plan.harness in ASKS_A_MODEL:
        return plan.sampling.model
    spoilt = plan.harness == "reference" and perturbation != "none"
    return f"{plan.harness}+{perturbation}" if spoilt else plan.harness


def _key(
    row: EnvironmentRow,
    plan: Plan,
    perturbation: Perturbation,
    seed: int,
    tools: Mapping[str, str],
) -> str:
    return result_key(
        revision=REVISION,
        inputs={"environment": row.digest},
        config={
            "harness": plan.harness,
            "sampling": asdict(plan.sampling),
            "limits": asdict(plan.limits),
            "user_words": plan.user_words,
            "judge": plan.judge,
            "perturbation": perturbation,
            "seed": seed,
        },
        tools=tools,
    )
