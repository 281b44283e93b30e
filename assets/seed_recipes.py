"""What decides the rows of `seed_environments`."""

from typing import Any

from envplatform.bundle import environment_digest
from envplatform.configuration import Configuration
from envplatform.grading.runtime import ws_tree
from envplatform.grading.tasks import task_of
from envplatform.store import Store
from envplatform.store.values import digest_json
from envplatform.tree import tree_digest
from envplatform.workspace.catalogue import find_seed


def portability(configuration: Configuration) -> dict[str, Any]:
    """Whether a second kind of sandbox has a say."""
    return configuration.seeds.model_dump(include={"portability"})


def seed_sources(
    configuration: Configuration, name: str, store: Store
) -> dict[str, str]:
    """The environment that a seed is, and the faults that its grader must notice."""
    settings = configuration.seeds
    cache = store.cache_folder("targets")
    place = find_seed(settings, name, wanted=configuration.res.seeds)
    task = task_of(place, python=settings.python, cache=cache)
    faults = [fault.model_dump(mode="json") for fault in task.faults]
    return {
        "seed": environment_digest(task.environment),
        "faults": digest_json(faults),
    }


def served_runtime(_: object) -> dict[str, str]:
    """What serves the environments: its code decides what oracles and agents get."""
    return {"ws": tree_digest(ws_tree())}
