"""What is known to who was told alone: each secret stands behind what it is needed from."""

from collections.abc import Iterable, Iterator, Mapping

from envplatform.bundle import Dependency, Environment
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.session import Session

_LEAST_SECRET = 6
"""Characters; a shorter one could be tried out, and stands anywhere by chance."""
_KEYED = frozenset({"gate", "lookup", "version"})


def told_elsewhere(
    child: Environment, public: Mapping[str, str], had: Session
) -> Iterator[Diagnostic]:
    """What an edge wants known must stand nowhere but behind the name that it needs.

    Of all edges: a new document may tell what an old one needs. `public`: what is to be
    seen without being told of any name, by name.
    """
    texts = dict(public)
    for name, answers in had.answers().items():
        texts[name] = "\n".join((texts.get(name, ""), *dict.fromkeys(answers)))
    for view in child.views:
        texts[view.name] = f"{texts.get(view.name, '')}\n{view.about}"
    needs = _needs(child)
    everything = "\n".join(texts.values())
    for edge in child.dependencies:
        for secret in _secrets(child, edge, had):
            if _is_of_another(edge, secret, texts, child.dependencies, needs):
                continue
            if len(secret) < _LEAST_SECRET:
                message = f"what it wants from {edge.needs} can be guessed"
                yield Diagnostic(check="necessity", name=edge.view, message=message)
            elif everything.count(secret) > texts.get(edge.needs, "").count(secret):
                yield from _where(edge, secret, texts, needs)


def _needs(child: Environment) -> dict[str, set[str]]:
    needs: dict[str, set[str]] = {}
    for edge in child.dependencies:
        needs.setdefault(edge.view, set()).add(edge.needs)
    return needs


def _is_of_another(
    edge: Dependency,
    secret: str,
    texts: Mapping[str, str],
    edges: Iterable[Dependency],
    needs: Mapping[str, set[str]],
) -> bool:
    """Whether a name wants two things of one kind, and this one is told by the other.

    A gate over a text with foreign identifiers wants its key, and the map of those.
    """
    if secret in texts.get(edge.needs, ""):
        return False
    others = {
        one.needs
        for one in edges
        if (one.view, one.kind) == (edge.view, edge.kind) and one.needs != edge.needs
    }
    return any(
        secret in text and others & {name, *_behind(name, needs)}
        for name, text in texts.items()
        if name != edge.view
    )


def _where(
    edge: Dependency, secret: str, texts: Mapping[str, str], needs: dict[str, set[str]]
) -> Iterator[Diagnostic]:
    for name, text in texts.items():
        # To ask about a name with the secret in it, one has to know the secret.
        if name in {edge.needs, edge.view} or secret in name or secret not in text:
            continue
        if edge.needs not in _behind(name, needs):
            message = (
                f"what it wants from {edge.needs} stands in {name or 'the list'} too"
            )
            yield Diagnostic(check="necessity", name=edge.view, message=message)
            return


def _secrets(child: Environment, edge: Dependency, had: Session) -> list[str]:
    view = next(one for one in child.views if one.name == edge.view)
    if edge.kind == "handle":
        return [] if view.listed else [view.name]
    if edge.kind not in {"key", "version"} or view.kind not in _KEYED:
        return []
    said = [one.arguments for one in had.exchanges if one.name == edge.view]
    return sorted({str(one[edge.kind]) for one in said if edge.kind in one})


def _behind(name: str, needs: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [name]
    while todo:
        further = needs.get(todo.pop(), set()) - found
        found |= further
        todo += further
    return found
