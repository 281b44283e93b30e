"""Agent, broker and user in three sandboxes: what each can reach, and what it can't."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from envplatform.bundle import (
    Environment,
    ImageReference,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.errors import BundleError, SandboxError
from envplatform.grading import run_gate
from envplatform.grading.broker import Broker, open_broker
from envplatform.sandbox.base import Image, Limits, Sandbox, SandboxProvider
from envplatform.tree import File
from tests.bundle.sample import sample_environment

LEDGER = b"id,cents\n1,100\n"


def environment_with(*views: View) -> Environment:
    return replace(
        sample_environment(),
        providers=(Provider(name="files", kind="file"),),
        resources=(
            Resource(
                name="ledger",
                kind="content",
                provider="files",
                location="in/ledger.csv",
            ),
        ),
        views=views
        or (
            View(name="ledger.csv", kind="content", source="ledger"),
            View(
                name="export",
                kind="job",
                source="ledger",
                options={"polls": 1, "salt": "x"},
            ),
        ),
        served={"in/ledger.csv": File(LEDGER)},
        permissions=Permissions(
            operations=("list", "read", "act", "write"), writable_names=("ledger.csv",)
        ),
    )


@pytest.fixture
async def broker(provider: SandboxProvider, bare_image: Image) -> AsyncIterator[Broker]:
    environment = environment_with()
    async with open_broker(
        provider, environment, image=bare_image, limits=Limits()
    ) as opened:
        yield opened


@pytest.fixture
async def agent(
    provider: SandboxProvider, broker: Broker, bare_image: Image
) -> AsyncIterator[Sandbox]:
    async with provider.open(bare_image, doors=[broker.door]) as opened:
        yield opened


async def shell(sandbox: Sandbox, line: str) -> str:
    result = await sandbox.exec(["bash", "-c", line])
    return (result.stdout + result.stderr).decode()


async def test_a_session_is_served_logged_and_taken_home(
    broker: Broker, agent: Sandbox
) -> None:
    await shell(agent, "echo 'raise SystemExit(9)' > json.py; mkdir ws")
    assert (await shell(agent, "ws read ledger.csv")).encode() == LEDGER
    job = json.loads(await shell(agent, "ws act export create"))["job"]
    await shell(agent, "echo new | ws write ledger.csv -")
    change = {"path": "in/ledger.csv", "action": "append", "new": "2,200\n"}
    assert (await broker.control("patch", {"changes": [change]})).ok
    assert await shell(agent, "ws read ledger.csv") == "new\n2,200\n"
    assert len(await broker.log()) == 5
    served = await broker.finish()
    assert served.held == {"in/ledger.csv": File(b"new\n2,200\n")}
    log = [json.loads(line) for line in served.log.splitlines()]
    assert [(one["by"], one["op"]) for one in log] == [
        ("agent", "read"),
        ("agent", "act"),
        ("agent", "write"),
        ("user", "patch"),
        ("agent", "read"),
    ]
    assert json.loads(served.state) == {"export": {"jobs": {job: 0}}}


ATTACKS = [
    "cat /run/ctl/control.sock; ls /run/ctl",
    "ws --socket /run/ctl/control.sock lines < /dev/null",
    "rm -f /run/ws/agent.sock",
    "mv /run/ws/agent.sock /run/ws/x",
    "echo '#!/bin/sh' > /run/ws/bin/ws",
    "rm -r /run/ws/lib",
    "cat /logs/ws/dispatch.jsonl",
    "ls /home/agent/env.json",
]


async def test_the_agent_reaches_neither_control_nor_log_nor_what_it_is_served_by(
    broker: Broker, agent: Sandbox
) -> None:
    forged = '{"by":"agent","op":"read","args":{"name":"all"},"error":null}'
    for line in ATTACKS:
        result = await agent.exec(["bash", "-c", line])
        assert result.exit_code != 0, (line, result.stdout)
    await shell(agent, f"mkdir -p /logs/ws; echo '{forged}' > /logs/ws/dispatch.jsonl")
    assert (await shell(agent, "ws read ledger.csv")).encode() == LEDGER
    log = (await broker.finish()).log.splitlines()
    assert [json.loads(line)["op"] for line in log] == ["read"]


async def test_a_broker_that_was_killed_is_an_infrastructure_error(
    broker: Broker,
) -> None:
    await broker.stop()
    with pytest.raises(SandboxError, match="broker"):
        await broker.control("state", {})


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        (View(name="g", kind="gate", source="ledger"), "option key_sha256 is missing"),
        (
            View(
                name="crm",
                kind="service",
                options={"command": ["false"], "port": 9, "ready_s": 3},
            ),
            "service crm ended with 1 before it answered",
        ),
    ],
)
async def test_what_can_not_be_served_is_said_before_anybody_works(
    bubblewrap: SandboxProvider, bare_image: Image, view: View, problem: str
) -> None:
    environment = environment_with(view)
    with pytest.raises(BundleError, match=problem):
        async with open_broker(
            bubblewrap, environment, image=bare_image, limits=Limits()
        ):
            pass


VERIFIER = {
    "test.sh": File(
        b"""#!/bin/sh
read=$(grep -c '"op":"read"' /logs/ws/dispatch.jsonl)
held=$(cat /logs/ws/held/in/ledger.csv)
if [ "$read" = 1 ] && [ "$held" = solved ]; then right=1; else right=0; fi
echo "{\\"reward\\": $right}" > /logs/verifier/reward.json
""",
        executable=True,
    )
}
SOLVE = b"""#!/bin/sh
ws read ledger.csv > copy && printf solved | ws write ledger.csv -
"""


async def test_a_verifier_reads_log_and_holdings_and_the_gate_passes(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    sample = sample_environment(
        tests=VERIFIER, solution={"solve.sh": File(SOLVE, executable=True)}
    )
    served = environment_with()
    environment = replace(
        sample,
        image=ImageReference(
            name=bare_image.name,
            python=bare_image.python,
            requirements=(),
            digest=bare_image.digest,
        ),
        providers=served.providers,
        resources=served.resources,
        views=served.views,
        served=served.served,
        permissions=served.permissions,
    )
    checks = await run_gate(bubblewrap, environment, image=bare_image)
    assert {check.name: check.status for check in checks} == dict.fromkeys(
        [check.name for check in checks], "passed"
    )


async def test_a_session_can_be_looked_at_while_it_goes_on(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    environment = environment_with()
    async with open_broker(
        bubblewrap, environment, image=bare_image, limits=Limits()
    ) as broker:
        assert await broker.held("in/ledger.csv") == LEDGER
        assert await broker.held("none") is None
        change = {"path": "new", "action": "create", "new": "x"}
        await broker.control("patch", {"changes": [change]})
        seen = await broker.peek()
        assert seen == await broker.finish()
