"""Trajectories of the store as exporters take them: batch by batch, one at a time."""

from collections.abc import Collection, Iterator

from envplatform.errors import StoreError
from envplatform.interop.exporting import Exported
from envplatform.store import Store
from envplatform.trajectories import Trajectory

ASSET = "rollouts"


def stored_trajectories(
    store: Store, fitting: Collection[str] | None, told: Exported
) -> Iterator[tuple[str, Trajectory]]:
    """Batch and trajectory, for environments of these digests; None: all.

    A batch that can't be read, and the second of one id in a batch, are left out.
    """
    for manifest in store.manifests(ASSET):
        batch, seen = manifest.partition or "", set[str]()
        try:
            for one in store.scan(Trajectory, ASSET, manifest.partition):
                if fitting is not None and one.environment_digest not in fitting:
                    continue
                if one.trajectory_id in seen:
                    told.leave_out(f"{batch}/{one.trajectory_id}", "it is there twice")
                    continue
                seen.add(one.trajectory_id)
                yield batch, one
        except StoreError as error:
            told.leave_out(f"batch {batch}", error)
