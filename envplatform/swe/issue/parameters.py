"""Which values a parametrised test had: read off its decorators and its id.

Pytest names plain values as they print and others by argument and row, `old0`. A row
is taken only if its name is the one in the id; nothing is evaluated.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from envplatform.swe.issue.testcode import TracedTest, module_value

Values = Mapping[str, ast.expr]


def parameter_values(test: TracedTest, parameters: str) -> Values:
    """Values by argument name; empty if the test has none or they can't be told."""
    tables = [
        list(_rows(test.module, decorator))
        for decorator in reversed(test.function.decorator_list)
        if _is_parametrize(decorator)
    ]
    for name, values in _combined(tables):
        if name == parameters:
            return values
    return {}


def _is_parametrize(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=ast.Attribute(attr="parametrize"), args=[_, _, *_]):
            return True
    return False


def _combined(
    tables: Sequence[list[tuple[str, Values]]],
) -> Iterator[tuple[str, Values]]:
    if not tables:
        return
    first, rest = tables[0], tables[1:]
    for name, values in first:
        if not rest:
            yield name, values
        for tail, others in _combined(rest):
            yield f"{name}-{tail}", {**values, **others}


def _rows(module: ast.Module, decorator: ast.expr) -> Iterator[tuple[str, Values]]:
    if not isinstance(decorator, ast.Call):
        return
    names = _names(decorator.args[0])
    for index, row in enumerate(_elements(module, decorator.args[1])):
        values, given = _row(row, len(names))
        if len(values) != len(names):
            continue
        bound = dict(zip(names, values, strict=True))
        for kind in (_printed, _called):
            parts = [kind(bound[name]) or f"{name}{index}" for name in names]
            yield given or "-".join(parts), bound


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",") if name.strip()]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [
                item.value
                for item in items
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            ]
    return []


def _elements(module: ast.Module, node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.Name):
        node = module_value(module, node.id) or node
    return node.elts if isinstance(node, ast.List | ast.Tuple) else ()


def _row(row: ast.expr, width: int) -> tuple[Sequence[ast.expr], str]:
    """Values of one row, and the name it was given by `pytest.param(id=...)`."""
    given = ""
    if isinstance(row, ast.Call) and getattr(row.func, "attr", "") == "param":
        for keyword in row.keywords:
            if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                given = str(keyword.value.value)
        return row.args, given
    if width == 1:
        return [row], given
    return (row.elts, given) if isinstance(row, ast.Tuple | ast.List) else ([], given)


def _printed(value: ast.expr) -> str | None:
    """How pytest names a plain value; None if it goes by argument and row."""
    try:
        plain = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    if isinstance(plain, str):
        return plain.encode("unicode_escape").decode("ascii")
    return str(plain) if isinstance(plain, int | float | complex | None) else None


def _called(value: ast.expr) -> str | None:
    """The same, where names stand for functions and classes: those go by their own."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return _printed(value)
