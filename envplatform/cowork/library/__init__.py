"""Real material for tasks: tables, documents and code, with licence and origin.

Read it through `Library`: from the store once `resource_library` is materialised, or
`Library.builtin()`, which ships with the package. Every fact taken from it keeps a
`Pointer`. Filling it is `collect`; what is taken from where is `sources.toml`.
"""

from envplatform.cowork.library.library import LIBRARY, Library
from envplatform.cowork.library.resource import (
    ColumnRow,
    ColumnType,
    Kind,
    RefusedResource,
    ResourceRow,
    SourceReport,
)
from envplatform.cowork.library.table import (
    Pointer,
    Span,
    Table,
    TableRow,
    draw_rows,
)

__all__ = [
    "LIBRARY",
    "ColumnRow",
    "ColumnType",
    "Kind",
    "Library",
    "Pointer",
    "RefusedResource",
    "ResourceRow",
    "SourceReport",
    "Span",
    "Table",
    "TableRow",
    "draw_rows",
]
