"""A judge against code: `python -m benchmarks.judge --seed NAME --base-url URL --model M`.

The model judges what a seed's oracle left, what nobody touched, and the oracle's work
with each fault that the seed's author wrote down; its verifier knows the worth of all.
`--audit-to FILE` writes a sample for a person to score, `--audit FILE` reads it back.
Without a model there is no figure.
"""

import argparse
import asyncio
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.report import print_result, refuse
from envplatform.configuration import ModelSettings
from envplatform.grading.audit_sample import audit_lines, read_audit
from envplatform.grading.batch import Bench
from envplatform.grading.calibration import (
    Calibration,
    ControlledState,
    calibrate,
    controlled_states,
    goal_as_rubric,
)
from envplatform.grading.evidence import collect_evidence
from envplatform.grading.judge import Rubric
from envplatform.grading.tasks import Task, task_of
from envplatform.llm.opening import open_model
from envplatform.rollout import attending
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.workspace import builtin_seeds
from envplatform.workspace.catalogue import SeedPlace


async def states_of(task: Task) -> tuple[Rubric, tuple[ControlledState, ...]]:
    """Solve the seed once and grade its controlled states."""
    provider = BubblewrapProvider()
    provider.probe()
    evidence = await collect_evidence(
        provider, task.environment, image=task.image, repeats=1, attend=attending()
    )
    bench = Bench(provider=provider, environment=task.environment, image=task.image)
    states = await controlled_states(evidence, bench, task.faults)
    return goal_as_rubric(evidence), states


async def judged(
    settings: ModelSettings,
    rubric: Rubric,
    states: tuple[ControlledState, ...],
    folder: Path,
) -> Calibration:
    """Ask the model; what it answered is recorded in `folder`."""
    opening = open_model(settings, folder=folder, asset="calibration", purpose="judge")
    async with opening as model:
        return await calibrate(model, rubric, states)


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="contract_clauses", choices=builtin_seeds())
    parser.add_argument("--base-url", help="of an OpenAI-compatible server")
    parser.add_argument("--model", help="its name there")
    parser.add_argument("--api-key-env", default="OPENAI_API_KEY")
    parser.add_argument("--recordings", type=Path, help="kept here, if anywhere")
    parser.add_argument("--audit-to", type=Path, help="write a person's sample")
    parser.add_argument("--audit", type=Path, help="read a scored sample")
    options = parser.parse_args()
    if not (options.base_url and options.model):
        refuse("a judge is a model: name --base-url and --model")
    settings = ModelSettings(
        kind="openai",
        name=options.model,
        base_url=options.base_url,
        api_key_env=options.api_key_env,
    )
    with tempfile.TemporaryDirectory() as scratch:
        place = SeedPlace(name=options.seed, folder=None)
        task = task_of(place, python=None, cache=Path(scratch))
        rubric, states = asyncio.run(states_of(task))
        folder = options.recordings or Path(scratch)
        found = asyncio.run(judged(settings, rubric, states, folder))
    if options.audit_to:
        options.audit_to.write_text(audit_lines(states, rubric, size=20))
    audit = read_audit(options.audit, found, states, rubric) if options.audit else None
    print_result(
        {**asdict(found), "human_audit": audit and asdict(audit)},
        made_from=options.seed,
        repeats=rubric.votes,
    )


if __name__ == "__main__":
    main()
