"""Group `bugs`: from a healthy repository to gated SWE environments.

Each body calls the library and returns rows and figures; how it is done stands in
`envplatform/swe`. What decides the rows is in `bug_recipes.py`, which partitions there
are is kept by `target_sensor.py`, the report over all of them is in `bug_report.py`.
"""

import asyncio
from collections import Counter
from functools import partial
from typing import Any

from assets import owners
from assets.batch import (
    Batch,
    PartitionResult,
    PartitionResults,
    Upstream,
    batch_asset,
)
from assets.beside import environments_are_kept, keep_aside
from assets.bug_models import (
    issue_notes,
    prompting,
    proposal_tables,
    proposers,
    publish_with_writer,
    publishers,
    usable_by_temperature,
)
from assets.bug_recipes import (
    mined_tables,
    pattern_library,
    suite_runner,
    suite_screen,
    synthesis,
    target_sources,
)
from assets.bug_training import bug_model, pattern_model
from assets.fixes import mined_patterns
from assets.learned import adapters_of, learned_inducers, untrained
from assets.partitions import target_repo
from assets.pictures import counts_table
from assets.progress import progress
from assets.sandbox_runs import SANDBOX_RUNS, fallbacks
from assets.tier_facts import tier_facts
from assets.upstream import NO_PARTITION
from envplatform.bundle.row import EnvironmentRow
from envplatform.sandbox.retry import with_retries
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.base import REFUSED_ANSWERS, RefusedAnswer
from envplatform.swe.inducers.named import inducers_named
from envplatform.swe.p2f.baseline import measure_baseline
from envplatform.swe.p2f.screen.report import FastReport
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.propose import REVISION as PROPOSING
from envplatform.swe.propose import propose
from envplatform.swe.prove import REVISION as PROVING
from envplatform.swe.prove import prove
from envplatform.swe.publish import REFUSED, Refused, choose, proven_of
from envplatform.swe.publish import REVISION as PUBLISHING
from envplatform.swe.report import REJECTED, funnel
from envplatform.swe.repository_row import REVISION as MEASURING
from envplatform.swe.repository_row import TargetRow, baseline_of, row_of
from resources.configuration import ConfigurationResource
from resources.models import ChatModelResource
from resources.sandbox import SandboxResource
from resources.targets import TargetsResource


@batch_asset(
    group="bugs",
    row_type=TargetRow,
    revision=MEASURING,
    tools=suite_runner,
    partitions=target_repo,
    settings=synthesis("baseline_runs"),
    sources=target_sources,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"python", "pytest"}),
    owners=owners.SWE,
)
def target_repositories(
    batch: Batch[dict[str, Any]], targets: TargetsResource, sandbox: SandboxResource
) -> PartitionResults:
    """Healthy repositories: the tests that pass every time, and the lines they run."""
    runs = batch.settings["baseline_runs"]
    for name in batch.partitions:
        repository = asyncio.run(targets.prepare(name))
        measure = partial(measure_baseline, sandbox.open(), repository, runs=runs)
        row = row_of(repository, asyncio.run(with_retries(measure)))
        facts = {
            "stable tests": row.stable_tests,
            "unstable tests": len(row.unstable_tests),
            "covered share": row.covered_share,
            "suite seconds": row.suite_s,
        }
        yield (
            name,
            PartitionResult(
                rows=[row], metadata=facts, notes=fallbacks(sandbox.open().info)
            ),
        )


@batch_asset(
    group="bugs",
    row_type=BugCandidate,
    revision=PROPOSING,
    partitions=target_repo,
    deps=[
        target_repositories,
        Upstream(asset=mined_patterns, named=mined_tables),
        Upstream(asset=bug_model, mapping=NO_PARTITION, named=adapters_of("model")),
        Upstream(
            asset=pattern_model, mapping=NO_PARTITION, named=adapters_of("pattern")
        ),
    ],
    settings=synthesis("seed", "inducers", "candidates_per_repository"),
    tools=proposers,
    backfill_policy=SANDBOX_RUNS,
    kinds=frozenset({"python"}),
    owners=owners.SWE,
)
def bug_candidates(
    batch: Batch[dict[str, Any]],
    targets: TargetsResource,
    chat_model: ChatModelResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """Proposed defects in healthy repositories, not yet executed.

    An inducer whose model was never trained proposes nothing and says so.
    """
    settings = batch.settings
    library = pattern_library(batch.store) if "mined" in settings["inducers"] else None
    whole = configuration.load()
    lost = untrained(whole, batch.store)
    for why in lost.values():
        batch.log.warning("%s", why)
    with (
        prompting(batch.store, chat_model, whole.synthesis) as asked,
        learned_inducers(batch.store, chat_model, whole) as learned,
    ):
        inducers = inducers_named(
            [name for name in settings["inducers"] if name not in lost],
            library=library,
            prompting=asked,
            learned=learned,
        )
        for name in batch.partitions:
            (row,) = batch.rows(TargetRow, "target_repositories")
            found = propose(
                asyncio.run(targets.measured(row)),
                baseline_of(row),
                inducers,
                budget=settings["candidates_per_repository"],
                seed=settings["seed"],
            )
            keep_aside(
                batch, REFUSED_ANSWERS, name, found.refused, row_type=RefusedAnswer
            )
            yield (
                name,
                PartitionResult(
                    rows=found.candidates,
                    metadata={
                        "uncovered places": found.skipped.get("uncovered", 0),
                        **({"inducers left out": ", ".join(lost)} if lost else {}),
                    },
                    markdown=proposal_tables(found),
                    notes=tuple(lost.values()),
                ),
            )


@batch_asset(
    group="bugs",
    row_type=Verdict,
    revision=PROVING,
    tools=suite_screen,
    partitions=target_repo,
    deps=[target_repositories, bug_candidates],
    settings=synthesis("buggy_runs", "fail_to_pass_repeats"),
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"pytest"}),
    owners=owners.SWE,
)
def verified_bugs(
    batch: Batch[dict[str, Any]], targets: TargetsResource, sandbox: SandboxResource
) -> PartitionResults:
    """Candidates that make a test fail which passed in every baseline run."""
    settings = VerificationSettings(
        runs=batch.settings["buggy_runs"],
        repeats=batch.settings["fail_to_pass_repeats"],
        concurrency=sandbox.concurrency(),
    )
    for name in batch.partitions:
        (row,) = batch.rows(TargetRow, "target_repositories")
        reports: list[FastReport] = []
        candidates = batch.rows(BugCandidate, "bug_candidates")
        verdicts = asyncio.run(
            prove(
                sandbox.open(),
                asyncio.run(targets.measured(row)),
                baseline_of(row),
                candidates,
                settings,
                results=batch.store.results("prove"),
                told=progress(batch.log, name, "candidates verified"),
                reported=reports.append,
            )
        )
        good = [verdict for verdict in verdicts if verdict.verified]
        rejected = [verdict for verdict in verdicts if not verdict.verified]
        keep_aside(batch, REJECTED, name, rejected, row_type=Verdict)
        facts = {
            "candidates": len(verdicts),
            "usability": round(len(good) / len(verdicts), 4) if verdicts else 0.0,
        }
        picture = {
            "funnel": counts_table(funnel(verdicts)),
            **usable_by_temperature(candidates, verdicts),
        }
        yield (
            name,
            PartitionResult(
                rows=good,
                metadata={**facts, **tier_facts(reports[-1])},
                markdown=picture,
                notes=fallbacks(sandbox.open().info),
            ),
        )


@batch_asset(
    group="bugs",
    row_type=EnvironmentRow,
    revision=PUBLISHING,
    partitions=target_repo,
    deps=[target_repositories, bug_candidates, verified_bugs],
    settings=synthesis("seed", "environments_per_repository"),
    tools=publishers,
    holds=environments_are_kept,
    backfill_policy=SANDBOX_RUNS,
    pool="docker",
    kinds=frozenset({"harbor"}),
    owners=owners.SWE,
)
def swe_environments(
    batch: Batch[dict[str, Any]],
    targets: TargetsResource,
    sandbox: SandboxResource,
    chat_model: ChatModelResource,
    configuration: ConfigurationResource,
) -> PartitionResults:
    """Environments of proven bugs that passed every check of the gate."""
    seed = batch.settings["seed"]
    for name in batch.partitions:
        (row,) = batch.rows(TargetRow, "target_repositories")
        proven = proven_of(
            batch.rows(BugCandidate, "bug_candidates"),
            batch.rows(Verdict, "verified_bugs"),
        )
        limit = batch.settings["environments_per_repository"]
        chosen = choose(proven, limit=limit, seed=seed)
        repository = asyncio.run(targets.measured(row))
        rows, refused = asyncio.run(
            publish_with_writer(
                sandbox.open(),
                batch.store,
                repository,
                chosen,
                chat_model=chat_model,
                synthesis=configuration.load().synthesis,
                seed=seed,
                concurrency=sandbox.concurrency(),
                told=progress(batch.log, name, "environments gated"),
            )
        )
        keep_aside(batch, REFUSED, name, refused, row_type=Refused)
        reasons = Counter(each.reason for each in refused)
        outcomes = {"published": len(rows), **dict(reasons.most_common())}
        yield (
            name,
            PartitionResult(
                rows=rows,
                metadata={"proven": len(proven), "chosen": len(chosen)},
                markdown={"gate": counts_table(outcomes)},
                notes=(*issue_notes(rows), *fallbacks(sandbox.open().info)),
            ),
        )
