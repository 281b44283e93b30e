"""Plain rows in Parquet files with a declared schema: write, check, read.

The footer names row type and schema version. Manifests and folders are elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from envplatform.errors import StoreError
from envplatform.store.shapes import Many, Maybe, Record, Scalar, Shape
from envplatform.store.values import Plain, escape

_BATCH_ROWS = 64
_ROW_TYPE = b"envplatform.row_type"
_VERSION = b"envplatform.schema_version"
_TYPES: Mapping[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}
_MIGRATE = (
    "read it with Store.sql, convert, write it back with Store.write_rows, or delete it"
    " and materialise the asset again"
)


def arrow_schema(record: Record) -> pa.Schema:
    """Return the declared schema of a row type."""
    return pa.schema(
        _fields(record),
        metadata={
            _ROW_TYPE: record.stored_as.encode(),
            _VERSION: str(record.version).encode(),
        },
    )


class ParquetRows:
    """A Parquet file under way: rows are added in portions, each a row group."""

    def __init__(self, record: Record, path: Path) -> None:
        self._schema = arrow_schema(record)
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")

    def add(self, rows: list[dict[str, Plain]]) -> None:
        """Add plain rows, in order; none at all make no row group."""
        if rows:
            self._writer.write_table(pa.Table.from_pylist(rows, schema=self._schema))

    def close(self) -> None:
        """Write the footer. Without it the file is no Parquet file."""
        self._writer.close()


@dataclass(frozen=True, slots=True)
class Where:
    """Only rows whose text column holds exactly this value."""

    column: str
    value: str


def read_parquet(
    path: Path, record: Record, *, where: Where | None = None
) -> Iterator[dict[str, Plain]]:
    """Read plain rows, in order, a few hundred in memory at a time.

    Of the columns only those that `record` names, and of the row groups only those
    that can hold what `where` asks for. Columns added since with a default are absent.

    Raises:
        FileNotFoundError: no such file.
        StoreError: the file is damaged, or holds rows of another type or version.
    """
    try:
        with pq.ParquetFile(path) as file:
            _check_schema(file.schema_arrow, record, str(path))
            stored = set(file.schema_arrow.names)
            wanted = {each.name for each in record.members}
            if where is not None:
                wanted.add(where.column)  # a view may go without it
            columns = sorted(wanted & stored)
            groups = _groups(file, where)
            for batch in file.iter_batches(
                _BATCH_ROWS, row_groups=groups, columns=columns
            ):
                rows: list[dict[str, Plain]] = batch.to_pylist()
                for row in rows:
                    if where is None or row[where.column] == escape(where.value):
                        yield row
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        msg = f"{path} is damaged ({error}); materialise the asset again"
        raise StoreError(msg) from error


def _groups(file: pq.ParquetFile, where: Where | None) -> list[int]:
    """Row groups that can hold such rows, by the smallest and largest value in each."""
    numbers = list(range(file.num_row_groups))
    if where is None:
        return numbers
    return [number for number in numbers if _can_hold(file, number, where)]


def _can_hold(file: pq.ParquetFile, group: int, where: Where) -> bool:
    found = file.metadata.row_group(group)
    for index in range(found.num_columns):
        chunk = found.column(index)
        if chunk.path_in_schema == where.column:
            known = chunk.statistics
            if known is None or known.min is None or known.max is None:
                return True
            return bool(known.min <= escape(where.value) <= known.max)
    return True


def _fields(record: Record) -> "list[pa.Field[Any]]":
    return [
        pa.field(member.name, _type(member.shape), isinstance(member.shape, Maybe))
        for member in record.members
    ]


def _type(shape: Shape) -> pa.DataType:
    match shape:
        case Scalar(kind=kind):
            return _TYPES[kind]
        case Maybe(inner=inner):
            return _type(inner)
        case Many(item=item):
            return pa.list_(pa.field("item", _type(item), isinstance(item, Maybe)))
        case Record():
            return pa.struct(_fields(shape))


def _check_schema(schema: pa.Schema, record: Record, where: str) -> None:
    footer = schema.metadata or {}
    found = (footer.get(_ROW_TYPE, b"?").decode(), footer.get(_VERSION, b"?").decode())
    if found != (record.stored_as, str(record.version)):
        msg = (
            f"{where} holds {found[0]} rows of schema version {found[1]}, asked for"
            f" {record.stored_as} of version {record.version}; migrate it: {_MIGRATE}"
        )
        raise StoreError(msg)
    _check_fields({field.name: field for field in schema}, record, where)


def _check_fields(
    stored: "Mapping[str, pa.Field[Any]]", record: Record, where: str
) -> None:
    names = {member.name for member in record.members}
    for name in () if record.is_view else stored.keys() - names:
        raise _moved(where, record, f"column {name} is no field any more")
    for member in record.members:
        field = stored.get(member.name)
        if field is None:
            if not member.has_default:
                raise _moved(where, record, f"new field {member.name} has no default")
            continue
        _check_type(field.type, member.shape, record, f"{where}, column {member.name}")


def _check_type(stored: pa.DataType, shape: Shape, owner: Record, where: str) -> None:
    match shape:
        case Maybe(inner=inner):
            _check_type(stored, inner, owner, where)
        case Many(item=item) if pa.types.is_list(stored):
            _check_type(stored.value_type, item, owner, where)
        case Record() if pa.types.is_struct(stored):
            _check_fields({field.name: field for field in stored}, shape, where)
        case _ if stored != _type(shape):
            raise _moved(where, owner, f"holds {stored}, declared {_type(shape)}")


def _moved(where: str, record: Record, why: str) -> StoreError:
    return StoreError(
        f"{where} does not fit {record.name} as it is declared now: {why};"
        f" migrate it: {_MIGRATE}"
    )
