"""A table store: one SQL statement at a time on a database kept as its dump.

The resource is the text that `iterdump` writes, so that a database has one spelling:
the holdings stay the truth, and a change is a new text. A stranger writes the SQL:
statements that are not about rows are refused, and work, rows and sizes are bounded.
"""

from __future__ import annotations

import math
import sqlite3
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .errors import FAILED, INVALID, REFUSED, TOO_LARGE, WsError
from .manifest import ViewSpec
from .view import Room, View
from .wire import Reply, digest

MAX_ROWS = 10_000
MAX_VALUE_BYTES = 16_000_000
MAX_TABLE_BYTES = 64_000_000
"""Of a table store as its dump; loaded it takes some times as much memory."""
_MAX_PAGES = 65_536
"""Of 4096 bytes, of a table store in memory."""
_STEPS_A_LOOK = 10_000
_MAX_LOOKS = 5_000
"""Virtual machine steps before a statement is stopped: about a second."""
_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
)
_WRITING = frozenset(
    {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
)
_FUNCTIONS_REFUSED = frozenset(
    {"load_extension", "random", "randomblob", "zeroblob", "fts3_tokenizer"}
)
_PRAGMAS = frozenset({"table_info", "table_list", "foreign_key_list"})


class TableView(View):
    """Rows by SQL. Changes need the name to be writable."""

    operations = ("query",)

    def __init__(self, spec: ViewSpec, room: Room) -> None:
        super().__init__(spec, room)
        self._cached: tuple[str, sqlite3.Connection] = ("", _in_memory())

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        self.takes(arguments, "sql")
        writable = self.room.manifest.permissions.may_write(self.spec.name)
        connection = self._connection()
        before = connection.total_changes
        columns, rows = _run(connection, arguments["sql"], writable=writable)
        if connection.total_changes != before:
            self._keep(connection)
            return Reply(data={"changed": connection.total_changes - before})
        return Reply(data={"columns": columns, "rows": rows})

    def _connection(self) -> sqlite3.Connection:
        dump = self.source()
        if len(dump) > MAX_TABLE_BYTES:
            msg = f"{self.spec.name} is {len(dump)} bytes as its dump, over the "
            raise WsError(TOO_LARGE, msg + f"{MAX_TABLE_BYTES} of a table store")
        told = digest(dump)
        if told != self._cached[0]:
            self._cached[1].close()
            self._cached = (told, _loaded(dump, self.spec.name))
        return self._cached[1]

    def _keep(self, connection: sqlite3.Connection) -> None:
        connection.set_authorizer(None)
        dump = dump_of(connection)
        if len(dump) > MAX_TABLE_BYTES:
            connection.close()
            self._cached = ("", _in_memory())
            msg = f"{self.spec.name} would be over {MAX_TABLE_BYTES} bytes as its dump"
            raise WsError(TOO_LARGE, msg)
        self.room.holdings.write(self.room.resource(self.spec.source).location, dump)
        self._cached = (digest(dump), connection)


def dump_of(connection: sqlite3.Connection) -> bytes:
    """Return the one text of a database."""
    return "".join(f"{line}\n" for line in connection.iterdump()).encode("utf-8")


def _in_memory() -> sqlite3.Connection:
    """Return an empty database, for whichever thread asks next; one at a time does."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def _loaded(dump: bytes, name: str) -> sqlite3.Connection:
    connection = _in_memory()
    connection.text_factory = str
    try:
        connection.execute(f"PRAGMA max_page_count={_MAX_PAGES}")
        connection.executescript(dump.decode("utf-8"))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        msg = f"{name} can't be opened: {str(error)[:200]}"
        raise WsError(FAILED, msg) from None
    if sys.version_info >= (3, 11):  # noqa: UP036  environments have older ones
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    return connection


def _run(
    connection: sqlite3.Connection, sql: str, *, writable: bool
) -> tuple[list[str], list[list[Any]]]:
    looks = 0

    def look() -> int:
        nonlocal looks
        looks += 1
        return int(looks > _MAX_LOOKS)

    connection.set_authorizer(_authorizer(writable=writable))
    connection.set_progress_handler(look, _STEPS_A_LOOK)
    try:
        cursor = connection.execute(sql)
        rows = cursor.fetchmany(MAX_ROWS + 1)
        columns = [one[0] for one in cursor.description or ()]
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        raise _refusal(error, looks) from None
    finally:
        connection.set_progress_handler(None, 0)
    if len(rows) > MAX_ROWS:
        msg = f"over {MAX_ROWS} rows; narrow the statement or take it in parts"
        raise WsError(TOO_LARGE, msg)
    return columns, [[_plain(value) for value in row] for row in rows]


def _authorizer(*, writable: bool) -> Callable[..., int]:
    allowed = _READING | _WRITING if writable else _READING

    def may(action: int, first: str, second: str, *_: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION:
            is_allowed = second not in _FUNCTIONS_REFUSED
        elif action == sqlite3.SQLITE_PRAGMA:
            is_allowed = first in _PRAGMAS
        else:
            is_allowed = action in allowed
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    return may


def _refusal(error: Exception, looks: int) -> WsError:
    said = str(error)[:300]
    if looks > _MAX_LOOKS:
        return WsError(TOO_LARGE, "the statement takes too long; narrow it")
    if "too big" in said or "is full" in said:
        return WsError(TOO_LARGE, f"{said}: a value or the store grows too large")
    if "not authorized" in said or "prohibited" in said:
        return WsError(REFUSED, f"{said}: only statements about rows are carried out")
    return WsError(INVALID, said)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        if len(value) > MAX_VALUE_BYTES:
            raise WsError(TOO_LARGE, f"a value is over {MAX_VALUE_BYTES} bytes")
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
