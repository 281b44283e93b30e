"""SQL over the stored tables: DuckDB in memory, one view an asset.

Nothing is written, no database file is shared. A query reaches the store's own files
and no others, so that a WHERE clause from a command line can't read the machine.
"""

from collections.abc import Iterable, Mapping

import duckdb

from envplatform.errors import StoreError
from envplatform.store.manifest import Manifest
from envplatform.store.tables import Tables
from envplatform.store.values import Plain, escape, unescape

PARTITION_COLUMN = "partition_key"
"""Added to each view: the row's partition, NULL in an unpartitioned asset."""

_ATTEMPTS = 3


def query(tables: Tables, text: str) -> list[dict[str, Plain]]:
    """Run one SQL statement; see `Store.sql`."""
    unreadable: duckdb.IOException | None = None
    for _ in range(_ATTEMPTS):
        try:
            with duckdb.connect(":memory:") as connection:
                _open_views(connection, tables)
                return _rows(connection, text)
        except duckdb.IOException as error:
            unreadable = error  # superseded after its manifest was read, or lost
        except duckdb.Error as error:
            known = ", ".join(tables.assets()) or "none yet"
            msg = f"the query failed: {error}\nAssets with rows: {known}"
            raise StoreError(msg) from error
    msg = f"a stored file can't be read: {unreadable}; `envplatform doctor` names it"
    raise StoreError(msg) from unreadable


def _open_views(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    root = tables.root.absolute()
    connection.execute("SET allowed_directories = [?]", [f"{root}/"])
    connection.execute("SET enable_external_access = false")
    for asset in tables.assets():
        manifests = tables.manifests(asset)
        if manifests:
            _open_view(connection, asset, manifests, tables)
    connection.execute("SET lock_configuration = true")


def _open_view(
    connection: duckdb.DuckDBPyConnection,
    asset: str,
    manifests: Iterable[Manifest],
    tables: Tables,
) -> None:
    files: Mapping[str, str | None] = {
        str(tables.data_path(manifest).absolute()): manifest.partition
        for manifest in manifests
    }
    listed = ", ".join(map(_literal, files))
    partitions = ", ".join(
        f"({_literal(path)}, {'NULL' if partition is None else _literal(escape(partition))})"
        for path, partition in files.items()
    )
    column = _name(PARTITION_COLUMN)
    connection.execute(
        f"CREATE VIEW {_name(asset)} AS SELECT p.{column}, t.* EXCLUDE (filename)"  # noqa: S608  every part is quoted
        f" FROM read_parquet([{listed}], filename = true, union_by_name = true,"
        f" hive_partitioning = false) t"
        f" JOIN (VALUES {partitions}) p (path, {column}) ON t.filename = p.path"
    )


def _rows(connection: duckdb.DuckDBPyConnection, text: str) -> list[dict[str, Plain]]:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = f"the query is no UTF-8, at character {error.start + 1}"
        raise duckdb.InvalidInputException(msg) from error
    statements = connection.extract_statements(text)
    if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
        msg = "only a single SELECT is taken"
        raise duckdb.InvalidInputException(msg)
    result = connection.execute(statements[0])
    names = [column[0] for column in result.description or ()]
    return [
        {
            name: unescape(value) if isinstance(value, str) else value
            for name, value in zip(names, row, strict=True)
        }
        for row in result.fetchall()
    ]


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
