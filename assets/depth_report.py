"""Group `lineages`: the report over all lineages. The assets it sums up are in `levels`."""

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.depth_pictures import depth_pictures
from assets.levels import res_ablations, res_lineages
from envplatform.evaluation.depth import REVISION, DepthRow, deepest, depth_rows
from envplatform.res.rows import LevelRow


@batch_asset(
    group="lineages",
    row_type=DepthRow,
    revision=REVISION,
    deps=[res_lineages, res_ablations],
    kinds=frozenset({"parquet"}),
    owners=owners.RES,
)
def depth_report(batch: Batch[None]) -> PartitionResults:
    """Curves by depth over all seeds, the spread of operators, and what edges cost."""
    for whole in batch.partitions:
        lineages = batch.rows(LevelRow, "res_lineages")
        ablations = batch.rows(LevelRow, "res_ablations")
        others = [one for one in ablations if one.ablation != "composed"]
        twins = [one for one in ablations if one.ablation == "composed"]
        rows = depth_rows([*lineages, *others], twins=twins)
        tips = deepest(lineages)
        yield (
            whole,
            PartitionResult(
                rows=rows,
                metadata={
                    "lineages": len(tips),
                    "children": sum(1 for one in lineages if one.level),
                    "deepest": max((one.level for one in tips), default=0),
                    "ablated children": sum(1 for one in others if one.level),
                },
                markdown=depth_pictures(rows, lineages),
            ),
        )
