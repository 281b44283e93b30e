"""A small plan for the tests of the user."""

import json
from typing import Any

from envplatform.user import Plan, Scene, read_plan

PLAN: dict[str, Any] = {
    "persona": {"name": "Ines", "role": "controller"},
    "goals": ["wants the March figures replaced; zebra-7731"],
    "canaries": ["zebra-7731"],
    "facts": [
        {"id": "rate", "text": "the rate is 1.17", "literals": ["1.17"]},
        {
            "id": "owner",
            "text": "Dana Holt owns the account",
            "literals": ["Dana Holt"],
        },
    ],
    "signals": [
        {
            "id": "replace",
            "when": {"kind": "dispatched", "operation": "read", "name": "march.csv"},
            "message": "I have replaced the table, please read it again.",
            "changes": [{"path": "march.csv", "action": "overwrite", "new": "a\n2\n"}],
        },
        {
            "id": "tell_rate",
            "when": {
                "kind": "all",
                "of": [
                    {"kind": "fired", "signal": "replace"},
                    {"kind": "held", "path": "draft.md", "contains": "EUR"},
                ],
            },
            "message": "One more thing: {rate}.",
        },
    ],
    "most_turns": 6,
}


def plan(**changes: Any) -> Plan:  # noqa: ANN401  JSON
    """Return the plan with other keys."""
    return read_plan(json.dumps({**PLAN, **changes}).encode())


def scene(
    files: dict[str, bytes] | None = None, log: list[dict[str, Any]] | None = None
) -> Scene:
    """Return what a user sees."""
    held = files or {}
    return Scene(turn=1, log=log or [], read=held.get)


def entry(
    operation: str, *, error: str | None = None, **arguments: object
) -> dict[str, Any]:
    """Return one line of the dispatch log."""
    return {"by": "agent", "op": operation, "args": arguments, "error": error}
