"""Proposing candidates for a whole repository: which file gets how much of the budget.

Files are visited in an order that the seed decides, and get budget by the number of
lines that stable tests run: where no test looks, no bug can be proved.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.swe.candidate import BugCandidate
from envplatform.swe.diversity.describe import REVISION as DESCRIBING
from envplatform.swe.diversity.describe import describe
from envplatform.swe.inducers.base import Inducer, RefusedAnswer, SourceFile
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.targets import HealthyRepository

REVISION = 1 + DESCRIBING
"""Raised when the same repository, budget and seed can give other candidates."""

_OVERDRAW = 3
"""A file is asked for this many times its share: some can't fill theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """What all inducers together proposed for one repository."""

    candidates: tuple[BugCandidate, ...]
    skipped: Mapping[str, int]
    """Places that gave no candidate, by reason."""
    refused: tuple[RefusedAnswer, ...] = ()
    """What models answered and is of no use."""


def propose(
    repository: HealthyRepository,
    baseline: Baseline,
    inducers: Sequence[Inducer],
    *,
    budget: int,
    seed: int,
) -> Proposals:
    """Propose about `budget` candidates, fewer where the code gives no more.

    The same repository, inducers, budget and seed give the same candidates in the
    same order. No two have the same id: who proposes what another did adds nothing.
    An inducer that costs money is asked for its share and no more, and all it gives is
    taken; the others are asked for more than theirs, since some files can't fill it.

    Raises:
        ModelError: an inducer's model failed, or its budget is spent.
    """
    files = source_files(repository, baseline)
    skipped: Counter[str] = Counter()
    ids: set[str] = set()
    refused: list[RefusedAnswer] = []
    by_file: list[list[BugCandidate]] = []
    paid: list[list[BugCandidate]] = []
    for inducer in inducers:
        share = -(-budget // len(inducers))
        left = share
        for file, part in _shares(files, share, seed):
            wanted = min(part, left) if inducer.is_paid else _OVERDRAW * part
            found = inducer.propose(file, wanted, seed)
            skipped.update({str(why): count for why, count in found.skipped.items()})
            refused += found.refused
            new = _new(found.candidates, ids)
            left -= len(new)
            (paid if inducer.is_paid else by_file).append(new)
    order = random.Random(f"propose {seed}")  # noqa: S311  no secret
    order.shuffle(by_file)
    bought = _deal(paid, budget)
    dealt = [*bought, *_deal(by_file, budget - len(bought))]
    return Proposals(
        candidates=describe(dealt, repository.tree),
        skipped=dict(sorted(skipped.items())),
        refused=tuple(refused),
    )


def source_files(
    repository: HealthyRepository, baseline: Baseline
) -> tuple[SourceFile, ...]:
    """Files that a bug may be put into, with the lines that stable tests run.

    What runs at import counts too: tables and defaults decide what tests see.
    """
    coverage = baseline.coverage
    maps = [coverage.imported, coverage.shared, *coverage.by_test.values()]
    return tuple(
        SourceFile(
            repository=repository.name,
            commit=repository.commit,
            path=path,
            data=repository.tree[path].data,
            executable=repository.tree[path].executable,
            covered=frozenset(line for lines in maps for line in lines.get(path, ())),
        )
        for path in repository.target.source_paths(repository.tree)
    )


def _new(candidates: Sequence[BugCandidate], ids: set[str]) -> list[BugCandidate]:
    """Return those whose id is not among `ids` yet, and add it."""
    new = []
    for candidate in candidates:
        if candidate.candidate_id not in ids:
            ids.add(candidate.candidate_id)
            new.append(candidate)
    return new


def _shares(
    files: Sequence[SourceFile], budget: int, seed: int
) -> list[tuple[SourceFile, int]]:
    """Split `budget` by covered lines; every covered file gets something."""
    covered = [file for file in files if file.covered]
    random.Random(f"files {seed}").shuffle(covered)  # noqa: S311  no secret
    total = sum(len(file.covered or ()) for file in covered)
    return [
        (file, max(1, round(budget * len(file.covered or ()) / total)))
        for file in covered
    ]


def _deal(by_file: Sequence[list[BugCandidate]], budget: int) -> list[BugCandidate]:
    """Take candidates in proportion, one file after the other, up to `budget`."""
    total = sum(len(found) for found in by_file)
    if total <= budget:
        return [candidate for found in by_file for candidate in found]
    position = {id(found): 0 for found in by_file}
    dealt: list[BugCandidate] = []
    while len(dealt) < budget:
        # The file that is furthest behind its share is next.
        found = min(
            (found for found in by_file if position[id(found)] < len(found)),
            key=lambda found: (position[id(found)] + 1) / len(found),
        )
        dealt.append(found[position[id(found)]])
        position[id(found)] += 1
    return dealt
