"""Which partitions of targets or seeds to add and to forget, for whoever keeps them.

Keys are added and stay, as what was made under them does. Only the key of what could
not be read goes when it can be: nothing was made under it but a failure.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from envplatform.graph import ASSETS, BROKEN
from envplatform.store import Store


@dataclass(frozen=True, slots=True)
class Changes:
    """Keys in order."""

    new: list[str]
    mended: list[str]


def changes(configured: Collection[str], known: Iterable[str]) -> Changes:
    """Compare what envplatform.toml names with the keys that there are."""
    known = list(known)
    return Changes(
        new=[name for name in configured if name not in known],
        mended=[
            name for name in known if name.startswith(BROKEN) and name not in configured
        ],
    )


def forget_failures(store: Store, mended: Iterable[str]) -> None:
    """Forget what went wrong under keys that there are no more."""
    for name in mended:
        for asset in ASSETS:
            store.clear_failure(asset, name)
