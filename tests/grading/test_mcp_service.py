"""An environment with a service that speaks MCP, in real sandboxes."""

import json
from dataclasses import replace
from pathlib import Path

from envplatform.bundle import Environment, Permissions, Provider, Resource, View
from envplatform.grading import run_gate
from envplatform.grading.sessions import image_reference, open_environment
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File
from tests.bundle.sample import sample_environment

SERVER = Path(__file__).parents[1] / "ws" / "mcp_servers.py"
SOLVE = b"""\
#!/bin/sh
set -e
ws call desk POST /tools/add --body '{"n": 4}' > /dev/null
"""
GRADE = b"""\
#!/bin/sh
if [ "$(cat /logs/ws/held/state.json)" = "[4]" ]; then right=1; else right=0; fi
echo "{\\"reward\\": $right}" > /logs/verifier/reward.json
"""


def _desk(image: Image) -> Environment:
    """One whose agent has to tell a server a number, which it keeps in a declared file."""
    options = {"speaks": "mcp", "command": ["python3", "-B", "server.py", "honest"]}
    return replace(
        sample_environment(
            tests={"test.sh": File(GRADE, executable=True)},
            solution={"solve.sh": File(SOLVE, executable=True)},
        ),
        image=image_reference(image),
        providers=(Provider(name="desk", kind="http"),),
        resources=(
            Resource(name="kept", kind="state", provider="desk", location="state.json"),
        ),
        views=(View(name="desk", kind="service", source="kept", options=options),),
        served={"server.py": File(SERVER.read_bytes()), "state.json": File(b"[]")},
        permissions=Permissions(operations=("list", "call")),
    )


async def test_the_grader_has_the_server_s_state(
    provider: SandboxProvider, bare_image: Image
) -> None:
    audit = {
        one.name: one
        for one in await run_gate(provider, _desk(bare_image), image=bare_image)
    }
    for name in ("oracle_max", "nop_floor", "determinism"):
        assert audit[name].status == "passed", audit[name]


async def test_the_agent_has_the_tools_and_not_the_server(
    provider: SandboxProvider, bare_image: Image
) -> None:
    asked = (
        "ls /workspace; ws read server.py; ws read state.json; echo --; "
        "ws call desk GET /tools"
    )
    async with open_environment(
        provider, _desk(bare_image), image=bare_image
    ) as opened:
        said = await opened.sandbox.exec(["sh", "-c", asked])
        final = await opened.final()
    files, _, listed = said.stdout.decode().partition("--\n")
    assert [one["name"] for one in json.loads(listed)["body"]] == ["add", "total"]
    assert files.split() == ["answer.txt", "bin"]
    assert said.stderr.decode().count("ws: refused: read is not permitted") == 2
    assert final.served is not None
    assert json.loads(final.served.held["state.json"].data) == []
