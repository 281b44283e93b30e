"""What decides the rows of lineages, and who plans them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from envplatform.bundle import Environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Ablation, Configuration, ResSettings
from envplatform.errors import ConfigError, EnvPlatformError
from envplatform.evaluation.explored_levels import ExplorerTries
from envplatform.res.growing import Growing, made_by
from envplatform.res.lineage import Budget
from envplatform.res.measure import measure
from envplatform.res.primitives import primitive
from envplatform.res.proposers import Planned, Proposer
from envplatform.res.replay import Replayer
from envplatform.res.verifier import Caps, Verifier, score_of_nothing
from envplatform.rollout import attending
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.retry import with_retries
from envplatform.store import Store

_OF_ABLATIONS = frozenset({"ablations", "one_operator"})


def lineage_settings(configuration: Configuration) -> dict[str, Any]:
    """All of `[res]` that decides a lineage; which seeds there are is told by seed."""
    left_out = {"seeds", *_OF_ABLATIONS}
    return configuration.res.model_dump(mode="json", exclude=left_out)


def ablation_settings(configuration: Configuration) -> dict[str, Any]:
    """All of `[res]` that decides ablations; they are the planned proposer's."""
    return configuration.res.model_dump(mode="json", exclude={"seeds", "proposer"})


def is_chosen(configuration: Configuration, name: str, _: Store) -> dict[str, str]:
    """Whether lineages grow from a seed."""
    return {"grown": str(is_grown(configuration.res, name))}


def is_grown(settings: ResSettings, name: str) -> bool:
    """Whether `[res]` names a seed, or none, which means all."""
    return not settings.seeds or name in settings.seeds


def growing_code(_: object) -> dict[str, str]:
    """What makes children and accepts them; the runtime that serves them is part of it."""
    return {"res": made_by()}


def proposer_of(settings: ResSettings, ablation: Ablation) -> Proposer:
    """Return who plans the levels of an ablation; `composed` is none.

    Raises:
        ConfigError: there is no such operator.
    """
    match ablation:
        case "uncomposed":
            return Planned(mode="uncomposed")
        case "one_operator":
            try:
                primitive(settings.one_operator)
            except EnvPlatformError as error:
                msg = f"res.one_operator: {error}"
                raise ConfigError(msg) from error
            return Planned(operators=(settings.one_operator,))
        case "composed" | "independent":
            return Planned()


@contextmanager
def verifying(
    provider: SandboxProvider, root: Environment, image: Image, settings: ResSettings
) -> Iterator[Verifier]:
    """Open what verifies the children of `root`.

    Raises:
        SandboxError: a sandbox failed time and again.
    """
    floor = asyncio.run(with_retries(lambda: score_of_nothing(provider, root, image)))
    with Replayer() as replayer:
        yield Verifier(
            provider=provider,
            image=image,
            replayer=replayer,
            root_bytes=measure(root).served_bytes,
            floor=floor or 0.0,
            caps=Caps(reads=settings.max_reads, bytes_ratio=settings.max_bytes_ratio),
            attend=attending() if root.user else None,
        )


def growing(
    row: EnvironmentRow,
    root: Environment,
    ablation: Ablation,
    proposer: Proposer,
    verifier: Verifier,
    settings: ResSettings,
) -> Growing:
    """Put together how one lineage is grown, as `[res]` says."""
    operator = settings.one_operator if ablation == "one_operator" else ""
    tries = ExplorerTries(
        provider=verifier.provider,
        image=verifier.image,
        turns=settings.explorer_turns or 1,
    )
    return Growing(
        row=row,
        root=root,
        ablation=ablation,
        proposer=proposer,
        verifier=verifier,
        seed=settings.seed,
        budget=Budget(
            depth=settings.depth,
            proposals=settings.proposals,
            failures=settings.failures,
        ),
        decides={"operator": operator, "turns": settings.explorer_turns},
        tries=tries if settings.explorer_turns else None,
    )
