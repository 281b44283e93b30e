"""`envplatform trace`: from an environment, checkpoint or asset to its sources."""

from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.find import place_for
from envplatform.cli.lineage import lineage_of
from envplatform.cli.lineage_node import Node
from envplatform.cli.output import Json, answer, clear_errors, say
from envplatform.cli.place import ConfigOption
from envplatform.store import Store

_DIGEST = 12
_LONGEST_FACT = 80


def trace(
    name: Annotated[
        str,
        typer.Argument(
            help="Environment or checkpoint (folder or digest), or ASSET[:PARTITION]."
        ),
    ],
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Follow the lineage of an artefact down to its sources."""
    with clear_errors(as_json=as_json):
        node = lineage_of(Store(place_for(config, name).home), name)
    answer(node, as_json=as_json, show=lambda console: _show(console, node))


def _show(console: Console, node: Node) -> None:
    _draw(console, node, depth=0, seen=set())


def _draw(
    console: Console, node: Node, *, depth: int, seen: set[tuple[str, str | None, str]]
) -> None:
    """One line a node, indented; what was drawn once is not taken apart again."""
    key = (node.name, node.partition, node.digest)
    again = key in seen and bool(node.made_from)
    seen.add(key)
    say(console, f"{'  ' * depth}{_label(node)}{' (as above)' if again else ''}")
    for part in () if again else node.made_from:
        _draw(console, part, depth=depth + 1, seen=seen)


def _label(node: Node) -> str:
    parts = [node.kind, node.name, node.partition or "", node.digest[:_DIGEST]]
    parts += [node.state] if node.state != "outside" else []
    parts += [f"revision {node.revision}"] if node.revision is not None else []
    line = " ".join(part for part in parts if part)
    facts = [f"{name} {_short(fact)}" for name, fact in node.facts.items()]
    more = "; ".join((*facts, *node.notes))
    return f"{line} ({more})" if more else line


def _short(fact: str) -> str:
    lines = fact.splitlines() or [""]
    first = lines[0] if len(lines) == 1 else f"{len(lines)} x, {lines[0]}"
    return first if len(first) <= _LONGEST_FACT else f"{first[:_LONGEST_FACT]}..."
