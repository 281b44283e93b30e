"""Numbers in another base, unit and offset, and a note that tells which."""

import re
from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import get, parsed, plain
from envplatform.workspace.recovery import Node, decode_numbers

_NUMBER = re.compile(r"(?<![0-9A-Za-z])(?:0|[1-9][0-9]{0,17})(?![0-9A-Za-z])")
_MARKS = "~^`!$%&"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class NumericReencoding(Primitive):
    """The inverse that the note tells."""

    name = "numeric_reencoding"
    summary = "whole numbers in a text are written in another base, unit and offset"

    def options(self) -> tuple[str, ...]:
        """`base`: from 2 to 36."""
        return ("base",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        base = whole(draft, options, "base", 2, 36)
        mark = next((one for one in _MARKS if one not in draft.text), None)
        if mark is None or not _NUMBER.search(draft.text):
            draft.refuse("there is no number, or no mark to set one apart")
        times, plus = draft.random.randint(2, 9), draft.random.randint(1, 997)
        text = _NUMBER.sub(
            lambda one: f"{mark}{_written(int(one[0]) * times + plus, base)}{mark}",
            draft.text,
        )
        note = {"mark": mark, "base": base, "times": times, "plus": plus}
        named = f"{draft.name}.codec-{draft.token('name')[:4]}"
        draft.show(
            named,
            "content",
            draft.hold({STAMP: draft.token(STAMP), **note}, "schema"),
            about="How numbers are written: between two marks, in that base, "
            "the number times `times` plus `plus`.",
        )
        draft.entry(text, f"Numbers are written as {named} tells.")
        draft.need(draft.name, named, "schema")
        return {"do": "numbers", "of": plain(draft.name), "note": parsed(get(named))}

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Exact both ways, and nothing is readable without the note."""
        session = opened()
        told = companion(session, binding.name, "codec")
        text = session.read(binding.name).decode("utf-8")
        note = session.document(told)
        if decode_numbers(text, note).encode() != content:
            msg = f"{self.name} of {binding.name}: numbers do not come back"
            raise BundleError(msg)
        if (
            decode_numbers(text, {**note, "plus": note["plus"] + 7 * note["times"]})
            == text
        ):
            msg = f"{self.name} of {binding.name}: the note makes no difference"
            raise BundleError(msg)


def _written(number: int, base: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, base)
        digits = _DIGITS[rest] + digits
    return digits


PRIMITIVE = NumericReencoding()
