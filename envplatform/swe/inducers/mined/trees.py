"""Syntax trees as values: equality whatever the position, size, walking of fields."""

import ast
from collections.abc import Iterable, Iterator

Key = tuple[object, ...]
_SKIPPED = frozenset({"ctx", "kind", "type_comment"})


def fields_of(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield the fields that say something: not whether a name is read or written."""
    for name in node._fields:
        if name not in _SKIPPED:
            yield name, getattr(node, name, None)


def key(value: object) -> Key:
    """Return what two subtrees of the same meaning have in common, hashable."""
    if isinstance(value, ast.AST):
        return (type(value).__name__, *(key(part) for _, part in fields_of(value)))
    if isinstance(value, list | tuple):
        return ("[]", *(key(item) for item in value))
    # 1, 1.0 and True are equal, 0.0 and -0.0 are. Long integers have no `repr`.
    text = hex(value) if isinstance(value, int) else repr(value)
    return ("=", type(value).__name__, text)


def children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes right below, in order, contexts left out."""
    for _, value in fields_of(node):
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))


def walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes and all below, top down, in order."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        pending += list(children(node))[::-1]


def size(nodes: Iterable[ast.AST], limit: int) -> int:
    """Count nodes, up to `limit` + 1."""
    count = 0
    for count, _ in enumerate(walk(nodes), 1):
        if count > limit:
            break
    return count
