"""What a bug model learns from reversed fixes on a CPU: `python -m benchmarks.bug_model`.

An adapter over SmolLM2 is trained on short reverse patches. Told are:

    likelihood    nats a token of the true reverse patches of repositories that it never
                  saw, before and after, and of the same patches shuffled over files
    samples       of what base and adapter write about files of a target repository, the
                  share that parses, applies, compiles and is a proven bug; by temperature

The rows are those of `bug_training_set` in the store HOME; where there are none, those of
the built-in set are made there first (98 MB of downloads).
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path

from benchmarks.bug_model_likelihood import (
    Likelihoods,
    measure,
    split_rows,
    trained,
)
from benchmarks.bug_model_stages import Sampled, table
from benchmarks.report import print_result, progress, refuse
from envplatform.configuration import (
    CONFIG_VARIABLE,
    HOME_VARIABLE,
    ModelSettings,
    TargetSettings,
)
from envplatform.errors import EnvPlatformError
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.serving.served import served_model
from envplatform.llm.opening import open_model
from envplatform.sandbox.choose import choose_provider
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.learned import LearnedInducer, Sampler, SamplingPlan
from envplatform.swe.p2f.baseline import Baseline, measure_baseline
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.propose import source_files
from envplatform.swe.prove import prove
from envplatform.swe.targets import HealthyRepository, configured_index, prepare
from envplatform.swe.targets.catalogue import find_target

_KEY = "BENCHMARK_MODEL_KEY"


def sampled(
    order: ServingOrder,
    target: tuple[HealthyRepository, Baseline],
    plan: SamplingPlan,
    *,
    count: int,
    store: Store,
) -> tuple[list[Sampled], list[BugCandidate]]:
    """Draw `count` samples about the target's most covered files."""
    files = sorted(
        source_files(*target), key=lambda file: (-len(file.covered or ()), file.path)
    )
    with _sampler(order, store) as sampler:
        inducer = LearnedInducer(name="model", sampler=sampler, plan=plan)
        proposal = inducer.propose(files[0], count, seed=0)
    found = [
        Sampled(temperature=row.temperature, reason=row.reason)
        for row in proposal.refused
    ]
    found += [
        Sampled(
            temperature=bug.temperature or 0.0,
            reason="",
            candidate_id=bug.candidate_id,
        )
        for bug in proposal.candidates
    ]
    return found, list(proposal.candidates)


@contextmanager
def _sampler(order: ServingOrder, store: Store) -> Iterator[Sampler]:
    with served_model(order) as server, asyncio.Runner() as runner:
        settings = ModelSettings(
            kind="openai",
            name=order.name,
            base_url=server.base_url,
            api_key_env=_KEY,
            timeout_s=3_600.0,
            concurrency=1,
            record="off",
        )
        opening = open_model(
            settings,
            folder=store.home / "models",
            asset="benchmark",
            purpose="bug",
            environ={_KEY: server.key},
        )
        model = runner.run(opening.__aenter__())
        try:
            yield Sampler(
                model=model,
                digest=str(order.checkpoint),
                run=runner.run,
                results=store.results("sample"),
                clock=time.perf_counter,
            )
        finally:
            runner.run(opening.__aexit__(None, None, None))


async def _target(name: str, cache: Path) -> tuple[HealthyRepository, Baseline]:
    target = find_target(TargetSettings(builtin=(name,)), name)
    repository = await prepare(target, cache, index=configured_index())
    baseline = await measure_baseline(choose_provider("auto"), repository)
    progress(f"{name}: {len(baseline.stable)} stable tests")
    return repository, baseline


def _proven(
    target: tuple[HealthyRepository, Baseline],
    candidates: Sequence[BugCandidate],
    store: Store,
) -> frozenset[str]:
    if not candidates:
        return frozenset()
    verdicts = asyncio.run(
        prove(
            choose_provider("auto"),
            *target,
            candidates,
            VerificationSettings(),
            results=store.results("prove"),
        )
    )
    return frozenset(each.candidate_id for each in verdicts if each.verified)


def make_rows(home: Path) -> None:
    """Turn the built-in set into training rows in the store `home`."""
    from assets.definitions import build_definitions  # noqa: PLC0415  only if asked
    from assets.home import open_instance, prepare_home  # noqa: PLC0415
    from assets.run import supervise  # noqa: PLC0415
    from assets.terminal_run import Terminal  # noqa: PLC0415

    home.mkdir(parents=True, exist_ok=True)
    configuration = home / "envplatform.toml"
    configuration.write_text("[targets]\nbuiltin = []\n")
    os.environ |= {HOME_VARIABLE: str(home), CONFIG_VARIABLE: str(configuration)}
    folder = prepare_home()
    with open_instance() as instance:
        terminal = Terminal(
            instance=instance,
            definitions=build_definitions(),
            folder=folder,
            out=sys.stderr,
        )
        failed = supervise(terminal)
    if failed:
        refuse(f"the built-in set could not be made: {', '.join(failed)}")


def _told(found: Likelihoods) -> dict[str, object]:
    figures = {
        "nats_before": found.true.before,
        "nats_after": found.true.after,
        "nats_shuffled_after": found.shuffled.after,
        "fall": found.fall,
    }
    if not all(map(isfinite, figures.values())):
        refuse("a likelihood is not finite")
    return {name: round(value, 4) for name, value in figures.items()}


def main() -> None:
    """Train, measure, sample and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("home", nargs="?", type=Path)
    parser.add_argument("--steps", type=int, default=14)
    parser.add_argument("--rows", type=int, default=28)
    parser.add_argument("--held-out", type=int, default=6)
    parser.add_argument("--shown", type=int, default=1_500, help="characters of code")
    parser.add_argument(
        "--samples", type=int, default=6, help="of base and adapter each"
    )
    parser.add_argument(
        "--temperatures", type=float, nargs="+", default=[0.2, 0.7, 1.0]
    )
    parser.add_argument("--answer-tokens", type=int, default=256)
    parser.add_argument("--target", default="jpvanhal__inflection")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bug-model-") as folder:
        try:
            _run(options, Path(folder))
        except EnvPlatformError as error:
            refuse(str(error))


def _run(options: argparse.Namespace, folder: Path) -> None:
    home = options.home or folder / "home"
    store = Store(home)
    if store.manifest("bug_training_set") is None:
        make_rows(home)
    split = split_rows(
        store.scan(TrainingRow, "bug_training_set"),
        shown=options.shown,
        train=options.rows,
        kept_back=options.held_out,
    )
    began = time.perf_counter()
    order = trained(split, folder / "training", steps=options.steps)
    training_s = time.perf_counter() - began
    told = _told(measure(split, order))
    progress(f"likelihood: {told}")
    plan = SamplingPlan(
        samples=len(options.temperatures),
        temperatures=tuple(options.temperatures),
        answer_tokens=options.answer_tokens,
        shown_characters=options.shown,
        attempts=1,
    )
    target = asyncio.run(_target(options.target, store.cache_folder("targets")))
    samples = {}
    if options.samples:
        for when, asked in (
            ("before", replace(order, name="base", checkpoint=None)),
            ("after", order),
        ):
            found, bugs = sampled(
                asked, target, plan, count=options.samples, store=Store(folder / "work")
            )
            samples[when] = table(found, _proven(target, bugs, store))
            progress(f"samples {when}: {samples[when]}")
    print_result(
        {
            **told,
            "trained_rows": len(split.train),
            "held_out_rows": len(split.held_out),
            "repositories": split.repositories,
            "steps": options.steps,
            "training_s": round(training_s, 1),
            "samples": samples,
            "target": options.target,
        },
        made_from="bug_training_set of the built-in set"
        if options.home is None
        else "bug_training_set of the given store",
        repeats=1,
    )


if __name__ == "__main__":
    main()
