"""A table as rows by position, and a schema that tells what stands where."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft, compact
from envplatform.workspace.recipes import at, get, parsed, plain
from envplatform.workspace.recovery import Node

_DELIMITERS = (",", ";", "\t", "|")
_LEAST_LINES = 3


class ExternalSchemaView(Primitive):
    """Fetch the schema, decode."""

    name = "external_schema_view"
    summary = "a table becomes rows by position, in another order, with a schema apart"

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        del options
        text = draft.text
        end = "\n" if text.endswith("\n") else ""
        lines = text.removesuffix("\n").split("\n")
        delimiter = _delimiter(lines)
        if delimiter is None:
            draft.refuse("it is no table of one delimiter")
        table = [line.split(delimiter) for line in lines]
        order = list(range(len(table[0])))
        draft.random.shuffle(order)
        version = draft.token("version")[:6]
        named = f"{draft.name}.schema-{draft.token('name')[:4]}"
        draft.show(
            named,
            "content",
            draft.hold(
                {
                    STAMP: draft.token(STAMP),
                    "version": version,
                    "columns": table[0],
                    "order": order,
                    "delimiter": delimiter,
                    "end": end,
                },
                "schema",
            ),
            about="Columns of a table: cell number i of a row is of column `order`[i]; "
            "`delimiter` and `end` as in the file.",
        )
        rows = [[row[place] for place in order] for row in table[1:]]
        draft.entry(
            compact({"schema": version, "rows": rows}),
            f"Rows by position; {named} tells what stands where.",
        )
        draft.need(draft.name, named, "schema")
        return {
            "do": "rows",
            "of": at(parsed(plain(draft.name)), "rows"),
            "schema": parsed(get(named)),
        }

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Rows and schema are of one version."""
        del content
        session = opened()
        told = companion(session, binding.name, "schema")
        versions = session.document(told)["version"]
        if session.document(binding.name)["schema"] != versions:
            msg = f"{self.name} of {binding.name}: the schema is of another version"
            raise BundleError(msg)


def _delimiter(lines: list[str]) -> str | None:
    if len(lines) < _LEAST_LINES or any('"' in line for line in lines):
        return None
    for one in _DELIMITERS:
        counts = {line.count(one) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return one
    return None


PRIMITIVE = ExternalSchemaView()
