"""Which `fix_repo` partitions to add and to drop, for whoever keeps them.

The corpus decides. A repository that it lost is dropped: its reverse patches would
else go on into training sets, though no source gives them any more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from envplatform.store import Store

CORPUS = "fix_corpus"
_OF_A_REPOSITORY = ("reverse_patches",)


@dataclass(frozen=True, slots=True)
class FixKeyChanges:
    """Keys in order."""

    new: list[str]
    lost: list[str]


def fix_key_changes(store: Store, known: Iterable[str]) -> FixKeyChanges:
    """Compare the stored corpus with the keys that there are; nothing without one.

    Raises:
        StoreError: the corpus's manifest is damaged.
    """
    manifest = store.manifest(CORPUS)
    if manifest is None:
        return FixKeyChanges([], [])
    known = list(known)
    registered = set(known)
    return FixKeyChanges(
        new=[key for key in manifest.parts if key not in registered],
        lost=[key for key in known if key not in manifest.parts],
    )


def forget_lost(store: Store, lost: Iterable[str]) -> None:
    """Forget what went wrong under keys that there are no more."""
    for key in lost:
        for asset in _OF_A_REPOSITORY:
            store.clear_failure(asset, key)
