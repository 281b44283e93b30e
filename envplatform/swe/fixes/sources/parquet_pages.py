"""How large the dictionaries of a Parquet file are, which its footer does not say.

A value that stands once in a dictionary may be the value of every row: a file of six
kilobytes then unpacks to gigabytes. The head of a dictionary's page says its size; it
is a Thrift structure, of which the first two numbers are read.
"""

from pathlib import Path
from typing import BinaryIO

import pyarrow.parquet as pq

_HEAD_BYTES = 32
_INT32 = 0x15
"""Head of a 32-bit integer whose field number is one more than the last."""
_DICTIONARY = 2
_UNKNOWN = 2**31
_BITS_A_BYTE = 7


def largest_dictionaries(
    path: Path, metadata: pq.FileMetaData, columns: frozenset[str]
) -> int:
    """Bytes of the dictionaries of `columns` together, in that row group with most.

    More than two gigabytes where a page can't be understood.
    """
    with path.open("rb") as file:
        return max(
            (
                _of_group(file, metadata.row_group(number), columns)
                for number in range(metadata.num_row_groups)
            ),
            default=0,
        )


def _of_group(
    file: BinaryIO, group: pq.RowGroupMetaData, columns: frozenset[str]
) -> int:
    chunks = (group.column(number) for number in range(group.num_columns))
    return sum(
        _dictionary_bytes(file, chunk.dictionary_page_offset or chunk.data_page_offset)
        for chunk in chunks
        if chunk.path_in_schema.partition(".")[0] in columns
    )


def _dictionary_bytes(file: BinaryIO, offset: int) -> int:
    """Unpacked size of the page at `offset`; 0 if it is no dictionary."""
    if offset < 0:
        return _UNKNOWN
    file.seek(offset)
    head = file.read(_HEAD_BYTES)
    kind, at = _number(head, 0)
    size, _ = _number(head, at)
    if kind is None or size is None:
        return _UNKNOWN
    return size if kind == _DICTIONARY else 0


def _number(head: bytes, at: int) -> tuple[int | None, int]:
    """Read the field at `at`, and where the next begins; None: another kind of field."""
    if head[at : at + 1] != bytes([_INT32]):
        return None, at
    value = shift = 0
    for place in range(at + 1, len(head)):
        value |= (head[place] & 0x7F) << shift
        shift += _BITS_A_BYTE
        if head[place] < 0x80:  # noqa: PLR2004  the last byte of the number
            return value >> 1, place + 1  # sign in the lowest bit; sizes have none
    return None, at
