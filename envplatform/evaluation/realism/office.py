"""Where reviews are kept in a home, and what is put up for review: bugs out of the store."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from envplatform.configuration import RealismSettings
from envplatform.errors import StoreError
from envplatform.evaluation.realism.pairs import (
    Bug,
    Pair,
    draw_pairs,
    keep_pairs,
    read_pairs,
)
from envplatform.evaluation.realism.votes import Ballot, VoteFile, Votes
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.fixes.reverse_patch import CuratedPatch, ReversePatch

OURS = ("bug_candidates", "verified_bugs")
REAL = ("reverse_patches", "curated_reverse_patches")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patch:
    VIEW_OF: ClassVar[type] = ReversePatch

    instance_id: str
    source: str
    bug_patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    VIEW_OF: ClassVar[type] = BugCandidate

    candidate_id: str
    inducer: str
    bug_patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """All reviews of one home."""

    home: Path
    settings: RealismSettings

    @property
    def pairs_path(self) -> Path:
        """File of the pairs, written once."""
        return self.home / "realism" / "pairs.jsonl"

    @property
    def votes(self) -> VoteFile:
        """File of the votes."""
        return VoteFile(self.home / "realism" / "votes.jsonl")

    def pairs(self) -> tuple[list[Pair], list[str]]:
        """Return the pairs there are, and what is wrong with bad lines."""
        return read_pairs(self.pairs_path)

    def ballot(self, pairs: list[Pair]) -> Ballot:
        """Return what may be voted on by whom."""
        return Ballot(
            pairs={one.pair_id for one in pairs},
            reviewers=frozenset(self.settings.reviewers),
        )

    def counted(self, pairs: list[Pair]) -> Votes:
        """Return all votes on some pairs."""
        return self.votes.read(self.ballot(pairs))

    def open_pairs(self) -> list[Pair]:
        """Return the pairs there are; if none are, draw some from the store.

        Raises:
            StoreError: there is nothing to draw from; says what to materialise.
        """
        if self.pairs_path.exists():
            return self.pairs()[0]
        store = Store(self.home)
        drawn = draw_pairs(
            proven_bugs(store),
            real_bugs(store),
            count=self.settings.pairs,
            seed=self.settings.seed,
        )
        if not drawn:
            msg = (
                f"nothing to review: pairs are drawn from {', '.join(OURS)} and from "
                f"{', '.join(REAL)}; materialise these first"
            )
            raise StoreError(msg)
        keep_pairs(self.pairs_path, drawn)
        return drawn


def proven_bugs(store: Store) -> Iterator[Bug]:
    """Yield our bugs that execution proved."""
    proven = {one.candidate_id for one in store.all_rows(Verdict, "verified_bugs")}
    for manifest in store.manifests("bug_candidates"):
        for one in store.scan(_Candidate, "bug_candidates", manifest.partition):
            if one.candidate_id in proven:
                yield Bug(
                    bug_id=one.candidate_id, kind=one.inducer, patch=one.bug_patch
                )


def real_bugs(store: Store) -> Iterator[Bug]:
    """Yield bugs of developers: published fixes turned around that curation kept."""
    kept = {
        one.instance_id
        for one in store.all_rows(CuratedPatch, "curated_reverse_patches")
        if not one.rejection
    }
    for manifest in store.manifests("reverse_patches"):
        for one in store.scan(_Patch, "reverse_patches", manifest.partition):
            if one.instance_id in kept:
                yield Bug(bug_id=one.instance_id, kind=one.source, patch=one.bug_patch)
