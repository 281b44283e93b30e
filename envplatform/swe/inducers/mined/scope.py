"""Names of a file: which are known where, and which a change leaves without a meaning."""

import ast
import builtins
import symtable
from collections.abc import Iterator

from envplatform.swe.inducers.mutation.source import Function, ParsedSource

_BUILTINS = frozenset(dir(builtins)) | {
    "__file__",
    "__name__",
    "__path__",
    "__module__",
    "__qualname__",
    "__class__",
}
_MAX_SCOPES = 100_000


def undefined_names(data: bytes) -> frozenset[str]:
    """Names that some scope of a file reads and that neither it nor Python defines.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as the compiler does.
    """
    top = symtable.symtable(data, "<file>", "exec")  # type: ignore[arg-type]
    tables = list(_tables(top))
    known = {
        symbol.get_name()
        for table in tables
        for symbol in table.get_symbols()
        if (table is top or symbol.is_declared_global())
        and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())
    }
    return frozenset(
        symbol.get_name()
        for table in tables
        for symbol in table.get_symbols()
        if symbol.is_referenced()
        and (symbol.is_global() or (table is top and not symbol.is_assigned()))
        and symbol.get_name() not in known
        and symbol.get_name() not in _BUILTINS
    )


def _tables(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    pending = [top]
    for _ in range(_MAX_SCOPES):
        if not pending:
            return
        table = pending.pop()
        yield table
        pending += table.get_children()


def variables_at(source: ParsedSource, node: ast.AST) -> tuple[str, ...]:
    """Parameters of the function around `node`, and variables it set on lines before.

    Sorted; empty outside of functions. `self` and `cls` are no variables.
    """
    function = node
    while function in source.parents and not isinstance(function, Function):
        function = source.parents[function]
    if not isinstance(function, Function):
        return ()
    line: int = getattr(node, "lineno", 0)
    named = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    for statement in function.body:
        if statement.lineno >= line:
            break
        named |= {
            inner.id
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Name)
            and isinstance(inner.ctx, ast.Store)
            and inner.lineno < line
        }
    return tuple(sorted(named - {"self", "cls"}))
