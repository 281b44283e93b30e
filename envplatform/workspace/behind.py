"""What lies behind a name: all that has to be known and read before it can be."""

from collections.abc import Mapping, Sequence

from envplatform.bundle import Dependency, View


def behind(
    name: str, views: Mapping[str, View], edges: Sequence[Dependency]
) -> frozenset[str]:
    """Return the names that are needed for `name`, itself included.

    Declared needs, and what tells of names that no list has. A lower bound: where a name
    stands in a text that is shown otherwise, what that takes is not followed.
    """
    found, todo = {name}, [name]
    while todo:
        at = todo.pop()
        needed = {edge.needs for edge in edges if edge.view == at}
        further = (needed | _telling(at, views, edges)) - found
        found |= further
        todo += further
    return frozenset(found)


def _telling(
    name: str, views: Mapping[str, View], edges: Sequence[Dependency]
) -> frozenset[str]:
    """Return what tells of a name that no list has, beside what is declared.

    The account of another one does: `vault/a.codec-1` is known to who knows `vault/a`.
    """
    if name in views and views[name].listed:
        return frozenset()
    owners = {one for one in views if name.startswith(f"{one}.")}
    return frozenset(
        edge.needs
        for edge in edges
        if edge.view in owners and not views[edge.view].listed and edge.kind == "handle"
    )
