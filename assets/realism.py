"""Group `evaluation`: what reviewers said of our bugs beside real ones.

They vote in `envplatform review`; counting is in `envplatform.evaluation.realism`.
"""

import hashlib
from collections.abc import Sequence

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, Upstream, batch_asset
from assets.bugs import bug_candidates, verified_bugs
from assets.fixes import curated_reverse_patches
from assets.pictures import in_cell
from envplatform.configuration import Configuration, RealismSettings
from envplatform.evaluation.realism.agreement import (
    Realism,
    cohen_kappas,
    realism,
    verdicts,
)
from envplatform.evaluation.realism.office import Office
from envplatform.evaluation.realism.rows import REVISION, VoteRow, vote_rows
from envplatform.store import Store
from resources.configuration import ConfigurationResource

_TOLD = 20
_SAID = (
    "Of each pair one bug is ours and one is a developer's. Held for real: by more than "
    "the configured share of three votes or more. A coin would hold half of them for "
    "real. In brackets 95 % intervals: Wilson's of the share, of kappa by drawing pairs."
)


def realism_settings(configuration: Configuration) -> RealismSettings:
    """All of `[realism]`."""
    return configuration.realism


def vote_sources(_: Configuration, __: str, store: Store) -> dict[str, str]:
    """Pairs and votes as they are on the disk."""
    office = Office(home=store.home, settings=RealismSettings())
    files = {"pairs": office.pairs_path, "votes": office.votes.path}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "none"
        for name, path in files.items()
    }


@batch_asset(
    group="evaluation",
    row_type=VoteRow,
    revision=REVISION,
    deps=[
        Upstream(asset=asset, optional=True)
        for asset in (bug_candidates, verified_bugs, curated_reverse_patches)
    ],
    settings=realism_settings,
    sources=vote_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def realism_votes(
    batch: Batch[RealismSettings], configuration: ConfigurationResource
) -> PartitionResults:
    """Votes on whether a bug is a developer's or ours, with majorities and agreement.

    A vote that does not count is told of with its line: broken, by nobody known, cast
    before. Empty until somebody votes in `envplatform review`.
    """
    for whole in batch.partitions:
        settings = configuration.load().realism
        office = Office(home=batch.store.home, settings=settings)
        pairs, bad = office.pairs()
        votes = office.counted(pairs)
        found = realism(
            pairs, votes.counted, majority=settings.majority, seed=settings.seed
        )
        all_pairs = found[0]
        sure = {} if all_pairs.share is None else {"HPR": all_pairs.share}
        agreed = {} if all_pairs.fleiss is None else {"Fleiss' kappa": all_pairs.fleiss}
        refused = (*bad, *votes.refused)
        kappas = cohen_kappas(verdicts(pairs, votes.counted))
        yield (
            whole,
            PartitionResult(
                rows=vote_rows(pairs, votes.counted),
                metadata={
                    "pairs": len(pairs),
                    "pairs with three votes": all_pairs.pairs,
                    "votes": len(votes.counted),
                    "refused lines": len(refused),
                    **sure,
                    **agreed,
                },
                markdown={
                    "by inducer": realism_table(found),
                    "two by two": kappa_table(kappas),
                    "why refused": refused_list(refused),
                },
            ),
        )


def realism_table(rows: Sequence[Realism]) -> str:
    """One line over all, then one an inducer."""
    lines = [
        "| inducer | pairs | with fewer votes | held for real | share | Fleiss' kappa |",
        "|---|---:|---:|---:|---|---|",
    ]
    lines += [
        f"| {in_cell(one.inducer) or 'all'} | {one.pairs} | {one.short} | "
        f"{one.held_for_real} | {_share(one)} | {_kappa(one)} |"
        for one in rows
    ]
    return "\n".join((*lines, "", _SAID))


def kappa_table(kappas: dict[tuple[str, str], tuple[float | None, int]]) -> str:
    """One line two reviewers: Cohen's kappa and the pairs both voted on."""
    if not kappas:
        return "none"
    lines = ["| reviewers | pairs | Cohen's kappa |", "|---|---:|---:|"]
    lines += [
        f"| {in_cell(one)} and {in_cell(other)} | {pairs} | "
        f"{'-' if kappa is None else f'{kappa:.2f}'} |"
        for (one, other), (kappa, pairs) in kappas.items()
    ]
    return "\n".join(lines)


def refused_list(refused: Sequence[str]) -> str:
    """One line each, some left out; `none` if there is none."""
    if not refused:
        return "none"
    more = len(refused) - _TOLD
    lines = [f"- {in_cell(one)}" for one in refused[:_TOLD]]
    return "\n".join((*lines, f"- and {more} more") if more > 0 else lines)


def _share(one: Realism) -> str:
    if one.share is None:
        return "-"
    return f"{one.share:.0%} ({100 * one.low:.0f}-{100 * one.high:.0f})"


def _kappa(one: Realism) -> str:
    if one.fleiss is None:
        return "-"
    if one.fleiss_low is None or one.fleiss_high is None:
        return f"{one.fleiss:.2f}"
    return f"{one.fleiss:.2f} ({one.fleiss_low:.2f}-{one.fleiss_high:.2f})"
