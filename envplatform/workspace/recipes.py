"""Expressions of the public way back, as lenses write them; `recovery` tells what each does."""

from typing import Any

from envplatform.workspace.recovery import Node


def plain(name: str) -> Node:
    """What is read plainly at `name`; the one place that a later lens may take."""
    return {"do": "plain", "name": name}


def get(name: Node) -> Node:
    """The content that a name stands for, whatever it takes to have it."""
    return {"do": "get", "name": name}


def read(name: Node, **given: Node) -> Node:
    """The answer to one `read`, with what it wants passed."""
    return {"do": "read", "name": name, **given}


def parsed(of: Node) -> Node:
    """A text as JSON."""
    return {"do": "json", "of": of}


def at(of: Node, *path: Node) -> Node:
    """A part of a JSON value."""
    return {"do": "at", "of": of, "path": list(path)}


def var(name: str) -> Node:
    """A variable of `let`, `each` or `substitute`."""
    return {"do": "var", "name": name}


def let(name: str, be: Node, then: Node) -> Node:
    """`then`, with a variable."""
    return {"do": "let", "as": name, "be": be, "then": then}


def each(name: str, values: Node, then: Node) -> Node:
    """The list of `then` for each of `values`."""
    return {"do": "each", "as": name, "in": values, "then": then}


def joined(of: Node) -> Node:
    """One text of a list of texts."""
    return {"do": "join", "of": of}


def substituted(of: Node, pattern: str, name: str, then: Node) -> Node:
    """A text with each match of `pattern` replaced."""
    return {
        "do": "substitute",
        "of": of,
        "pattern": pattern,
        "as": name,
        "then": then,
    }


def job(name: Node, **after: Node) -> Node:
    """The id of a finished job of `name`."""
    return {"do": "job", "name": name, "after": after}


def chosen(of: Node, where: dict[str, Node], by: str | None = None) -> Node:
    """The one object of a list that fits, the greatest by `by`."""
    return {"do": "choose", "of": of, "where": where, "by": by}


def replaced(node: Node, name: str, recipe: Node) -> Node:
    """Return `node` with what is read plainly at `name` had by `recipe` instead."""
    if node == plain(name):
        return recipe
    if isinstance(node, dict):
        return {key: replaced(value, name, recipe) for key, value in node.items()}
    if isinstance(node, list):
        return [replaced(value, name, recipe) for value in node]
    return node


def size(node: Any) -> int:  # noqa: ANN401  JSON
    """Count the expressions in a node."""
    if isinstance(node, dict):
        return ("do" in node) + sum(size(value) for value in node.values())
    return sum(size(value) for value in node) if isinstance(node, list) else 0
