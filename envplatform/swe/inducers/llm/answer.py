"""Read a model's answer: one function, alone, of the same name and signature.

Whatever does not come as asked has a named fault. Nothing is executed; nothing is
guessed. Line numbers here count from 1 within the answer's code.
"""

import ast
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.llm.chat import FinishReason
from envplatform.swe.inducers.llm.entities import Entity
from envplatform.swe.inducers.llm.fault import Fault
from envplatform.swe.inducers.mutation.source import Function, first_statement
from envplatform.swe.parsing import parse_python

MAX_CHARACTERS = 100_000
_SPARE_LINES = 60
_GROWTH = 3
"""An answer may have this many times the function's lines, and some to spare."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w+.-]*)[ \t]*")
_DIFF = re.compile(r"(?m)^(?:@@ -\d+|diff --git |--- a/|\+\+\+ b/)")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A function's body as a model wrote it."""

    lines: tuple[str, ...]
    """From the first statement after the docstring; no line ends."""
    in_string: frozenset[int]
    """Indexes, from 0, of lines that begin inside a string: their blanks are its own."""
    outer: str
    """What `def` is indented by."""
    indent: str
    """What the body is indented by."""
    statements: tuple[ast.stmt, ...]


def read_answer(
    text: str,
    finish: FinishReason,
    entity: Entity,
    *,
    known: frozenset[str],
    comments: frozenset[str],
) -> Body | Fault:
    """Take the function's body out of an answer.

    Args:
        text: the whole answer.
        finish: why the model ended it.
        entity: the function that was asked about.
        known: characters that may occur although they are invisible.
        comments: comments that may stay; others would point at the defect.
    """
    code = _code(text.replace("\r\n", "\n").replace("\r", "\n"), finish)
    if isinstance(code, Fault):
        return code
    limit = _GROWTH * (entity.node.end_lineno or 0) - _GROWTH * entity.node.lineno
    if code.count("\n") > limit + _SPARE_LINES:
        return Fault("too_long")
    if any(is_hidden(sign) and sign not in known for sign in code):
        return Fault("hidden_characters")
    node = _function(code)
    if isinstance(node, Fault):
        return node
    return _difference(node, entity) or _body(code, node, comments)


def _code(text: str, finish: FinishReason) -> str | Fault:
    """Return the one fenced block; text without a fence counts if it is a function."""
    fault = _misfit(text, finish)
    if fault is not None:
        return fault
    blocks = list(_blocks(text))
    if None in blocks:
        return Fault("unterminated_fence")
    if _DIFF.search(text):
        return Fault("is_a_diff")
    if not blocks and isinstance(_function(text), Function):
        return text
    if len(blocks) > 1:
        return Fault("several_blocks")
    return (blocks[0] if blocks else None) or Fault("no_code")


def _misfit(text: str, finish: FinishReason) -> Fault | None:
    """Say what is wrong with an answer before it is read."""
    if finish == "content_filter" or not text.strip():
        return Fault("no_answer")
    if len(text) > MAX_CHARACTERS:
        return Fault("too_long")
    return Fault("cut_off") if finish == "length" else None


def _blocks(text: str) -> Iterator[str | None]:
    """Yield what stands in each fence; None for one that is never closed."""
    fence, inside = "", list[str]()
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line)
        if not fence:
            fence, inside = (match[1], []) if match else ("", [])
        elif match and not match[2] and match[1].startswith(fence):
            yield "\n".join(inside)
            fence = ""
        else:
            inside.append(line)
    if fence:
        yield None


def is_hidden(sign: str) -> bool:
    """Whether a character is a control, or one that no editor shows."""
    return sign not in "\n\t" and unicodedata.category(sign) in _HIDDEN


def _function(code: str) -> Function | Fault:
    """Parse code that is one function, indented or not; positions are the code's own."""
    indented = code.lstrip("\n")[:1] in {" ", "\t"}
    try:
        tree = parse_python(f"if 1:\n{code}" if indented else f"\n{code}")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        at = f"line {line - 1}" if isinstance(line, int) and line > 1 else ""
        return Fault("not_python", at)
    except (RecursionError, MemoryError):
        return Fault("too_deep")
    body = tree.body
    if indented:
        whole = body[0]
        alone = len(body) == 1 and isinstance(whole, ast.If) and not whole.orelse
        body = whole.body if alone and isinstance(whole, ast.If) else []
    if len(body) != 1 or not isinstance(body[0], Function):
        return Fault("not_the_function")
    return body[0]


def _difference(node: Function, entity: Entity) -> Fault | None:
    healthy = entity.node
    if node.name != healthy.name:
        return Fault("other_name", f"it is {healthy.name}")
    if _signature(node) != _signature(healthy):
        return Fault("other_signature")
    return None


def _signature(node: Function) -> tuple[object, ...]:
    parts: list[ast.AST] = [node.args, *node.decorator_list]
    parts += [node.returns] if node.returns else []
    parts += getattr(node, "type_params", [])
    return (type(node), *(ast.dump(part) for part in parts))


def _body(code: str, node: Function, comments: frozenset[str]) -> Body | Fault:
    """Cut the body out; `node` was parsed with one line before the code."""
    statements = node.body[first_statement(node.body) :]
    if not statements:
        return Fault("no_body")
    first = statements[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    begin = min([first.lineno, *(each.lineno for each in decorators)]) - 1
    lines = code.split("\n")[begin - 1 : (node.end_lineno or 0) - 1]
    indent = _blanks(lines[0])
    own_line = first.col_offset == len(indent.encode()) or bool(decorators)
    if not own_line or not indent:
        return Fault("unwritable")
    try:
        strings, kept = _tokens("\n".join(lines), comments)
    except (tokenize.TokenError, SyntaxError):
        return Fault("unwritable")
    left = [index for index, line in enumerate(kept) if line is not None]
    outer = _blanks(code.split("\n")[node.lineno - 2])
    return Body(
        lines=tuple(kept[index] or "" for index in left),
        in_string=frozenset(
            number for number, index in enumerate(left) if index in strings
        ),
        outer=outer,
        indent=indent,
        statements=tuple(statements),
    )


def _blanks(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _tokens(
    code: str, comments: frozenset[str]
) -> tuple[frozenset[int], list[str | None]]:
    """Find lines that begin in a string; take comments away that are not known.

    Returns indexes of lines, from 0, and the lines, None for those that are gone.
    """
    lines: list[str | None] = list(code.split("\n"))
    strings: set[int] = set()
    opened: list[int] = []
    wrapped = f"if 1:\n{code}\n"
    for token in tokenize.generate_tokens(io.StringIO(wrapped).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            strings.update(range(token.start[0] - 1, token.end[0] - 1))
        elif kind == "FSTRING_START":  # from Python 3.12 on
            opened.append(token.start[0])
        elif kind == "FSTRING_END":
            strings.update(range(opened.pop() - 1, token.end[0] - 1))
        elif kind == "COMMENT" and token.string not in comments:
            index, column = token.start[0] - 2, token.start[1]
            line = (lines[index] or "")[:column].rstrip()
            lines[index] = line or None
    return frozenset(strings), lines
