"""`sample`: a training set from the curated patches, balanced, seeded, reproducible.

One rule, applied three times: a number of rows is dealt out to bins as water fills
vessels. First to bug types, then within a type to lengths of context, then within a
length to repositories. Every bin gets an equal share; a bin that holds less gives all
it has, and what is left goes to the others in equal parts. Rows that can't be shared
evenly go to the bins that come first by SHA-256 of the seed and their name, and so do
the rows of a repository, by their instance id.

What holds: at every level no bin gets two more than one that still has rows to give.
The draw depends on seed and rows alone, not on their order. One row more or less in
the catalogue changes at most `STABLE_WITHIN` rows of the draw, whatever its size. The
split has no such bound: it is made anew for every draw.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from envplatform.configuration import SamplingSettings
from envplatform.swe.fixes.curation.chosen import Chosen, length_of
from envplatform.swe.fixes.curation.figures import describe
from envplatform.swe.fixes.curation.splitting import choose_validation
from envplatform.swe.fixes.reverse_patch import CuratedPatch

__all__ = ["REVISION", "STABLE_WITHIN", "Chosen", "describe", "fill", "sample"]

REVISION = 1
"""Grows whenever equal rows and settings may give another draw."""

STABLE_WITHIN = 2
"""Rows that enter or leave the draw, at most, when one row is added or taken out."""


def sample(
    curated: Sequence[CuratedPatch], settings: SamplingSettings
) -> tuple[Chosen, ...]:
    """Draw from the rows that were kept; sorted by instance id.

    Repositories are told apart without regard to case, as GitHub does.

    Raises:
        ValueError: two kept rows have the same instance id.
    """
    kept = [row for row in curated if not row.rejection]
    if len({row.instance_id for row in kept}) < len(kept):
        msg = "instance ids of curated patches must be unique"
        raise ValueError(msg)
    seed = str(settings.seed)
    drawn = sorted(_deal(kept, settings.rows, seed), key=lambda row: row.instance_id)
    counts: dict[str, int] = {}
    for row in drawn:
        counts[row.repository.lower()] = counts.get(row.repository.lower(), 0) + 1
    validation = choose_validation(
        counts,
        share=settings.validation_share,
        rank=lambda repository: _rank(seed, "split", repository),
    )
    return tuple(
        Chosen(
            instance_id=row.instance_id,
            repository=row.repository,
            split="validation" if row.repository.lower() in validation else "train",
            bug_type=row.bug_type,
            length=length_of(row.context_tokens),
        )
        for row in drawn
    )


def fill(
    sizes: Mapping[str, int], rows: int, ranks: Mapping[str, str]
) -> dict[str, int]:
    """Deal `rows` out to bins of these sizes, as water fills vessels.

    `ranks` says which bins come first for rows that can't be shared evenly.
    """
    dealt: dict[str, int] = {}
    left = max(rows, 0)
    waiting = sorted(sizes, key=lambda name: (sizes[name], name), reverse=True)
    while waiting and sizes[waiting[-1]] <= left // len(waiting):
        smallest = waiting.pop()
        dealt[smallest] = sizes[smallest]
        left -= sizes[smallest]
    if waiting:
        level, over = divmod(left, len(waiting))
        for place, name in enumerate(sorted(waiting, key=ranks.__getitem__)):
            dealt[name] = level + (place < over)
    return dealt


def _deal(rows: Sequence[CuratedPatch], wanted: int, seed: str) -> list[CuratedPatch]:
    """Fill types, then lengths, then repositories; of these take the first by rank."""
    drawn: list[CuratedPatch] = []
    tree = _tree(rows)
    for bug_type, of_type in _share(tree, wanted, (seed,)):
        for length, of_length in _share(tree[bug_type], of_type, (seed, bug_type)):
            repositories = tree[bug_type][length]
            place = (seed, bug_type, length)
            for repository, count in _share(repositories, of_length, place):
                ranked = sorted(
                    repositories[repository],
                    key=lambda row: _rank(seed, row.instance_id),
                )
                drawn += ranked[:count]
    return drawn


_Repositories = dict[str, list[CuratedPatch]]
_Tree = dict[str, dict[str, _Repositories]]


def _tree(rows: Iterable[CuratedPatch]) -> _Tree:
    """Bug type, then length, then repository in lower case, to its rows."""
    tree: _Tree = {}
    for row in rows:
        lengths = tree.setdefault(row.bug_type, {})
        repositories = lengths.setdefault(length_of(row.context_tokens), {})
        repositories.setdefault(row.repository.lower(), []).append(row)
    return tree


def _share(
    bins: Mapping[
        str, _Tree | dict[str, _Repositories] | _Repositories | list[CuratedPatch]
    ],
    rows: int,
    place: tuple[str, ...],
) -> list[tuple[str, int]]:
    sizes = {name: _size(content) for name, content in bins.items()}
    ranks = {name: _rank(*place, name) for name in bins}
    return sorted(fill(sizes, rows, ranks).items())


def _size(content: object) -> int:
    if isinstance(content, dict):
        return sum(_size(inner) for inner in content.values())
    return len(content) if isinstance(content, list) else 0


def _rank(*parts: str) -> str:
    """Place in an order that looks random and depends on the parts alone."""
    text = "\0".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
