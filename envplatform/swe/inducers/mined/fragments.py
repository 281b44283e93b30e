"""Writing the defective side as text, with what metavariables stand for in its own bytes.

The template is printed with a slot for each of them, the slots are filled with bytes
of the file, and the result is parsed again: only what means what it should is taken,
without brackets around the fillings if that does, else with them.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from envplatform.swe.inducers.mined.matching import Bound, run_of
from envplatform.swe.inducers.mined.metavariables import metavariable, name_of
from envplatform.swe.inducers.mined.trees import key, walk
from envplatform.swe.inducers.mutation.edits import (
    block_span,
    indentation,
    is_block,
)
from envplatform.swe.inducers.mutation.source import ParsedSource, Span, spans_lines
from envplatform.swe.parsing import parse_or_none

_SLOT = "__dollar_slot{}_"
_SLOTS = re.compile(rb"__dollar_slot(\d+)_")
_BLOCK_SLOT = re.compile(rb"([ ]*)__dollar_slot(\d+)_")
_INDENT = b"    "
"""One level as `ast.unparse` prints it."""
_WORD = re.compile(rb"[\w\"']")
_CLOSED = (
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.Constant,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
)
"""Need no brackets, wherever they stand; as long as they are on one line."""
_BINDING = (
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Attribute,
    ast.Subscript,
    ast.Await,
    ast.IfExp,
    ast.Starred,
    ast.Call,
    ast.comprehension,
    ast.Lambda,
    ast.NamedExpr,
)
"""What can tear apart an expression inside of it."""


class Unwritable(ValueError):  # noqa: N818  no error: one place that is left out
    """The defective side can't be written at this place."""


def write_expression(
    source: ParsedSource, defective: ast.AST, bound: Mapping[str, Bound], node: ast.expr
) -> bytes:
    """Return the text that takes the place of the expression `node`.

    Raises:
        Unwritable: no text means what it should.
    """
    filling = _Filling(source)
    expected = _filled(defective, bound, filling.whole)
    skeleton = _filled(defective, bound, filling.slot)
    printed = ast.unparse(skeleton).encode()
    enclosed = _is_enclosed(source, node)
    for brackets in (False, True):
        text = filling.fill(printed, brackets=brackets)
        parsed = parse_or_none(b"(" + text + b")" if enclosed else text)
        if parsed and key(parsed.body) == (("[]", ("Expr", key(expected)))):
            break
    else:
        msg = "the text would mean something else"
        raise Unwritable(msg)
    parent = source.parents[node]
    if not enclosed and isinstance(parent, _BINDING) and _is_open(expected, text):
        text = b"(" + text + b")"
    return _spaced(source, source.span(node), text)


def write_statements(
    source: ParsedSource,
    defective: Sequence[ast.AST],
    bound: Mapping[str, Bound],
    span: Span,
) -> bytes:
    """Return the text that takes the place of the statements in `span`.

    Raises:
        Unwritable: no text means what it should, or a text of several lines would move.
    """
    filling = _Filling(source)
    body = [node for node in defective if isinstance(node, ast.stmt)]
    module = ast.Module(body=body, type_ignores=[])
    expected = key(_filled(module, bound, filling.whole))
    skeleton = _filled(module, bound, filling.slot)
    printed = ast.unparse(ast.fix_missing_locations(skeleton)).encode()
    outer = source.data[source.starts[source.line_of(span.start)] : span.start]
    for brackets in (False, True):
        text = filling.fill_lines(printed, outer, brackets=brackets)
        block = b"if 1:\n" + outer + text if outer else text
        parsed = parse_or_none(block)
        if parsed and outer:
            parsed = ast.Module(
                body=getattr(parsed.body[0], "body", []), type_ignores=[]
            )
        if parsed and key(parsed) == expected:
            return text
    msg = "the text would mean something else"
    raise Unwritable(msg)


_Fill = Callable[[Bound], list[ast.AST]]


@dataclass(slots=True)
class _Filling:
    """What stands in each slot."""

    source: ParsedSource
    slots: list[ast.AST | tuple[ast.AST, ...]] = field(default_factory=list)

    def whole(self, value: Bound) -> list[ast.AST]:
        """Return what a metavariable stands for, as it is in the file."""
        if isinstance(value, str):
            return [ast.Name(id=value, ctx=ast.Load())]
        return list(value) if isinstance(value, tuple) else [value]

    def slot(self, value: Bound) -> list[ast.AST]:
        """Return slots for it: one for each argument, one for a run of statements."""
        if isinstance(value, str):
            return self.whole(value)
        if isinstance(value, ast.AST):
            return [self._slot(value)]
        if value and isinstance(value[0], ast.stmt):
            return [ast.Expr(value=self._slot(value))]
        return [
            ast.keyword(arg=item.arg, value=self._slot(item.value))
            if isinstance(item, ast.keyword)
            else self._slot(item)
            for item in value
        ]

    def _slot(self, value: ast.AST | tuple[ast.AST, ...]) -> ast.expr:
        self.slots.append(value)
        return ast.Name(id=_SLOT.format(len(self.slots) - 1), ctx=ast.Load())

    def fill(self, printed: bytes, *, brackets: bool) -> bytes:
        """Put the bytes of the file into the slots of an expression or a line."""

        def turn(match: re.Match[bytes]) -> bytes:
            value = self.slots[int(match.group(1))]
            if isinstance(value, tuple):
                msg = "statements stand in the middle of a line"
                raise Unwritable(msg)
            text = self.source.text(value)
            open_ = not isinstance(value, ast.Starred) and _is_open(value, text)
            return b"(" + text + b")" if brackets and open_ else text

        return _SLOTS.sub(turn, printed)

    def fill_lines(self, printed: bytes, outer: bytes, *, brackets: bool) -> bytes:
        """Put the bytes of the file into statements, with its own line ends and indents."""
        unit = _unit(self.source)
        lines: list[bytes] = []
        for line in printed.split(b"\n"):
            body = line.lstrip(b" ")
            level = (len(line) - len(body)) // len(_INDENT)
            indent = outer + unit * level
            match = _BLOCK_SLOT.fullmatch(line)
            value = self.slots[int(match.group(2))] if match else None
            if isinstance(value, tuple):
                lines.append(indent + _moved(self.source, value, indent))
            else:
                lines.append(indent + self.fill(body, brackets=brackets))
        return _line_end(self.source).join(lines)[len(outer) :]


def _filled(node: ast.AST, bound: Mapping[str, Bound], fill: _Fill) -> ast.AST:
    """Copy a template with everything filled in that a metavariable stands for."""
    name = metavariable(node)
    if name is not None:
        return fill(bound[name])[0]
    parts: dict[str, object] = {}
    for field_name in node._fields:
        value = getattr(node, field_name, None)
        if isinstance(value, list):
            parts[field_name] = _filled_list(value, bound, fill)
        elif isinstance(value, ast.AST):
            parts[field_name] = _filled(value, bound, fill)
        else:
            attribute = name_of(value)
            parts[field_name] = value if attribute is None else bound[attribute]
    return type(node)(**parts)


def _filled_list(
    items: Sequence[object], bound: Mapping[str, Bound], fill: _Fill
) -> list[object]:
    filled: list[object] = []
    for item in items:
        name = run_of(item)
        if name is not None:
            filled += fill(bound[name])
        else:
            filled.append(
                _filled(item, bound, fill) if isinstance(item, ast.AST) else item
            )
    return filled


def _moved(source: ParsedSource, run: Sequence[ast.AST], indent: bytes) -> bytes:
    """Return statements of the file, moved to another indentation."""
    statements = [node for node in run if isinstance(node, ast.stmt)]
    span = block_span(source, statements)
    text = source.data[span.start : span.end]
    if not is_block(source, statements):
        return text
    old = indentation(source, statements[0])
    if old == indent or b"\n" not in text:
        return text
    if any(spans_lines(node) for node in walk(statements)):
        msg = "a text of several lines would move"
        raise Unwritable(msg)
    first, *rest = text.splitlines(keepends=True)
    moved = [
        indent + line[len(old) :] if line.startswith(old) else line for line in rest
    ]
    return first + b"".join(moved)


def _is_open(node: ast.AST, text: bytes) -> bool:
    return not isinstance(node, _CLOSED) or b"\n" in text or b"\r" in text


def _is_enclosed(source: ParsedSource, node: ast.expr) -> bool:
    """Tell whether brackets stand right around the expression, of any kind."""
    span = source.span(node)
    before = source.data[: span.start].rstrip()[-1:]
    after = source.data[span.end : span.end + 200].lstrip()[:1]
    return before in {b"(", b"[", b"{"} and after in {b")", b"]", b"}"}


def _spaced(source: ParsedSource, span: Span, text: bytes) -> bytes:
    """Keep words apart that only a bracket or sign kept apart before."""
    before = source.data[max(span.start - 1, 0) : span.start]
    after = source.data[span.end : span.end + 1]
    if _WORD.match(before) and _WORD.match(text[:1]):
        text = b" " + text
    if _WORD.match(after) and _WORD.match(text[-1:]):
        text += b" "
    return text


def _unit(source: ParsedSource) -> bytes:
    """One level of indentation, as the first block of the file has it."""
    for node in source.tree.body:
        body = getattr(node, "body", None)
        if body and is_block(source, body):
            return indentation(source, body[0]) or _INDENT
    return _INDENT


def _line_end(source: ParsedSource) -> bytes:
    at = source.data.find(b"\n")
    return b"\r\n" if at > 0 and source.data[at - 1 : at] == b"\r" else b"\n"
