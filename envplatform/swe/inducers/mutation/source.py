"""A Python file as bytes and syntax tree at once: where each node lies in the bytes.

Positions of `ast` are lines and UTF-8 byte columns of the text as the tokenizer saw
it: without BOM, with CR and CRLF as line ends. `ParsedSource` maps them back. What
operators may touch is decided here too: live code, so no annotations, docstrings,
decorators, f-string insides (their positions are wrong before Python 3.12), main
guards, or module dunders.
"""

import ast
import re
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO

from envplatform.swe.inducers.base import Skip
from envplatform.swe.parsing import parse_python

MAX_SOURCE_BYTES = 2 * 2**20
"""Larger files are generated, and slow to compile once a mutant."""

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"
_HEADED = (ast.stmt, ast.ExceptHandler, ast.match_case)
_SKIPPED_FIELDS: dict[type[ast.AST], frozenset[str]] = {
    ast.AnnAssign: frozenset({"annotation"}),
    ast.arg: frozenset({"annotation"}),
    ast.FunctionDef: frozenset({"decorator_list", "returns", "type_params"}),
    ast.AsyncFunctionDef: frozenset({"decorator_list", "returns", "type_params"}),
    ast.ClassDef: frozenset({"decorator_list", "bases", "keywords", "type_params"}),
    ast.JoinedStr: frozenset({"values"}),
}
_DEAD_NAMES = frozenset({"TYPE_CHECKING", "__name__", "overload"})
_DEAD_ATTRIBUTES = frozenset({"TYPE_CHECKING", "version_info", "overload"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` up to, not including, `end` of the file."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSource:
    """One healthy file, taken apart. Built by `parse_source`."""

    data: bytes
    tree: ast.Module
    live: tuple[ast.AST, ...]
    """Nodes inside functions that operators may change, in source order."""
    static: tuple[ast.AST, ...]
    """The same for code outside functions, run once at import."""
    parents: dict[ast.AST, ast.AST]
    starts: tuple[int, ...]
    """Offset of each line's first byte; one more for the end of the file."""

    def span(self, node: ast.AST) -> Span:
        """Bytes of a node, decorators included; parentheses around it are not."""
        first: ast.AST = node
        if isinstance(node, Function | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0]
            start = self.data.rindex(b"@", 0, self._offset(first, end=False))
            return Span(start, self._offset(node, end=True))
        return Span(self._offset(node, end=False), self._offset(node, end=True))

    def _offset(self, node: ast.AST, *, end: bool) -> int:
        prefix = "end_" if end else ""
        line: int = getattr(node, f"{prefix}lineno")
        column: int = getattr(node, f"{prefix}col_offset")
        return self.starts[line - 1] + column

    def text(self, node: ast.AST) -> bytes:
        """Bytes of a node."""
        span = self.span(node)
        return self.data[span.start : span.end]

    def line_of(self, offset: int) -> int:
        """Index of the line, from 0, that holds the byte at `offset`."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def statement(self, node: ast.AST) -> ast.AST:
        """Return the statement, handler or case whose own lines hold `node`."""
        while not isinstance(node, _HEADED):
            node = self.parents[node]
        return node

    def own_lines(self, node: ast.AST) -> range:
        """Lines, from 1, of `node`'s statement; of a compound one only its head."""
        statement = self.statement(node)
        head: ast.AST = statement
        if isinstance(statement, ast.match_case):
            head = statement.pattern
        first: int = getattr(head, "lineno", 1)
        last: int = getattr(head, "end_lineno", first)
        if isinstance(statement, ast.Match):
            last = statement.cases[0].pattern.lineno - 1
        elif body := getattr(statement, "body", None):
            last = body[0].lineno - 1
        return range(first, max(first, last) + 1)


def parse_source(data: bytes) -> ParsedSource | Skip:
    """Take a file apart, or say why it can't be."""
    if len(data) > MAX_SOURCE_BYTES:
        return "too_large"
    refusal = _encoding_refusal(data)
    if refusal:
        return refusal
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError):  # ValueError: a NUL byte, before Python 3.12
        return "syntax_error"
    except (RecursionError, MemoryError):  # MemoryError: the parser's own stack
        return "too_deep"
    if not compiles(data):
        return "syntax_error"
    parents = {
        child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
    }
    live, static = _live_nodes(tree)
    return ParsedSource(
        data=data,
        tree=tree,
        live=live,
        static=static,
        parents=parents,
        starts=_line_starts(data),
    )


def compiles(data: bytes) -> bool:
    """Tell whether Python's compiler takes the whole file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _encoding_refusal(data: bytes) -> Skip | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "not_utf8"
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    except SyntaxError:
        return "syntax_error"
    return None if data.isascii() or encoding.startswith("utf-8") else "not_utf8"


def _line_starts(data: bytes) -> tuple[int, ...]:
    start = len(_BOM) if data.startswith(_BOM) else 0
    ends = [match.end() for match in _LINE_END.finditer(data)]
    starts = [start, *ends]
    return (*starts, len(data)) if starts[-1] != len(data) else tuple(starts)


def _live_nodes(
    tree: ast.Module,
) -> tuple[tuple[ast.AST, ...], tuple[ast.AST, ...]]:
    live: list[ast.AST] = []
    static: list[ast.AST] = []
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, inside = pending.pop()
        (live if inside else static).append(node)
        inside = inside or isinstance(node, Function | ast.Lambda)
        children = [child for child in _children(node) if not is_dead(child)]
        pending += [(child, inside) for child in reversed(children)]
    return tuple(live), tuple(static)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    skipped = _SKIPPED_FIELDS.get(type(node), frozenset())
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))


def is_dead(node: ast.AST) -> bool:
    """Tell whether no operator may look inside: code that no test can tell from none.

    Docstrings and other bare constants, blocks guarded by the interpreter's version,
    `TYPE_CHECKING` or `__name__`, module dunders, overloads.
    """
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=test):
            return _mentions_dead(test)
        case (
            ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
        ):
            return name.startswith("__") and name.endswith("__")
        case ast.FunctionDef(decorator_list=decorators):
            return any(_mentions_dead(decorator) for decorator in decorators)
    return False


def _mentions_dead(node: ast.AST) -> bool:
    return any(
        getattr(inner, "id", None) in _DEAD_NAMES
        or getattr(inner, "attr", None) in _DEAD_ATTRIBUTES
        for inner in ast.walk(node)
    )


def first_statement(body: Sequence[ast.stmt]) -> int:
    """Index of the first statement after a docstring; may be `len(body)`."""
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return 1
    return 0


def spans_lines(node: ast.AST) -> bool:
    """Tell whether a text runs over several lines: moving it would change it."""
    text = isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )
    return text and getattr(node, "lineno", 0) != getattr(node, "end_lineno", 0)
