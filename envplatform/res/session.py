"""One session in which all evidence of an environment is had by its way back."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envplatform.bundle import Environment
from envplatform.res.told import Exchange, text_of
from envplatform.res.trail import Trail
from envplatform.workspace import Interface
from envplatform.workspace.recovery import Ask, Node, Recovery, RecoveryError, Told


@dataclass(slots=True)
class Session:
    """One session in which all evidence was had: what was asked, and what was answered."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """Root's name to what was recovered."""
    failed: dict[str, str] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    """What was granted, in order."""
    log: str = ""

    @property
    def asked(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Operation and arguments of each request, in order."""
        return [(one.operation, one.arguments) for one in self.exchanges]

    def answers(self) -> dict[str, list[str]]:
        """Return public name to the texts of all answers about it."""
        found: dict[str, list[str]] = {}
        for one in self.exchanges:
            found.setdefault(one.name, []).append(one.answer)
        return found


class _Watched(Recovery):
    """Also keeps what the answers come to, with the request that was the last for it."""

    def __init__(self, entries: Mapping[str, Node], ask: Ask, held: Session) -> None:
        super().__init__(entries, ask)
        self._held = held

    def _value(self, node: Node, scope: Mapping[str, Told], after: int) -> Told:
        first = len(self._held.exchanges)
        told = super()._value(node, scope, after)
        rests_on_answers = isinstance(node, dict) and told.depth > 0
        if rests_on_answers and isinstance(told.value, str) and self._held.exchanges:
            self._held.exchanges[-1].undone.append((first, told.value))
        return told


def session(environment: Environment, trail: Trail, *, without: str = "") -> Session:
    """Have all evidence in a new session, without one name if that is asked."""
    interface, held = Interface(environment, without=without), Session()

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        content, data = interface.request(operation, arguments)
        exchange = Exchange(
            operation=operation,
            arguments=dict(arguments),
            answer=text_of(content, data),
        )
        held.exchanges.append(exchange)
        return content, data

    recovery = _Watched(trail.entries, ask, held)
    for name in trail.wanted:
        try:
            held.contents[name] = recovery.get(name)
        except RecoveryError as error:
            held.failed[name] = str(error)
    log = "\n".join(map(str, interface.broker.log))
    held.log = hashlib.sha256(log.encode("utf-8", "replace")).hexdigest()
    return held
