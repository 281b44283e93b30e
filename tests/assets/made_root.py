"""A seed in the store without the gate's run, so that lineages can start from it."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from envplatform.bundle import (
    ImageReference,
    core_digest,
    environment_digest,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.grading.kept import keep_environment
from envplatform.sandbox.base import Image
from envplatform.sandbox.images import build_image
from envplatform.store import Origin, Store
from envplatform.workspace import seed_environment

ASSET = "seed_environments"


def running_image(store: Store) -> Image:
    """The image that seeds run on, in the store's own cache."""
    version = "{}.{}".format(*sys.version_info[:2])
    return build_image("bare", version, (), store.cache_folder("targets"))


async def write_root(store: Store, seed: str, *, digest: str = "") -> EnvironmentRow:
    """Write a seed's row and environment; with `digest`, a row that names another one."""
    image = running_image(store)
    reference = ImageReference(
        name=image.name,
        python=image.python,
        requirements=image.requirements,
        digest=image.digest,
    )
    environment = seed_environment(seed, reference)
    await keep_environment(store, environment)
    row = EnvironmentRow(
        environment_id=environment.environment_id,
        digest=digest or environment_digest(environment),
        core_digest=core_digest(environment.core),
        pillar=environment.pillar,
        repository="",
        candidate_id=seed,
        inducer=environment.lineage.producer,
        operator="",
        licence="",
        image_digest=environment.image.digest,
        python=environment.image.python,
        fail_to_pass=0,
        pass_to_pass=0,
        issue_writer="",
        checks=("oracle_max=passed",),
        gated=True,
        sandbox="bubblewrap",
        seconds=0.0,
        tokens=0,
        criteria=environment.criteria,
    )
    store.write_rows(
        ASSET,
        [row],
        row_type=EnvironmentRow,
        partition=seed,
        origin=Origin(created=datetime(2026, 1, 1, tzinfo=UTC)),
    )
    return row


def folder_of(store: Store, row: EnvironmentRow) -> Path:
    """Return where the environment of a row lies."""
    return store.directory("environments", row.digest)
