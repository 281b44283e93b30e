"""Group `bugs`: the report over all repositories. The assets it sums up are in `bugs`."""

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.bug_recipes import real_bug_types, report_sources
from assets.bugs import bug_candidates, swe_environments, verified_bugs
from assets.pictures import counts_table
from assets.synthesis_pictures import synthesis_pictures
from envplatform.bundle.row import EnvironmentRow
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.base import REFUSED_ANSWERS, RefusedAnswer
from envplatform.swe.report import REJECTED, InducerRow, funnel, inducer_rows
from envplatform.swe.report import REVISION as REPORTING


@batch_asset(
    group="bugs",
    row_type=InducerRow,
    revision=REPORTING,
    deps=[bug_candidates, verified_bugs, swe_environments],
    tools=report_sources,
    kinds=frozenset({"parquet"}),
    owners=owners.SWE,
)
def synthesis_report(batch: Batch[None]) -> PartitionResults:
    """How each inducer and operator fared, over all repositories."""
    for whole in batch.partitions:
        candidates = batch.rows(BugCandidate, "bug_candidates")
        proofs = batch.rows(Verdict, "verified_bugs")
        verdicts = [*proofs, *batch.store.all_rows(Verdict, REJECTED)]
        environments = batch.rows(EnvironmentRow, "swe_environments")
        real = real_bug_types(batch.store)
        refused = batch.store.all_rows(RefusedAnswer, REFUSED_ANSWERS)
        rows = inducer_rows(
            candidates, verdicts, environments, real=real, refused=refused
        )
        yield (
            whole,
            PartitionResult(
                rows=rows,
                metadata={
                    "candidates": len(candidates),
                    "verified": len(proofs),
                    "environments": len(environments),
                    "real fixes": real.total(),
                },
                markdown={
                    **synthesis_pictures(rows, real),
                    "funnel": counts_table(funnel(verdicts)),
                },
            ),
        )
