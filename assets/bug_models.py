"""Models in the group `bugs`: who proposes bugs, who writes issues, and what they are.

An asset names a model among its tools only where it asks one, so that another model
makes anew what it had a part in, and nothing else.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from assets.bug_recipes import mined_tools, shipped_verifier
from assets.learned import learned_tools
from assets.pictures import counts_table
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import PROMPTED, ModelSettings, SynthesisSettings
from envplatform.llm.opening import server_of
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.llm import REVISION as ASKING
from envplatform.swe.inducers.llm import Prompting
from envplatform.swe.issue import ModelWriter
from envplatform.swe.issue.by_model import REVISION as WRITING
from envplatform.swe.propose import Proposals
from envplatform.swe.publish import Proven, Refused, publish
from envplatform.swe.targets import HealthyRepository
from resources.models import ChatModelResource


def _told(model: ModelSettings, synthesis: SynthesisSettings) -> str:
    """Name all of a model that decides what it answers."""
    parts = [model.name, server_of(model), str(synthesis.model_temperature)]
    return " ".join([*parts, str(synthesis.model_answer_tokens), *sorted(model.omit)])


def proposers(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """What takes part in proposing where it is asked: mined patterns, a model."""
    configuration = resources.configuration.load()
    tools = {**mined_tools(configuration), **learned_tools(configuration)}
    if PROMPTED.isdisjoint(configuration.synthesis.inducers):
        return tools
    asked = _told(configuration.model, configuration.synthesis)
    return {**tools, "prompted inducers": str(ASKING), "model": asked}


def publishers(resources: Any) -> dict[str, str]:  # noqa: ANN401  Dagster's
    """What environments are graded by, and who writes issues where a model does."""
    configuration = resources.configuration.load()
    tools = shipped_verifier(resources)
    if configuration.synthesis.issue_writer == "template":
        return tools
    asked = _told(configuration.issue_model_or_model, configuration.synthesis)
    return {**tools, "issue writer": str(WRITING), "issue model": asked}


@contextmanager
def prompting(
    store: Store, chat_model: ChatModelResource, synthesis: SynthesisSettings
) -> Iterator[Prompting | None]:
    """Open the model that prompted inducers ask; None where no such inducer is asked.

    Raises:
        ConfigError: no key, or settings that contradict each other.
    """
    if PROMPTED.isdisjoint(synthesis.inducers):
        yield None
        return
    opening = chat_model.open(asset="bug_candidates", purpose="bug")
    with asyncio.Runner() as runner:
        model = runner.run(opening.__aenter__())
        try:
            yield Prompting(
                model=model,
                run=runner.run,
                results=store.results("prompt"),
                clock=time.perf_counter,
                server=server_of(chat_model.settings()),
                temperature=synthesis.model_temperature,
                answer_tokens=synthesis.model_answer_tokens,
            )
        finally:
            runner.run(opening.__aexit__(None, None, None))


async def publish_with_writer(  # noqa: PLR0913  as `publish`, and who writes
    provider: SandboxProvider,
    store: Store,
    repository: HealthyRepository,
    chosen: Sequence[Proven],
    *,
    chat_model: ChatModelResource,
    synthesis: SynthesisSettings,
    seed: int,
    concurrency: int,
    told: Callable[[int, int], None],
) -> tuple[tuple[EnvironmentRow, ...], tuple[Refused, ...]]:
    """Publish, with a model that writes the issues where `issue_writer` says so.

    Raises:
        SandboxError, ModelError: as `publish`.
        ConfigError: no key, or settings that contradict each other.
    """
    to_publish = partial(
        publish,
        provider,
        store,
        repository,
        chosen,
        seed=seed,
        concurrency=concurrency,
        told=told,
    )
    if synthesis.issue_writer == "template":
        return await to_publish()
    opening = chat_model.open(
        asset="swe_environments", purpose="issue", role="issue_model"
    )
    async with opening as model:
        writer = ModelWriter(
            model=model,
            results=store.results("issue"),
            clock=time.perf_counter,
            server=server_of(chat_model.settings("issue_model")),
            temperature=synthesis.model_temperature,
            answer_tokens=synthesis.model_answer_tokens,
        )
        return await to_publish(writer=writer)


def issue_notes(rows: Sequence[EnvironmentRow]) -> tuple[str, ...]:
    """Say how many issues a template wrote, and why."""
    count = sum(row.issue_writer == "template" for row in rows)
    if not count:
        return ()
    why = Counter(row.issue_fallback for row in rows if row.issue_fallback)
    if not why:
        return ("issues are written by template: no model is asked to",)
    reasons = ", ".join(f"{name} {number}" for name, number in sorted(why.items()))
    told = f"{count} of {len(rows)} issues are written by template"
    return (f"{told}, since the model's would not do: {reasons}",)


def proposal_tables(found: Proposals) -> dict[str, str]:
    """What was proposed and what was not, counted."""
    operators = Counter(candidate.operator for candidate in found.candidates)
    reasons = Counter(answer.reason for answer in found.refused)
    tables = {
        "by operator": counts_table(dict(operators.most_common()), of="operator"),
        "skipped places": counts_table(found.skipped, of="reason"),
    }
    warm = Counter(answer.temperature for answer in found.refused)
    for one in found.candidates:
        if one.temperature is not None:
            warm[one.temperature] += 1
    if warm:
        by = {f"{each:g}": warm[each] for each in sorted(warm)}
        tables["samples by temperature"] = counts_table(by, of="temperature")
    if reasons:
        refused = counts_table(dict(reasons.most_common()), of="reason")
        tables["refused answers"] = refused
    return tables


def usable_by_temperature(
    candidates: Sequence[BugCandidate], verdicts: Sequence[Verdict]
) -> dict[str, str]:
    """How many candidates of each temperature are proven bugs; empty without a model."""
    proven = {each.candidate_id for each in verdicts if each.verified}
    warm = [one for one in candidates if one.temperature is not None]
    lines = [
        "| temperature | candidates | proven | usability |",
        "|---:|---:|---:|---:|",
    ]
    for temperature in sorted({one.temperature or 0.0 for one in warm}):
        some = [one for one in warm if one.temperature == temperature]
        good = sum(one.candidate_id in proven for one in some)
        lines.append(
            f"| {temperature:g} | {len(some)} | {good} | {good / len(some):.2f} |"
        )
    return {"usability by temperature": "\n".join(lines)} if warm else {}
