"""Materialise from a terminal what a person would click: `python -m assets.run`.

Fixes first, in one run over their repositories; then bugs, one run a target, so that a
bad one costs no other; then the tables over all of them; then seeds and their lineages,
likewise, and cowork's shards. The runs are ordinary ones: the UI shows them with everything else.
"""

import argparse
import signal
import sys
from collections.abc import Sequence

from assets.arm_recipes import arm_keys
from assets.cowork_recipes import shard_keys
from assets.definitions import build_definitions
from assets.fix_keys import CORPUS, fix_key_changes, forget_lost
from assets.home import open_instance, prepare_home
from assets.jobs import (
    ARMS,
    BREADTH,
    EVALUATION,
    LINEAGES,
    RELEASE,
    ROLLOUTS,
    SUPERVISION,
    SYNTHESIS,
    TRAJECTORIES,
)
from assets.learning_run import learn, register, train_bug_models
from assets.partitions import (
    arm_experiment,
    cowork_seed,
    experiment,
    fix_repo,
    res_seed,
    rollout_batch,
    target_repo,
)
from assets.rollout_recipes import batch_keys, experiment_keys, selecting_keys
from assets.terminal import alone, end_dead_runs
from assets.terminal_run import Terminal, assets_of, run_each, run_job
from envplatform.cli.output import harmless
from envplatform.cowork.library import LIBRARY
from envplatform.errors import ConfigError, EnvPlatformError

REPORT = "report"
"""Stands for the tables over all partitions in the list of what failed."""

REVERSAL = "reverse_patches"

COSTS = "costs"
"""Stands for the table of what everything cost."""

RELEASED = "release"
"""Stands for the data set of all that was made."""

INTERRUPTED = 130
"""Exit code after SIGINT or SIGTERM."""


def supervise(terminal: Terminal) -> list[str]:
    """Run the fixes job over all repositories of the corpus; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong.
    """
    resources = terminal.definitions.resources or {}
    if not resources["configuration"].load().fixes.sources:
        terminal.say("no [[fixes.sources]] configured: fixes are left out")
        return []
    terminal.say(CORPUS)
    if not run_job(terminal, SUPERVISION, [CORPUS]):
        return [CORPUS]
    failed = []
    keys = register_fix_repositories(terminal)
    if keys:
        terminal.say(f"{REVERSAL} of {len(keys)} repositories")
        whole = keys[0], keys[-1]
        if not run_job(terminal, SUPERVISION, [REVERSAL], partition_range=whole):
            failed.append(REVERSAL)
    rest = assets_of(terminal, SUPERVISION, partitioned=False)
    terminal.say("training set")
    if not run_job(terminal, SUPERVISION, [name for name in rest if name != CORPUS]):
        failed.append("training set")
    return failed


def register_fix_repositories(terminal: Terminal) -> list[str]:
    """Make a partition of every repository of the corpus, as the sensor does."""
    resources = terminal.definitions.resources or {}
    store = resources["store"].open()
    instance, key_set = terminal.instance, str(fix_repo.name)
    found = fix_key_changes(store, instance.get_dynamic_partitions(key_set))
    instance.add_dynamic_partitions(key_set, found.new)
    for key in found.lost:
        instance.delete_dynamic_partition(key_set, key)
    forget_lost(store, found.lost)
    return list(instance.get_dynamic_partitions(key_set))


def synthesise(terminal: Terminal) -> list[str]:
    """Run the synthesis job for every configured target; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong, or names neither target nor seed.
    """
    resources = terminal.definitions.resources or {}
    if not resources["targets"].names() and resources["seeds"].names():
        terminal.say("no [targets] configured: bugs are left out")
        return []
    names = register_targets(terminal)
    partitioned = assets_of(terminal, SYNTHESIS, partitioned=True)
    whole = assets_of(terminal, SYNTHESIS, partitioned=False)
    failed = run_each(terminal, SYNTHESIS, partitioned, names)
    if len(failed) < len(names):
        terminal.say(REPORT)
        if not run_job(terminal, SYNTHESIS, whole):
            failed.append(REPORT)
    return failed


def register_targets(terminal: Terminal) -> tuple[str, ...]:
    """Make a partition of every configured target, as the sensor does; their names.

    Raises:
        ConfigError: envplatform.toml is wrong, or names no target.
    """
    resources = terminal.definitions.resources or {}
    names: tuple[str, ...] = resources["targets"].names()
    if not names:
        msg = "envplatform.toml names no target; see [targets] in `envplatform init`"
        raise ConfigError(msg)
    register(terminal, str(target_repo.name), names)
    return names


def grow(terminal: Terminal) -> list[str]:
    """Run the lineage job for every configured seed; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong.
    """
    resources = terminal.definitions.resources or {}
    names: tuple[str, ...] = resources["seeds"].names()
    register(terminal, str(res_seed.name), names)
    partitioned = assets_of(terminal, LINEAGES, partitioned=True)
    failed = run_each(terminal, LINEAGES, partitioned, names, "seed")
    if len(failed) < len(names):
        terminal.say(REPORT)
        whole = assets_of(terminal, LINEAGES, partitioned=False)
        if not run_job(terminal, LINEAGES, whole):
            failed.append(REPORT)
    return failed


def broaden(terminal: Terminal) -> list[str]:
    """Run the cowork job: the material, every configured shard; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong.
    """
    resources = terminal.definitions.resources or {}
    names = shard_keys(resources["configuration"].load())
    if not names:
        terminal.say("cowork.shards is 0: cowork is left out")
        return []
    register(terminal, str(cowork_seed.name), names)
    terminal.say(LIBRARY)
    if not run_job(terminal, BREADTH, [LIBRARY]):
        return [LIBRARY]
    partitioned = assets_of(terminal, BREADTH, partitioned=True)
    failed = run_each(terminal, BREADTH, partitioned, names, "cowork seed")
    if len(failed) < len(names):
        terminal.say(REPORT)
        rest = assets_of(terminal, BREADTH, partitioned=False)
        if not run_job(terminal, BREADTH, [name for name in rest if name != LIBRARY]):
            failed.append(REPORT)
    return failed


def roll_out(terminal: Terminal) -> list[str]:
    """Run every configured batch of rollouts, then every experiment; returns what failed.

    Raises:
        ConfigError: envplatform.toml is wrong.
    """
    resources = terminal.definitions.resources or {}
    configuration = resources["configuration"].load()
    failed = []
    register(terminal, str(experiment.name), experiment_keys(configuration))
    for what, job_name, key_set, names in (
        ("batch", ROLLOUTS, rollout_batch, batch_keys(configuration)),
        ("experiment", TRAJECTORIES, experiment, selecting_keys(configuration)),
        ("evaluation of", EVALUATION, experiment, experiment_keys(configuration)),
    ):
        register(terminal, str(key_set.name), names)
        partitioned = assets_of(terminal, job_name, partitioned=True)
        failed += run_each(terminal, job_name, partitioned, names, what)
    return failed


def compare_arms(terminal: Terminal) -> list[str]:
    """Play and compare the arms of every configured experiment; returns what failed."""
    resources = terminal.definitions.resources or {}
    names = arm_keys(resources["configuration"].load())
    register(terminal, str(arm_experiment.name), names)
    partitioned = assets_of(terminal, ARMS, partitioned=True)
    return run_each(terminal, ARMS, partitioned, names, "arms of")


def account(terminal: Terminal) -> list[str]:
    """Sum up what everything cost; returns what failed."""
    terminal.say("what it cost")
    whole = assets_of(terminal, EVALUATION, partitioned=False)
    return [] if run_job(terminal, EVALUATION, whole) else [COSTS]


def publish(terminal: Terminal) -> list[str]:
    """Make a release of all that was made; returns what failed."""
    terminal.say("release")
    whole = assets_of(terminal, RELEASE, partitioned=False)
    return [] if run_job(terminal, RELEASE, whole) else [RELEASED]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; exit code 1 if something failed, 130 if a signal ended it."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    out = sys.stderr
    try:
        # Dagster's own handlers are there only while a job runs.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        folder = prepare_home()
        with alone(folder), open_instance() as instance:
            for run_id in end_dead_runs(instance, folder):
                print(f"run {run_id[:8]} had been killed: going on", file=out)
            terminal = Terminal(
                instance=instance,
                definitions=build_definitions(),
                folder=folder,
                out=out,
            )
            failed = [
                *supervise(terminal),
                *train_bug_models(terminal),
                *synthesise(terminal),
                *grow(terminal),
                *broaden(terminal),
                *roll_out(terminal),
                *learn(terminal),
                *compare_arms(terminal),
                *account(terminal),
                *publish(terminal),
            ]
    except EnvPlatformError as error:
        print(harmless(f"{type(error).__name__}: {error}"), file=out)
        return 1
    except KeyboardInterrupt:
        print("interrupted: what is done is kept, the next run goes on", file=out)
        return INTERRUPTED
    if failed:
        print(f"failed: {', '.join(failed)}", file=out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
