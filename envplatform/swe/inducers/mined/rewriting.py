"""From a match to edits of bytes: the defective side, filled in.

As little as possible is written anew. Where both sides have the same shape, only the
parts that differ are replaced; what a metavariable stands for keeps its own bytes.
What is written is parsed again and has to mean what the pattern says.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.swe.inducers.mined.fragments import (
    Unwritable,
    write_expression,
    write_statements,
)
from envplatform.swe.inducers.mined.matching import Bound, aligned, run_of
from envplatform.swe.inducers.mined.metavariables import metavariable
from envplatform.swe.inducers.mined.template import Template
from envplatform.swe.inducers.mined.trees import fields_of, key
from envplatform.swe.inducers.mutation.edits import (
    Edit,
    block_span,
    drop_statement,
    find_token,
    is_block,
    operator_between,
    whole_lines,
)
from envplatform.swe.inducers.mutation.source import ParsedSource, Span

_COMPARISONS: Mapping[type[ast.AST], tuple[bytes, bytes]] = {  # pattern, as written
    ast.Eq: (rb"==", b"=="),
    ast.NotEq: (rb"!=", b"!="),
    ast.Lt: (rb"<(?!=)", b"<"),
    ast.LtE: (rb"<=", b"<="),
    ast.Gt: (rb">(?!=)", b">"),
    ast.GtE: (rb">=", b">="),
    ast.Is: (rb"\bis\b(?!\s+not\b)", b"is"),
    ast.IsNot: (rb"\bis\s+not\b", b"is not"),
    ast.In: (rb"\bin\b", b"in"),
    ast.NotIn: (rb"\bnot\s+in\b", b"not in"),
    ast.And: (rb"\band\b", b"and"),
    ast.Or: (rb"\bor\b", b"or"),
}
_Part = ast.expr | ast.ExceptHandler | ast.withitem | ast.comprehension


@dataclass(frozen=True, slots=True)
class Rewriting:
    """One match in one file."""

    source: ParsedSource
    bound: Mapping[str, Bound]

    def edits(self, template: Template, nodes: Sequence[ast.AST]) -> tuple[Edit, ...]:
        """Return the edits that turn `nodes` into the defective side.

        Raises:
            Unwritable: that can't be done without touching other code.
        """
        if template.level == "expression":
            return self._between(template.correct[0], template.defective[0], nodes[0])
        return self._statements(template.correct, template.defective, nodes)

    def _statements(
        self,
        correct: Sequence[ast.AST],
        defective: Sequence[ast.AST],
        nodes: Sequence[ast.AST],
    ) -> tuple[Edit, ...]:
        if len(correct) == len(defective) and all(
            type(one) is type(other) and not metavariable(other)
            for one, other in zip(correct, defective, strict=True)
        ):
            triples = zip(correct, defective, nodes, strict=True)
            return tuple(edit for each in triples for edit in self._between(*each))
        statements = [node for node in nodes if isinstance(node, ast.stmt)]
        if any(self.source.text(node).startswith(b"elif") for node in statements):
            msg = "an elif is no statement of its own"
            raise Unwritable(msg)
        if not defective:
            return self._deleted(statements)
        if not is_block(self.source, statements):
            msg = "the statements share a line with others"
            raise Unwritable(msg)
        span = block_span(self.source, statements)
        return (Edit(span, write_statements(self.source, defective, self.bound, span)),)

    def _deleted(self, statements: Sequence[ast.stmt]) -> tuple[Edit, ...]:
        if len(statements) == 1:
            return drop_statement(self.source, statements[0])
        if not is_block(self.source, statements):
            msg = "the statements share a line with others"
            raise Unwritable(msg)
        block = self._block_of(statements[0])
        if len(block) == len(statements):
            return (Edit(block_span(self.source, statements), b"pass"),)
        return (
            Edit(whole_lines(self.source, block_span(self.source, statements)), b""),
        )

    def _block_of(self, statement: ast.stmt) -> Sequence[object]:
        for _, value in ast.iter_fields(self.source.parents[statement]):
            if isinstance(value, list) and statement in value:
                return value
        return ()

    def _between(
        self, correct: ast.AST, defective: ast.AST, node: ast.AST
    ) -> tuple[Edit, ...]:
        """Edit what differs between two sides of one shape; else write all anew."""
        if key(correct) == key(defective):
            return ()
        kinds = {type(correct), type(defective), type(node)}  # `$a` may be anything
        if len(kinds) > 1 or metavariable(defective):
            return self._anew(defective, node)
        shorter = self._operator(correct, defective, node) or self._cut(
            correct, defective, node
        )
        if shorter is not None:
            return shorter
        found: list[Edit] = []
        for name, one in fields_of(correct):
            other, value = getattr(defective, name), getattr(node, name)
            edits = self._field(one, other, value)
            if edits is None:
                return self._anew(defective, node)
            found += edits
        return tuple(found)

    def _field(
        self, correct: object, defective: object, value: object
    ) -> tuple[Edit, ...] | None:
        """Edit one field; None if it can't be edited on its own."""
        if key(correct) == key(defective):
            return ()
        try:
            match correct, defective, value:
                case list(), list(), list():
                    return self._items(correct, defective, value)
                case ast.AST(), ast.AST(), ast.AST() if isinstance(value, _Part):
                    return self._between(correct, defective, value)
        except Unwritable:  # what is around it may be written
            return None
        return None

    def _items(
        self, correct: list[object], defective: list[object], values: list[object]
    ) -> tuple[Edit, ...] | None:
        parts = aligned(correct, values)
        if parts is None or len(correct) != len(defective):
            return None
        if all(isinstance(item, ast.stmt) for item in (*correct, *defective)):
            return self._block(correct, defective, values)
        found: list[Edit] = []
        for (one, nodes), other in zip(parts, defective, strict=True):
            if key(one) == key(other):
                continue
            edits = self._item(one, other, nodes, values)
            if edits is None:
                return None
            found += edits
        return tuple(found)

    def _item(
        self,
        correct: object,
        defective: object,
        nodes: Sequence[object],
        values: Sequence[object],
    ) -> tuple[Edit, ...] | None:
        """Edit one entry of a list; a keyword is found by its name."""
        match correct, defective:
            case ast.keyword(arg=str(name)), ast.keyword(arg=other) if name == other:
                for value in values:
                    if isinstance(value, ast.keyword) and value.arg == name:
                        return self._field(correct.value, defective.value, value.value)
                return None
            case ast.keyword(), _:
                return None
        if run_of(correct) or run_of(defective) or len(nodes) != 1:
            return None
        return self._field(correct, defective, nodes[0])

    def _block(
        self, correct: list[object], defective: list[object], values: list[object]
    ) -> tuple[Edit, ...] | None:
        """Edit the one statement of a block that differs."""
        parts = aligned(correct, values)
        if parts is None:
            return None
        found: list[Edit] = []
        for (one, nodes), other in zip(parts, defective, strict=True):
            if key(one) == key(other):
                continue
            statements = [node for node in nodes if isinstance(node, ast.stmt)]
            if not isinstance(one, ast.stmt) or not isinstance(other, ast.stmt):
                return None
            found += self._statements([one], [other], statements)
        return tuple(found)

    def _operator(
        self, correct: ast.AST, defective: ast.AST, node: ast.AST
    ) -> tuple[Edit, ...] | None:
        """Exchange the token of a comparison or of `and` and `or`, and nothing else."""
        match correct, defective, node:
            case (
                ast.Compare(ops=[one]),
                ast.Compare(ops=[other]),
                ast.Compare(left=left, comparators=[right]),
            ) if key([correct.left, *correct.comparators]) == key(
                [defective.left, *defective.comparators]
            ):
                return self._token(one, other, left, right)
            case (
                ast.BoolOp(op=one, values=[_, _]),
                ast.BoolOp(op=other, values=[_, _]),
                ast.BoolOp(values=[left, right]),
            ) if key(correct.values) == key(defective.values):
                return self._token(one, other, left, right)
        return None

    def _token(
        self, one: ast.AST, other: ast.AST, left: ast.AST, right: ast.AST
    ) -> tuple[Edit, ...] | None:
        if key(one) == key(other):
            return None
        span = operator_between(self.source, left, right, _COMPARISONS[type(one)][0])
        return (Edit(span, _COMPARISONS[type(other)][1]),) if span else None

    def _cut(
        self, correct: ast.AST, defective: ast.AST, node: ast.AST
    ) -> tuple[Edit, ...] | None:
        """Take one argument out of a call, with its comma."""
        match correct, defective, node:
            case ast.Call(), ast.Call(), ast.Call():
                pass
            case _:
                return None
        if key(correct.func) != key(defective.func):
            return None
        before = [*correct.args, *correct.keywords]
        after = [*defective.args, *defective.keywords]
        left = {key(item) for item in after}
        gone = [item for item in before if key(item) not in left]
        kept = [item for item in before if key(item) in left]
        if len(gone) != 1 or key(kept) != key(after):
            return None
        return self._without(node, self._argument(correct, gone[0], node))

    def _argument(
        self, correct: ast.Call, gone: ast.AST, node: ast.Call
    ) -> ast.AST | None:
        if isinstance(gone, ast.keyword):
            return next((item for item in node.keywords if item.arg == gone.arg), None)
        for one, nodes in aligned(correct.args, node.args) or ():
            if one is gone and len(nodes) == 1 and isinstance(nodes[0], ast.AST):
                return nodes[0]
        return None

    def _without(self, node: ast.Call, gone: ast.AST | None) -> tuple[Edit, ...] | None:
        items: list[ast.AST] = [*node.args, *node.keywords]
        items.sort(key=lambda item: self.source.span(item).start)
        if gone not in items:
            return None
        at = items.index(gone)
        if len(items) == 1:
            start = self.source.span(node.func).end
            opening = find_token(self.source, start, self.source.span(node).end, rb"\(")
            if opening is None:
                return None
            span = Span(opening.end, self.source.span(node).end - 1)
        elif at + 1 < len(items):
            following = self.source.span(items[at + 1])
            span = Span(self.source.span(gone).start, following.start)
        else:
            previous = self.source.span(items[at - 1])
            span = Span(previous.end, self.source.span(gone).end)
        cut = self.source.data[span.start : span.end]
        # A parenthesis may belong to the neighbour, a comment to anything.
        simple = b"#" not in cut and cut.count(b"(") == cut.count(b")")
        return (Edit(span, b""),) if simple else None

    def _anew(self, defective: ast.AST, node: ast.AST) -> tuple[Edit, ...]:
        span = self.source.span(node)
        if isinstance(node, ast.stmt):
            if not is_block(self.source, [node]):
                msg = "the statement shares a line with others"
                raise Unwritable(msg)
            if self.source.text(node).startswith(b"elif"):
                msg = "an elif is no statement of its own"
                raise Unwritable(msg)
            span = block_span(self.source, [node])
            text = write_statements(self.source, [defective], self.bound, span)
            return (Edit(span, text),)
        if not isinstance(node, ast.expr):
            msg = "neither an expression nor a statement"
            raise Unwritable(msg)
        return (Edit(span, write_expression(self.source, defective, self.bound, node)),)
