"""Group `cowork`: the material that tasks are made of. What is taken stands in docs.

The body calls the library and returns rows and figures.
"""

from typing import Any

from assets import owners
from assets.batch import Batch, PartitionResult, PartitionResults, batch_asset
from assets.beside import keep_aside
from assets.library_pictures import library_pictures
from assets.library_recipes import library_limits, library_sources
from envplatform.cowork.library import RefusedResource, ResourceRow, SourceReport
from envplatform.cowork.library.gather import REFUSED, REPORTS, library_is_held
from envplatform.cowork.library.specification import REVISION
from resources.library import LibraryResource


@batch_asset(
    group="cowork",
    row_type=ResourceRow,
    revision=REVISION,
    settings=library_limits,
    sources=library_sources,
    holds=library_is_held,
    kinds=frozenset({"parquet"}),
    owners=owners.COWORK,
)
def resource_library(
    batch: Batch[dict[str, Any]], library: LibraryResource
) -> PartitionResults:
    """Tables, documents and code with a licence to pass them on, and their profile.

    Contents lie in the store by digest. What was refused is in `refused_resources`, how
    each source fared in `library_sources`.
    """
    for whole in batch.partitions:
        found = list(library.collected())
        rows = [row for one in found for row in one.rows]
        refused = [row for one in found for row in one.refused]
        reports = [one.report for one in found]
        keep_aside(batch, REFUSED, None, refused, row_type=RefusedResource)
        keep_aside(batch, REPORTS, None, reports, row_type=SourceReport)
        yield (
            whole,
            PartitionResult(
                rows=rows,
                metadata={
                    "sources": len(found),
                    "sources that failed": sum(one.failed for one in found),
                    "tables": sum(row.kind == "table" for row in rows),
                    "documents": sum(row.kind == "document" for row in rows),
                    "code files": sum(row.kind == "code" for row in rows),
                    "refused": len(refused),
                    "not asked for": sum(one.not_asked for one in reports),
                    "content bytes": sum(row.bytes for row in rows),
                },
                markdown=library_pictures(found),
            ),
        )
