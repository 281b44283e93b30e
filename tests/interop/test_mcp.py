"""An environment over MCP: a real client, the same log as other faces, nothing left over."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from envplatform.bundle import (
    Environment,
    ImageReference,
    write_environment,
)
from envplatform.grading import open_environment
from envplatform.llm.chat import ToolCall
from envplatform.rollout import (
    Policy,
    RolloutLimits,
    attending,
)
from envplatform.rollout.calls import answer_calls
from envplatform.rollout.session import Assignment, Session
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.fakes import ScriptedChatModel
from tests.rollout.made_user import NAMES, user_environment

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("list", {}),
    ("read", {"name": "table"}),
    ("say", {}),
    ("say", {"text": 'I have read "it", 東京'}),
    *(("read", {"name": f"all/{name}"}) for name in NAMES),
    ("write", {"name": 'all/new\n"x"', "content": "größer\n"}),
    ("read", {"name": "missing"}),
    ("delete", {"name": "table"}),
]
"""What each face is driven through."""


def on(image: Image) -> Environment:
    found = ImageReference(
        name=image.name, python=image.python, requirements=(), digest=image.digest
    )
    return replace(user_environment(), image=found)


@pytest.fixture
def folder(tmp_path: Path, bare_image: Image, bubblewrap: BubblewrapProvider) -> Path:
    del bubblewrap  # needed: skips where there is none
    made = tmp_path / "environment"
    write_environment(on(bare_image), made)
    return made


@pytest.fixture
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mcp-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "envplatform", "mcp", str(folder), *words]


def environ(scratch: Path) -> dict[str, str]:
    return {
        **os.environ,
        "TMPDIR": str(scratch),
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "PYTHONWARNINGS": "default",
    }


async def by_command_line(provider: BubblewrapProvider, image: Image) -> bytes:
    async with open_environment(
        provider, on(image), image=image, attend=attending()
    ) as opened:
        for operation, arguments in REQUESTS:
            values = list(arguments.values())
            separated = ["--"] if values else []
            await opened.sandbox.exec(["ws", operation, *separated, *values])
        served = (await opened.final()).served
    assert served is not None
    return served.log


async def by_tool_calls(provider: BubblewrapProvider, image: Image) -> bytes:
    environment = on(image)
    assignment = Assignment(
        environment=environment,
        policy=Policy(model=ScriptedChatModel([])),
        limits=RolloutLimits(),
        image=image,
        seed=0,
    )
    calls = [
        ToolCall(call_id=str(n), name=f"ws_{name}", arguments=json.dumps(arguments))
        for n, (name, arguments) in enumerate(REQUESTS)
    ]
    async with open_environment(
        provider, environment, image=image, attend=attending()
    ) as opened:
        session = Session(assignment, opened.sandbox, asyncio.get_running_loop().time)
        answered = await answer_calls(session, calls)
        served = (await opened.final()).served
    assert [one.outcome.problem for one in answered] == [None] * len(REQUESTS)
    assert answered[1].text == "id,cents\n1,100\n"
    assert answered[-2].text.startswith("Error: not_found: ")
    assert served is not None
    return served.log


async def by_mcp(folder: Path, scratch: Path) -> bytes:
    log = scratch / "dispatch.jsonl"
    first, *words = command(folder, "--log", str(log))
    parameters = StdioServerParameters(command=first, args=words, env=environ(scratch))
    async with Client(parameters) as client:
        for operation, arguments in REQUESTS:
            await client.call_tool(f"ws_{operation}", arguments)
    return log.read_bytes()


async def test_three_faces_give_one_log(
    bubblewrap: BubblewrapProvider, bare_image: Image, folder: Path, scratch: Path
) -> None:
    told = await by_command_line(bubblewrap, bare_image)
    assert [
        json.loads(line)["op"] for line in told.splitlines() if b"agent" in line
    ] == [name for name, _ in REQUESTS]
    assert await by_tool_calls(bubblewrap, bare_image) == told
    assert await by_mcp(folder, scratch) == told


async def test_a_client_lists_and_calls_the_tools_and_talks_to_the_user(
    folder: Path, scratch: Path
) -> None:
    first, *words = command(folder)
    parameters = StdioServerParameters(command=first, args=words, env=environ(scratch))
    async with Client(parameters) as client:
        assert client.server_info is not None
        assert client.server_info.name == "user-sim"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [
            "ws_list", "ws_read", "ws_write", "ws_delete", "ws_say",
            "start_conversation", "send_message_to_user",
        ]  # fmt: skip
        assert tools["ws_read"].input_schema["required"] == ["name"]
        began = await client.call_tool("start_conversation", {})
        assert began.structured_content == {
            "user_message": "Good morning.",
            "conversation_over": False,
            "turn": 0,
        }
        await client.call_tool("ws_read", {"name": "table"})
        told = await client.call_tool("send_message_to_user", {"text": "read it"})
        assert told.structured_content is not None
        assert told.structured_content["turn"] == 1
        for tool, arguments, code in (
            ("ws_read", {"name": 3}, "invalid"),
            ("ws_read", {"name": "table", "more": "x"}, "invalid"),
            ("ws_query", {"name": "table", "sql": "x"}, "invalid"),
            ("send_message_to_user", {}, "invalid"),
            ("ws_read", {"name": "nothing"}, "not_found"),
        ):
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            assert answer.content[0].type == "text"
            assert answer.content[0].text.startswith(f"Error: {code}: ")


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def say_hello(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers: its sandboxes are open by then."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1


def left_over(scratch: Path) -> list[str]:
    """Return processes and files that still belong to a session below `scratch`."""
    found = [str(path) for path in scratch.iterdir() if path.name != "cache"]
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if os.fsencode(scratch) in words:
            found.append(words.decode("utf-8", "replace"))
    return found


@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_a_session_that_ends_leaves_nothing_behind(
    folder: Path, scratch: Path, how: str
) -> None:
    process = subprocess.Popen(
        command(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(scratch),
    )
    say_hello(process)
    assert left_over(scratch)
    if how == "SIGTERM":
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert left_over(scratch) == []
    assert b"Traceback" not in said


PARENT = """
import subprocess, sys, time
held = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
held.stdin.write(sys.stdin.buffer.readline()); held.stdin.flush()
held.stdout.readline(); print(held.pid, flush=True)
time.sleep(600)
"""


def test_a_session_dies_with_its_parent(folder: Path, scratch: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ(scratch),
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(json.dumps(HELLO).encode() + b"\n")
    parent.stdin.flush()
    server = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    for _ in range(300):
        if not left_over(scratch) and not Path(f"/proc/{server}").exists():
            return
        time.sleep(0.1)
    pytest.fail(f"still there: {left_over(scratch)}")


def test_an_environment_without_views_is_refused(
    tmp_path: Path, scratch: Path, bare_image: Image
) -> None:
    bare = replace(on(bare_image), views=(), user={}, permissions=replace(
        on(bare_image).permissions, operations=("list",)
    ))  # fmt: skip
    folder = tmp_path / "bare"
    write_environment(bare, folder)
    done = subprocess.run(
        command(folder),
        input=b"",
        capture_output=True,
        env=environ(scratch),
        check=False,
    )
    assert done.returncode == 1
    assert b"serves nothing through `ws`" in done.stderr
    assert done.stdout == b""
