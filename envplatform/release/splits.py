"""Which split an environment is in: all of one descent are in one, by a hash.

Descended from each other, or siblings, are those of one lineage, of one repository, of
one family of templates, and of one seed; and who is related to two joins them. So no
test environment has a relative that was trained on. With few kinships the shares are
met only roughly.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envplatform.bundle.row import EnvironmentRow
from envplatform.release.members import Split

_STEPS = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much goes where; the rest is for training."""

    validation: float
    test: float
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """An environment, and the digests of those it is known to be made from."""

    row: EnvironmentRow
    ancestors: tuple[str, ...] = ()

    @property
    def kinships(self) -> tuple[str, ...]:
        """Names of all that it belongs to, its own among them."""
        row = self.row
        found = [f"digest {one}" for one in (row.digest, *self.ancestors)]
        if row.repository:
            found.append(f"repository {row.repository.lower()}")
        elif row.family:
            found.append(f"family {row.family}")
        else:
            found.append(f"seed {row.candidate_id}")
        return tuple(found)


def splits_of(relatives: Iterable[Relative], shares: Shares) -> Mapping[str, Split]:
    """Digest to split, for all of them. Takes time linear in their number.

    A group is called by the least of its repositories, families and seeds, so that it
    stays where it is when it grows.
    """
    groups, known = _Groups(), list(relatives)
    for one in known:
        groups.join(one.kinships)
    names: dict[str, str] = {}
    for one in known:
        root, called = groups.root(one.kinships[0]), one.kinships[-1]
        names[root] = min(called, names.get(root, called))
    return {
        one.row.digest: _drawn(names[groups.root(one.kinships[0])], shares)
        for one in known
    }


def _drawn(name: str, shares: Shares) -> Split:
    text = f"split {shares.seed} {name}".encode("utf-8", "surrogateescape")
    place = int.from_bytes(hashlib.sha256(text).digest()[:8]) / _STEPS
    if place < shares.test:
        return "test"
    return "validation" if place < shares.test + shares.validation else "train"


class _Groups:
    """Sets of names that only ever grow together."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def join(self, names: Iterable[str]) -> None:
        first, *others = names
        for other in others:
            self._above[self.root(other)] = self.root(first)

    def root(self, name: str) -> str:
        """Name that stands for the group; makes the way there shorter."""
        above = self._above.setdefault(name, name)
        while above != self._above[above]:
            self._above[name] = above = self._above[above]
        return above
