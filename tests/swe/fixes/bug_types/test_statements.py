"""Which statements changed: moves, wraps, and code that only went elsewhere."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.source import Source, source_of
from envplatform.swe.fixes.bug_types.statements import Comparison


def _source(text: str) -> Source:
    return source_of(text.encode(), ast.parse(text))


def _edits(buggy: str, fixed: str) -> list[Edit]:
    return list(Comparison(_source(buggy), _source(fixed)).edits())


def _shown(buggy: str, fixed: str) -> list[tuple[str, str]]:
    return [
        (edit.kind, ast.unparse(edit.after or edit.before or ast.Pass()))
        for edit in _edits(buggy, fixed)
    ]


def test_a_check_that_leaves_a_loop_is_a_move() -> None:
    buggy = "def f():\n    while a:\n        b()\n        if c:\n            d(e)\n    g()\n"
    fixed = "def f():\n    while a:\n        b()\n    if c:\n        d(e)\n    g()\n"
    assert _shown(buggy, fixed) == [("moved", "if c:\n    d(e)")]


def test_code_that_went_into_a_new_function_has_not_changed() -> None:
    buggy = "def f(a):\n    b = a.first(1)\n    c = b.second(2)\n    return c\n"
    fixed = (
        "def h(a):\n    b = a.first(1)\n    c = b.second(2)\n    return c\n\n"
        "def f(a):\n    return h(a)\n"
    )
    kinds = [kind for kind, text in _shown(buggy, fixed) if "second" in text]
    assert kinds == ["added"]  # the new function as a whole, not its statements


def test_wrapped_code_is_compared_inside() -> None:
    edits = _edits("f(x, 1)\n", "if x:\n    f(x, 2)\n")
    assert [edit.kind for edit in edits] == ["wrapped", "changed"]


def test_each_wrapper_takes_one_statement() -> None:
    edits = _edits(
        "start(a, p.out)\nstart(a, p.err)\n",
        "if p.out:\n    start(a, p.out)\nif p.err:\n    start(a, p.err)\n",
    )
    assert [edit.kind for edit in edits] == ["wrapped", "wrapped"]


def test_indentation_that_changes_the_meaning_is_seen() -> None:
    edits = _edits(
        "for a in b:\n    if a:\n        c()\n        d()\n",
        "for a in b:\n    if a:\n        c()\n    d()\n",
    )
    assert edits


def test_properties_are_paired_with_their_own_setters() -> None:
    text = (
        "class A:\n    @property\n    def x(self):\n        return self._x\n"
        "    @x.setter\n    def x(self, value):\n        self._x = {}\n"
    )
    assert _shown(text.format("value"), text.format("int(value)")) == [
        ("changed", "int(value)")
    ]
