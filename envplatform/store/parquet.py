"""Plain rows in Parquet files with a declared schema: write, check, read.

The footer names row type and schema version. Manifests and folders are elsewhere.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from envplatform.errors import StoreError
from envplatform.store.shapes import Many, Maybe, Record, Scalar, Shape
from envplatform.store.values import Plain

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
            _ROW_TYPE: record.name.encode(),
            _VERSION: str(record.version).encode(),
        },
    )


def write_parquet(
    rows: Sequence[Mapping[str, Plain]], record: Record, path: Path
) -> None:
    """Write plain rows, in order, as one zstd-compressed file."""
    table = pa.Table.from_pylist(rows, schema=arrow_schema(record))
    pq.write_table(table, path, compression="zstd")


def read_parquet(path: Path, record: Record) -> list[dict[str, Plain]]:
    """Read plain rows, in order. Columns added since with a default are absent.

    Raises:
        FileNotFoundError: no such file.
        StoreError: the file is damaged, or holds rows of another type or version.
    """
    try:
        with pq.ParquetFile(path) as file:
            _check_schema(file.schema_arrow, record, str(path))
            table = file.read()
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        msg = f"{path} is damaged ({error}); materialise the asset again"
        raise StoreError(msg) from error
    rows: list[dict[str, Plain]] = table.to_pylist()
    return rows


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
    if found != (record.name, str(record.version)):
        msg = (
            f"{where} holds {found[0]} rows of schema version {found[1]}, asked for"
            f" {record.name} of version {record.version}; migrate it: {_MIGRATE}"
        )
        raise StoreError(msg)
    _check_fields({field.name: field for field in schema}, record, where)


def _check_fields(
    stored: "Mapping[str, pa.Field[Any]]", record: Record, where: str
) -> None:
    names = {member.name for member in record.members}
    for name in stored.keys() - names:
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
