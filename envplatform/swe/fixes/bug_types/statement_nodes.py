"""What can be told of one statement, or of a block, by itself. Compares no versions."""

import ast
from collections.abc import Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_MAX_INNER = 40


def below(node: ast.AST) -> list[ast.stmt]:
    """Statements inside of a compound one, outer first, a bounded number."""
    found: list[ast.stmt] = []
    pending: list[ast.AST] = [node]
    while pending and len(found) < _MAX_INNER:
        current = pending.pop(0)
        for name in ("body", "handlers", "cases", "orelse", "finalbody"):
            children = getattr(current, name, [])
            if not isinstance(children, list):
                continue
            pending += children[:_MAX_INNER]
            found += [child for child in children if isinstance(child, ast.stmt)]
    return [node for node in found[:_MAX_INNER] if not is_text(node)]


def same_definitions(
    old: Sequence[ast.stmt], new: Sequence[ast.stmt]
) -> list[tuple[ast.stmt, ast.stmt]]:
    """Pair definitions of one name; the n-th with the n-th, as of property setters."""
    waiting: dict[str, list[ast.stmt]] = {}
    for node in new:
        if isinstance(node, Definition):
            waiting.setdefault(node.name, []).append(node)
    pairs: list[tuple[ast.stmt, ast.stmt]] = []
    for node in old:
        if not isinstance(node, Definition):
            continue
        same = waiting.get(node.name, [])
        if same and isinstance(node, ast.ClassDef) == isinstance(same[0], ast.ClassDef):
            pairs.append((node, same.pop(0)))
    return pairs


def undocumented(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Leave out a docstring."""
    return body[1:] if body and is_text(body[0]) else body


def exports(node: ast.stmt) -> bool:
    """Tell whether a statement sets `__all__`, whose entries are names and no data."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.AugAssign(target=ast.Name(id="__all__"))
        ):
            return True
    return False


def is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is nothing but a text."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False
