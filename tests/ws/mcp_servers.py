"""Servers that speak MCP, well and otherwise; run as `python mcp_servers.py KIND`.

`honest` is the standard library alone. It keeps what it was told in `state.json`.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

VERSION = "2025-06-18"
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("add", "total")]


def say(message: object) -> None:
    """Send one message."""
    _write(json.dumps(message) + "\n")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(asked: dict[str, Any], result: object) -> None:
    """Answer a request."""
    say({"jsonrpc": "2.0", "id": asked["id"], "result": result})


def hello(asked: dict[str, Any], version: str = VERSION) -> None:
    """Answer `initialize`."""
    info = {"name": "made", "version": "1"}
    answer(asked, {"protocolVersion": version, "capabilities": {}, "serverInfo": info})


def honest(asked: dict[str, Any], kept: list[int]) -> None:
    """Answer as MCP has it; a server's own messages come in between."""
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        hello(asked)
    elif method == "tools/list":
        page = int(params.get("cursor", 0))
        more = {"nextCursor": "1"} if page == 0 else {}
        answer(asked, {"tools": [TOOLS[page]], **more})
    elif method == "tools/call" and params["name"] in {"add", "total"}:
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        say({"jsonrpc": "2.0", "id": "s1", "method": "ping"})
        back = json.loads(sys.stdin.readline())
        assert back == {"jsonrpc": "2.0", "id": "s1", "result": {}}, back
        if params["name"] == "add":
            kept.append(params["arguments"]["n"])
            Path("state.json").write_text(json.dumps(kept))
        text = {"type": "text", "text": str(sum(kept))}
        answer(asked, {"content": [text], "isError": False})
    elif "id" in asked:
        error = {"code": -32602, "message": "no such tool"}
        say({"jsonrpc": "2.0", "id": asked["id"], "error": error})


def odd(kind: str, asked: dict[str, Any]) -> None:
    """Come up, then answer a call as no server should; `after` still works."""
    name = asked.get("params", {}).get("name")
    if asked["method"] == "initialize":
        hello(asked)
    elif asked["method"] == "tools/call" and name == "after":
        answer(asked, {"content": []})
    elif asked["method"] == "tools/call":
        _ODD[kind](asked)


def _flood(asked: dict[str, Any]) -> None:
    for _ in range(17):
        _write("x" * 1_000_000)
    _write("\n")
    answer(asked, {"content": []})


def _chatter(_: dict[str, Any]) -> None:
    while True:
        say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})


_ODD: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "dies": lambda _: os._exit(7),
    "silent": lambda _: None,
    "flood": _flood,
    "chatter": _chatter,
    "garbage": lambda _: _write("<html>\n"),
    "list": lambda _: say([1]),
    "neither": lambda asked: say({"jsonrpc": "2.0", "id": asked["id"]}),
    "nested": lambda _: _write("[" * 100_000 + "\n"),
}
"""What is done in place of an answer."""


def main(kind: str) -> None:
    """Serve until the input ends."""
    if kind == "absent":
        sys.exit(3)
    if kind == "mute":
        time.sleep(60)
    kept: list[int] = []
    for line in sys.stdin:
        asked = json.loads(line)
        if kind == "honest":
            honest(asked, kept)
        elif kind == "old":
            hello(asked, "1999-01-01")
        elif kind == "refuses":
            say({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1}})
        else:
            odd(kind, asked)


if __name__ == "__main__":
    main(sys.argv[1])
