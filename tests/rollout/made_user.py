"""A served environment with a user inside, for the tests of rollouts and faces."""

import json
from dataclasses import replace
from typing import Any

from envplatform.bundle import Environment, Permissions, Provider, Resource, View
from envplatform.tree import File, tree_digest
from tests.rollout.tiny import tiny_environment

TABLE = b"id,cents\n1,100\n"
REPLACED = "id,cents\n1,250\n"
NAMES = ('it\'s "so"', "two\nlines", "größer/東京 1.txt", "-n", "$(id)")
"""Names that a shell, a line protocol or a path might trip over."""

PLAN: dict[str, Any] = {
    "persona": {"name": "Ines", "role": "controller"},
    "goals": ["wants the second table used; zebra-7731"],
    "canaries": ["zebra-7731"],
    "facts": [{"id": "rate", "text": "the rate is 1.17", "literals": ["1.17"]}],
    "opening": "Good morning.",
    "signals": [
        {
            "id": "replace",
            "when": {"kind": "dispatched", "operation": "read", "name": "table"},
            "message": "I have replaced the table, and {rate}.",
            "changes": [
                {"path": "in/table.csv", "action": "overwrite", "new": REPLACED}
            ],
        }
    ],
}
QUIET: dict[str, Any] = {
    "id": "note",
    "when": {"kind": "dispatched", "operation": "read", "name": "table", "at_least": 2},
    "changes": [{"path": "in/note.txt", "action": "create", "new": "look again"}],
}
VERIFIER = b"""#!/bin/sh
if grep -q 250 /logs/ws/held/in/table.csv; then right=1; else right=0; fi
echo "{\\"reward\\": $right}" > /logs/verifier/reward.json
"""


def user_environment(**plan: Any) -> Environment:  # noqa: ANN401  JSON
    """`table` and everything below `all/`; the user is PLAN with other keys."""
    files = {f"in/{name}": b"x" for name in NAMES} | {"in/table.csv": TABLE}
    tests = {"test.sh": File(VERIFIER, executable=True)}
    tiny = tiny_environment()
    told = json.dumps({**PLAN, **plan}).encode()
    return replace(
        tiny,
        tests=tests,
        core=replace(tiny.core, grader_digest=tree_digest(tests)),
        solution={"solve.sh": File(b"ws read table; ws say hi", executable=True)},
        providers=(Provider(name="files", kind="file"),),
        resources=(
            Resource(
                name="t", kind="content", provider="files", location="in/table.csv"
            ),
            Resource(name="all", kind="content", provider="files", location="in"),
        ),
        views=(
            View(name="table", kind="content", source="t"),
            View(name="all", kind="folder", source="all"),
        ),
        served={path: File(data) for path, data in files.items()},
        user={"plan.json": File(told)},
        permissions=Permissions(
            operations=("list", "read", "write", "delete", "say"),
            writable_names=("table", "all/"),
        ),
    )
