"""Services that speak MCP: asked through `call`, whatever they are made of."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envplatform.ws import Reply, Request
from envplatform.ws.client import Client
from tests.ws.test_ws_server import Session

SERVERS = Path(__file__).with_name("mcp_servers.py")
OFFICIAL = """\
from mcp.server import MCPServer

server = MCPServer("official")

@server.tool()
def double(n: int) -> int:
    "Twice as much."
    return 2 * n

server.run("stdio")
"""
Open = Callable[..., Session]


def _view(*command: str, **options: object) -> dict[str, Any]:
    said = {"speaks": "mcp", "command": [sys.executable, *command], **options}
    return {"name": "desk", "kind": "service", "options": said}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    sessions = []

    def _open(*command: str, **options: object) -> Session:
        session = Session(tmp_path, views=[_view(*command, **options)])
        sessions.append(session)
        return session

    yield _open
    for session in sessions:
        _close(session)


def _close(session: Session) -> None:
    session.process.terminate()
    session.process.communicate(timeout=20)


def _call(session: Session, path: str, method: str = "POST", **body: object) -> Reply:
    said: dict[str, Any] = {"name": "desk", "method": method, "path": path}
    if body:
        said["body"] = body
    with Client(str(session.agent)) as client:
        return client.ask(Request("call", said))


def test_tools_are_listed_over_all_pages_and_called(opened: Open) -> None:
    session = opened(str(SERVERS), "honest")
    listed = _call(session, "/tools", "GET").data["body"]
    assert [one["name"] for one in listed] == ["add", "total"]
    assert _call(session, "/tools/add", n=4).ok
    said = _call(session, "/tools/total").data
    content = [{"type": "text", "text": "4"}]
    assert said == {"status": 200, "body": {"content": content, "isError": False}}
    assert _call(session, "/tools/none").data["status"] == 400
    for path, method in (
        ("/tools", "POST"),
        ("/tools/add", "GET"),
        ("/tools/a/b", "POST"),
    ):
        assert _call(session, path, method).error == "not_found"
    assert json.loads((session.folder / "held" / "state.json").read_text()) == [4]


def test_a_server_of_the_official_package_agrees_on_a_version(opened: Open) -> None:
    session = opened("-c", OFFICIAL)
    (tool,) = _call(session, "/tools", "GET").data["body"]
    assert (tool["name"], tool["description"]) == ("double", "Twice as much.")
    said = _call(session, "/tools/double", n=21).data
    assert said["body"]["structuredContent"] == {"result": 42}
    wrong = _call(session, "/tools/double", n="many").data
    assert wrong["body"]["isError"] is True


@pytest.mark.parametrize(
    ("kind", "error", "told", "goes_on"),
    [
        ("dies", "failed", "ended with 7", False),
        ("silent", "failed", "does not answer in time", True),
        ("flood", "too_large", "over 16000000 bytes", True),
        ("chatter", "failed", "does not answer in time", False),
        ("garbage", "failed", "no JSON", True),
        ("nested", "failed", "no JSON", True),
        ("list", "failed", "no JSON-RPC message", True),
        ("neither", "failed", "neither result nor error", True),
    ],
)
def test_a_bad_answer_costs_its_request_and_hangs_nothing(
    opened: Open, kind: str, error: str, told: str, *, goes_on: bool
) -> None:
    session = opened(str(SERVERS), kind, answer_s=6.0 if kind == "flood" else 1.5)
    began = time.monotonic()
    said = _call(session, "/tools/any")
    assert (said.error, told in said.message) == (error, True), said
    assert _call(session, "/tools/after").ok == goes_on
    assert time.monotonic() - began < 90


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("absent", "the service is gone: it ended with 3"),
        ("mute", "does not answer in time"),
        ("old", "it speaks version '1999-01-01'"),
        ("refuses", "refuses to initialize"),
    ],
)
def test_a_server_that_does_not_come_up_ends_the_broker(
    opened: Open, kind: str, told: str
) -> None:
    session = opened(str(SERVERS), kind, ready_s=1.0)
    _, said = session.process.communicate(timeout=30)
    last = said.decode().strip().splitlines()[-1]
    assert "ManifestError: service desk does not come up" in last
    assert told in last


def test_it_ends_with_the_broker(opened: Open) -> None:
    session = opened(
        "-c",
        "import os, sys, runpy\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        f"sys.argv = ['x', 'honest']\nrunpy.run_path({str(SERVERS)!r}, run_name='__main__')",
    )
    assert _call(session, "/tools/add", n=1).ok
    pid = int((session.folder / "held" / "pid").read_text())
    assert Path(f"/proc/{pid}").exists()
    _close(session)
    assert not Path(f"/proc/{pid}").exists()
