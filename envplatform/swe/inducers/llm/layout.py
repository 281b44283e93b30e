"""Put a body that a model wrote into a file: the rest stays as it is, byte for byte."""

import ast
from collections.abc import Sequence

from envplatform.swe.inducers.llm.answer import Body
from envplatform.swe.inducers.llm.entities import Entity
from envplatform.swe.inducers.llm.fault import Fault
from envplatform.swe.inducers.mutation.source import Function, ParsedSource, compiles
from envplatform.swe.parsing import parse_or_none


def splice(source: ParsedSource, entity: Entity, body: Body) -> bytes | Fault:
    """Return the file with `body` in place of the function's own.

    Indentation and line ends become the function's. What comes out is parsed and held
    against both sides: the body must mean what the model wrote, and all else what it did.
    """
    text = entity.newline.join(_indented(body, entity))
    try:
        written = text.encode("utf-8")
    except UnicodeEncodeError:
        return Fault("hidden_characters")
    before, after = source.data[: entity.body.start], source.data[entity.body.end :]
    data = before + written + after
    tree = parse_or_none(data)
    if tree is None or not compiles(data):
        return Fault("does_not_compile")
    return data if _is_as_meant(tree, source, entity, body) else Fault("unwritable")


def _is_as_meant(
    tree: ast.Module, source: ParsedSource, entity: Entity, body: Body
) -> bool:
    """Tell whether `tree` is the healthy file with `body`, and with nothing else new.

    `tree` is changed.
    """
    node = _at(tree, entity.node)
    if node is None:
        return False
    kept = len(node.body) - len(body.statements)
    docstring, new = node.body[:kept], node.body[kept:]
    if _dump(new) != _dump(body.statements):
        return False
    if _dump(docstring) != _dump(entity.node.body[:kept]):
        return False
    node.body = entity.node.body
    return ast.dump(tree) == ast.dump(source.tree)


def _at(tree: ast.Module, wanted: Function) -> Function | None:
    """Find the function that begins where another did: no byte before it differs."""
    place = (wanted.lineno, wanted.col_offset)
    for node in ast.walk(tree):
        if isinstance(node, Function) and (node.lineno, node.col_offset) == place:
            return node
    return None


def _dump(statements: Sequence[ast.stmt]) -> list[str]:
    return [ast.dump(statement) for statement in statements]


def _indented(body: Body, entity: Entity) -> list[str]:
    theirs, ours = _unit(body.outer, body.indent), _unit(entity.outer, entity.indent)
    lines = []
    for number, line in enumerate(body.lines):
        if number in body.in_string:
            lines.append(line)
        elif not line.strip():
            lines.append("")
        elif not line.startswith(body.indent):  # goes on inside brackets
            lines.append(line)
        else:
            rest = line.removeprefix(body.indent)
            deeper = ""
            while theirs and rest.startswith(theirs):
                rest = rest.removeprefix(theirs)
                deeper += ours
            lines.append(f"{entity.indent}{deeper}{rest}")
    return lines


def _unit(outer: str, indent: str) -> str:
    """Return what one level of indentation is made of."""
    return indent.removeprefix(outer) or indent
