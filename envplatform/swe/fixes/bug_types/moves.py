"""Edits of whole statements, and those that turn out to be moves."""

import ast
from collections.abc import Sequence

from envplatform.swe.fixes.bug_types.edit import Edit, EditKind, Scope, nodes


def with_moves(edits: Sequence[Edit]) -> Sequence[Edit]:
    """Turn the removal and addition of equal statements into one move.

    Code that only went into a new function or branch, or out of one, has not changed.
    """
    gone: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.kind == "removed" and _moves(edit, edit.before):
            gone.setdefault(ast.dump(edit.before or ast.Pass()), []).append(edit)
    moved: set[int] = set()
    result: list[Edit] = []
    for edit in edits if gone else ():
        if edit.kind != "added" or not _moves(edit, edit.after) or not edit.after:
            continue
        partners = gone.get(ast.dump(edit.after))
        if not partners:
            continue
        partner = partners.pop()
        for tree in (partner.before, edit.after):
            moved |= {id(node) for node in nodes(tree)}
        if partner.share == edit.share == 1 and partner.scope == edit.scope:
            result.append(
                statement_edit("moved", partner.before, edit.after, edit.scope)
            )
    kept = [e for e in edits if not {id(e.before), id(e.after)} & moved]
    return [*kept, *result]


def _moves(edit: Edit, node: ast.AST | None) -> bool:
    """Tell whether a statement says enough to be known again elsewhere."""
    return edit.role == "statement" and isinstance(
        node, ast.If | ast.For | ast.While | ast.With | ast.Assign | ast.Expr | ast.Try
    )


def replace_share(
    edit: Edit, share: float, fresh: frozenset[str] = frozenset()
) -> Edit:
    """Return the same edit with another share, and what the whole fix brings in."""
    return Edit(
        kind=edit.kind,
        role=edit.role,
        before=edit.before,
        after=edit.after,
        parent=edit.parent,
        scope=edit.scope,
        share=share,
        fresh=fresh,
    )


def statement_edit(
    kind: EditKind, before: ast.AST | None, after: ast.AST | None, scope: Scope
) -> Edit:
    """Make the edit of a whole statement."""
    return Edit(kind=kind, role="statement", before=before, after=after, scope=scope)
