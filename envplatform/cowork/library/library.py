"""`Library`: all that task families may draw from, however it is kept."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from envplatform.cowork.library.builtin import builtin_contents
from envplatform.cowork.library.collect import PACKS, content_path
from envplatform.cowork.library.resource import Kind, ResourceRow
from envplatform.cowork.library.table import Pointer, Span, Table, parse_table
from envplatform.errors import LibraryError
from envplatform.store import Store

LIBRARY = "resource_library"
"""The asset whose rows it is read from."""
_TABLES_HELD = 32

Read = Callable[[ResourceRow], bytes]


@dataclass(frozen=True, slots=True)
class Library:
    """Resources by id, and how their contents are read. A value: it never changes."""

    rows: tuple[ResourceRow, ...]
    """By id."""
    _read: Read = field(repr=False, compare=False)
    _table: Callable[[str], Table] = field(init=False, repr=False, compare=False)
    _by_id: dict[str, ResourceRow] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Thousands of environments are drawn from a few tables: the last ones are held.
        held = lru_cache(_TABLES_HELD)(self._parsed)
        object.__setattr__(self, "_table", held)
        object.__setattr__(self, "_by_id", {row.resource_id: row for row in self.rows})

    @classmethod
    def of(cls, rows: Iterable[ResourceRow], store: Store) -> "Library":
        """The rows of the asset, with their contents in the store."""

        def read(row: ResourceRow) -> bytes:
            return (
                store.directory(PACKS, row.pack) / content_path(row.digest)
            ).read_bytes()

        return cls(tuple(sorted(rows, key=lambda row: row.resource_id)), read)

    @classmethod
    def stored(cls, store: Store) -> "Library":
        """What the asset has put out last.

        Raises:
            StoreError: it has put out nothing yet.
        """
        return cls.of(store.scan(ResourceRow, LIBRARY), store)

    @classmethod
    def builtin(cls) -> "Library":
        """Tables and texts that ship with the package: nothing is fetched for them."""
        contents = builtin_contents()
        return cls(tuple(contents), contents.__getitem__)

    def with_builtin(self) -> "Library":
        """This library and what ships with the package."""
        other = Library.builtin()
        own = frozenset(other.rows)

        def read(row: ResourceRow) -> bytes:
            return other._read(row) if row in own else self._read(row)  # noqa: SLF001  of its own class

        rows = {row.resource_id: row for row in (*self.rows, *other.rows)}
        return Library(tuple(rows[name] for name in sorted(rows)), read)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources that it has something of, sorted."""
        return tuple(sorted({row.source for row in self.rows}))

    def find(
        self,
        *,
        kind: Kind | None = None,
        source: str | None = None,
        licences: frozenset[str] | None = None,
        columns: Iterable[str] = (),
        min_rows: int = 0,
    ) -> tuple[ResourceRow, ...]:
        """List resources, by id; with all that is asked, all must hold.

        Args:
            kind: of the resource.
            source: it comes from.
            licences: its licence, as it is written, is one of these.
            columns: names that a table must have.
            min_rows: rows or lines that it must have.
        """
        names = frozenset(columns)
        return tuple(
            row
            for row in self.rows
            if kind in (None, row.kind)
            and source in (None, row.source)
            and (licences is None or row.licence in licences)
            and names <= {column.name for column in row.columns}
            and row.rows >= min_rows
        )

    def row(self, resource_id: str) -> ResourceRow:
        """What is known of a resource.

        Raises:
            LibraryError: there is none of this id.
        """
        found = self._by_id.get(resource_id)
        if found is None:
            msg = (
                f"the library has no resource {resource_id!r}; add its source to "
                "[cowork.library] and materialise resource_library"
            )
            raise LibraryError(msg)
        return found

    def text(self, resource_id: str) -> str:
        """The content of a resource; of a table its CSV.

        Raises:
            LibraryError: there is none of this id.
            StoreError: its content is no more in the store.
        """
        return self._read(self.row(resource_id)).decode()

    def table(self, resource_id: str) -> Table:
        """A table.

        Raises:
            LibraryError: there is none of this id.
            StoreError: its content is no more in the store.
        """
        return self._table(resource_id)

    def pointer(self, resource_id: str, start: int, end: int) -> Pointer:
        """Where a part of a text stands, in characters.

        Raises:
            LibraryError: there is none of this id.
        """
        return Pointer(
            resource_id=resource_id,
            path=self.row(resource_id).path,
            span=Span(start=start, end=end),
        )

    def _parsed(self, resource_id: str) -> Table:
        row = self.row(resource_id)
        if row.kind != "table":
            msg = f"{resource_id} is no table but {row.kind}; read its text"
            raise LibraryError(msg)
        return parse_table(row, self._read(row))
