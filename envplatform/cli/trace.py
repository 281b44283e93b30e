"""`envplatform trace`: lineage from an environment or asset down to its sources."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from envplatform.cli.find import place_for
from envplatform.cli.lineage import Node, lineage_of
from envplatform.cli.output import Json, answer, clear_errors, harmless
from envplatform.cli.place import ConfigOption
from envplatform.store import Store

_DIGEST = 12
_LONGEST_FACT = 80


def trace(
    name: Annotated[
        str,
        typer.Argument(
            help="Environment (folder, id or digest), or ASSET[:PARTITION]."
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
    tree = Tree(_label(node))
    _grow(tree, node, seen=set())
    console.print(tree, soft_wrap=True)


def _grow(tree: Tree, node: Node, *, seen: set[tuple[str, str | None, str]]) -> None:
    """Add what `node` was made from; what was shown once is not taken apart again."""
    for part in node.made_from:
        key = (part.name, part.partition, part.digest)
        label = _label(part)
        if key in seen and part.made_from:
            tree.add(label.append(" (as above)"))
        else:
            _grow(tree.add(label), part, seen=seen)
        seen.add(key)


def _label(node: Node) -> Text:
    parts = [node.kind, node.name, node.partition or "", node.digest[:_DIGEST]]
    parts += [node.state] if node.state != "outside" else []
    parts += [f"revision {node.revision}"] if node.revision is not None else []
    line = " ".join(part for part in parts if part)
    facts = [f"{name} {_short(fact)}" for name, fact in node.facts.items()]
    more = "; ".join((*facts, *node.notes))
    return Text(harmless(f"{line} ({more})" if more else line))


def _short(fact: str) -> str:
    lines = fact.splitlines() or [""]
    first = lines[0] if len(lines) == 1 else f"{len(lines)} x, {lines[0]}"
    return first if len(first) <= _LONGEST_FACT else f"{first[:_LONGEST_FACT]}..."
