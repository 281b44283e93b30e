"""What one release has that another has not, and where a change came from."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from envplatform.release.manifest import read_members
from envplatform.release.members import Kind, Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One member that both have, and that is not the same."""

    kind: Kind
    id: str
    old_digest: str
    new_digest: str
    where: str
    """The table it is from and its recipe's revision, `TABLE revision 3 -> 4`."""
    what: str
    """`content`, or `split train -> test` where that alone differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """All between two releases; each list by kind and id."""

    added: tuple[Member, ...]
    removed: tuple[Member, ...]
    changed: tuple[Change, ...]

    @property
    def by_table(self) -> dict[str, int]:
        """How many changes each table and revision brought, most first."""
        return dict(Counter(one.where for one in self.changed).most_common())

    @property
    def is_none(self) -> bool:
        """Whether both have the same members."""
        return not (self.added or self.removed or self.changed)


def difference(old: Path, new: Path) -> Difference:
    """Compare the members of two releases.

    Raises:
        StoreError: a list of members can't be read.
    """
    before, after = _by_id(read_members(old)), _by_id(read_members(new))
    both = sorted(before.keys() & after.keys())
    return Difference(
        added=tuple(after[key] for key in sorted(after.keys() - before.keys())),
        removed=tuple(before[key] for key in sorted(before.keys() - after.keys())),
        changed=tuple(
            _change(before[key], after[key])
            for key in both
            if _is_other(before[key], after[key])
        ),
    )


def _by_id(members: Iterable[Member]) -> dict[tuple[str, str], Member]:
    return {(one.kind, one.id): one for one in members}


def _is_other(old: Member, new: Member) -> bool:
    return (old.digest, old.split) != (new.digest, new.split)


def _change(old: Member, new: Member) -> Change:
    same = old.digest == new.digest
    return Change(
        kind=new.kind,
        id=new.id,
        old_digest=old.digest,
        new_digest=new.digest,
        where=_where(old, new),
        what=f"split {old.split} -> {new.split}" if same else "content",
    )


def _where(old: Member, new: Member) -> str:
    table = f"{new.asset}[{new.partition}]" if new.partition else new.asset
    if old.revision == new.revision:
        return f"{table} revision {new.revision}"
    return f"{table} revision {old.revision} -> {new.revision}"
