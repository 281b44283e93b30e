"""What `python -m assets.run` trains: models of bugs, then policies, experiment by experiment."""

from assets.bug_training_recipes import bug_model_keys
from assets.configured_keys import changes, forget_failures
from assets.jobs import BUG_MODELS, TRAINING
from assets.on_policy_recipes import SFT
from assets.partitions import experiment
from assets.terminal_run import Terminal, assets_of, run_each


def train_bug_models(terminal: Terminal) -> list[str]:
    """Train the models of bugs of every configured experiment; returns what failed."""
    resources = terminal.definitions.resources or {}
    names = bug_model_keys(resources["configuration"].load())
    register(terminal, str(experiment.name), names)
    partitioned = assets_of(terminal, BUG_MODELS, partitioned=True)
    return run_each(terminal, BUG_MODELS, partitioned, names, "bug models of")


def learn(terminal: Terminal) -> list[str]:
    """Train the model of every configured experiment; returns what failed.

    Supervised first, for all: a teacher may be another experiment's.
    """
    resources = terminal.definitions.resources or {}
    configuration = resources["configuration"].load()
    names = tuple(configuration.training.experiments)
    register(terminal, str(experiment.name), names)
    partitioned = assets_of(terminal, TRAINING, partitioned=True)
    later = {*configuration.grpo.experiments, *configuration.distillation.experiments}
    rounds = (
        ("supervised training of", [SFT], names),
        (
            "playing or distilling of",
            [asset for asset in partitioned if asset != SFT],
            tuple(name for name in names if name in later),
        ),
    )
    failed = []
    for what, wanted, of in rounds:
        failed += run_each(terminal, TRAINING, wanted, of, what)
    return failed


def register(terminal: Terminal, key_set: str, names: tuple[str, ...]) -> None:
    """Make a partition of every name, as the sensor does; forget what was mended."""
    instance = terminal.instance
    found = changes(names, instance.get_dynamic_partitions(key_set))
    instance.add_dynamic_partitions(key_set, found.new)
    for name in found.mended:
        instance.delete_dynamic_partition(key_set, name)
    resources = terminal.definitions.resources or {}
    forget_failures(resources["store"].open(), found.mended)
