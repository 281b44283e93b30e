"""Statements as text that leaves out what does not change the code.

Docstrings, other bare strings and `pass` say nothing; imports that stand together
count in any order, one name each. Numbered, variables, attributes, keywords and
constants are replaced by numbers in the order in which they first appear, the same
for all statements that one `CodeWriter` writes.
"""

import ast
from collections.abc import Sequence
from functools import cache

_LEFT_OUT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_KINDS = {"attr": "a", "kwd_attrs": "a", "module": "m"}
"""Of names, by field; all others are variables. Each kind is numbered by itself."""

Import = ast.Import | ast.ImportFrom


def is_silent(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: a docstring, another bare string, `pass`."""
    if isinstance(statement, ast.Expr):
        value = statement.value
        return isinstance(value, ast.Constant) and isinstance(value.value, str)
    return isinstance(statement, ast.Pass)


def plain_text(statements: Sequence[ast.stmt]) -> str:
    """Write statements with names and constants as they are.

    Raises: as `CodeWriter.write`.
    """
    writer = CodeWriter(numbered=False)
    writer.write(statements)
    return writer.text()


def header_text(statement: ast.stmt) -> str:
    """Write a compound statement without the statements in its `body`.

    Raises: as `CodeWriter.write`.
    """
    writer = CodeWriter(numbered=False)
    writer.write_header(statement)
    return writer.text()


@cache
def _fields(node: str) -> tuple[tuple[str, str], ...]:
    """Names of the fields of a node that are written, with the kind of names in them."""
    names: tuple[str, ...] = getattr(ast, node)._fields
    others = "k" if node == "keyword" else "v"
    written = (name for name in names if name not in _LEFT_OUT)
    return tuple((name, _KINDS.get(name, others)) for name in written)


class CodeWriter:
    """Writes statements without their places."""

    def __init__(self, *, numbered: bool) -> None:
        self.nodes = 0
        """Syntax nodes written so far."""
        self._numbered = numbered
        self._numbers: dict[tuple[str, str], int] = {}
        self._parts: list[str] = []

    def text(self) -> str:
        """Return all that was written."""
        return " ".join(self._parts)

    def write(self, statements: Sequence[ast.stmt]) -> None:
        """Write a body.

        Raises:
            RecursionError: it is nested too deep.
            ValueError: a number has too many digits to be written.
        """
        self._parts.append("[")
        run: list[Import] = []
        for statement in statements:
            if isinstance(statement, Import):
                run.append(statement)
                continue
            self._imports(run)
            run = []
            if not is_silent(statement):
                self._node(statement)
        self._imports(run)
        self._parts.append("]")

    def write_header(self, statement: ast.stmt) -> None:
        """Write a compound statement without its body. Raises: as `write`."""
        self._node(statement, without="body")

    def _imports(self, run: Sequence[Import]) -> None:
        found = {
            (
                statement.level if isinstance(statement, ast.ImportFrom) else -1,
                getattr(statement, "module", None) or "",
                alias.name,
                alias.asname or "",
            )
            for statement in run
            for alias in statement.names
        }
        for level, module, name, alias in sorted(found):
            self.nodes += 1
            self._parts.append(f"import{level}")
            self._value("m", module)
            self._value("v", name)
            self._value("v", alias)

    def _node(self, node: ast.AST, without: str = "") -> None:
        self.nodes += 1
        self._parts.append(type(node).__name__)
        self._parts.append("(")
        if isinstance(node, ast.Constant):
            self._value(type(node.value).__name__, node.value)
        else:
            for name, kind in _fields(type(node).__name__):
                if name != without:
                    self._field(getattr(node, name, None), kind)
        self._parts.append(")")

    def _field(self, value: object, kind: str) -> None:
        if isinstance(value, ast.AST):
            self._node(value)
        elif isinstance(value, list):
            if value and isinstance(value[0], ast.stmt):
                self.write(value)
            else:
                self._parts.append("[")
                for item in value:
                    self._field(item, kind)
                self._parts.append("]")
        else:
            self._value(kind, value)

    def _value(self, kind: str, value: object) -> None:
        """Numbers of `ImportFrom.level` and the like never come here numbered."""
        if not self._numbered or value is None or value == "":
            self._parts.append(f"{kind}{value!r}")
        else:
            key = (kind, repr(value))
            number = self._numbers.setdefault(key, len(self._numbers))
            self._parts.append(f"{kind}{number}")
