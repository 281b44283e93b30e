"""Rows of Parquet files, in batches so small that no row group has to fit in memory."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.parquet_pages import largest_dictionaries
from envplatform.swe.fixes.sources.rows import BrokenRow, Row

_BATCH_BYTES = 4 * 2**20
_MOST_BYTES = 256 * 2**20  # of a batch in which each row is as large as one can be
_MOST_ROWS = 256
_BUFFER_BYTES = 2**16  # a column; pages are read through it


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names of the columns, in order.

    Raises:
        FixSourceError: the file is truncated, or no Parquet file.
    """
    with _open(path) as file:
        return tuple(file.schema_arrow.names)


def parquet_rows(path: Path, columns: Collection[str]) -> Iterator[Row | BrokenRow]:
    """Yield every row with those of `columns` that are there.

    A row that holds text which is no UTF-8 is broken, and costs no other.

    Raises:
        FixSourceError: the file is truncated, damaged, or no Parquet file.
    """
    with _open(path) as file:
        wanted = [name for name in file.schema_arrow.names if name in columns]
        number = 0
        try:
            rows = batch_rows(path, file, frozenset(wanted))
            for batch in file.iter_batches(
                batch_size=rows, columns=wanted, use_threads=False
            ):
                yield from _batch(path, _in_utc(batch), number)
                number += batch.num_rows
                # Else the allocator keeps pages of every size: 60 MB more at the peak.
                pa.default_memory_pool().release_unused()
        except (pa.ArrowException, OSError) as error:
            msg = (
                f"{path} can't be read beyond row {number}: {_first_line(error)}; "
                "download it again"
            )
            raise FixSourceError(msg) from error


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(
            path,
            buffer_size=_BUFFER_BYTES,
            pre_buffer=False,
            page_checksum_verification=True,  # where the writer left checksums
        )
    except (pa.ArrowException, OSError) as error:
        msg = (
            f"{path} can't be read as Parquet: {_first_line(error)}; "
            "it may have broken off: download it again"
        )
        raise FixSourceError(msg) from error


def batch_rows(path: Path, file: pq.ParquetFile, columns: frozenset[str]) -> int:
    """Rows at once: some by their average, fewer where each may be a large one."""
    meta = file.metadata
    size = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    by_average = _BATCH_BYTES * max(1, meta.num_rows) // (size or 1)
    # A row may have the largest value of each dictionary, and so may all.
    by_largest = _MOST_BYTES // max(1, largest_dictionaries(path, meta, columns))
    return max(1, min(_MOST_ROWS, by_average, by_largest))


def _in_utc(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Points in time as Python can hold them: microseconds, no zone of a file's own."""
    for position, column in enumerate(batch.columns):
        kind = column.type
        if pa.types.is_timestamp(kind):
            wanted = pa.timestamp("us", tz="UTC" if kind.tz else None)
            cast = column.cast(wanted, safe=False)
            batch = batch.set_column(position, batch.schema.names[position], cast)
    return batch


def _batch(path: Path, batch: pa.RecordBatch, before: int) -> Iterator[Row | BrokenRow]:
    try:
        rows = batch.to_pylist()
    except (ValueError, OverflowError):  # no UTF-8, or a date beyond Python's
        if batch.num_rows == 1:
            yield _broken(path, batch, before + 1)
            return
        for offset in range(batch.num_rows):
            yield from _batch(path, batch.slice(offset, 1), before + offset)
        return
    for number, fields in enumerate(rows, before + 1):
        yield Row(where=f"{path.name}, row {number}", fields=fields)


def _broken(path: Path, batch: pa.RecordBatch, number: int) -> BrokenRow:
    """Name the columns that can't be read."""
    bad = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.to_pylist()
        except (ValueError, OverflowError):
            bad.append(name)
    return BrokenRow(
        where=f"{path.name}, row {number}",
        reason="unreadable",
        detail=f"no valid text or date in {', '.join(bad) or 'the row'}",
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
