"""A service that speaks MCP: a process beside the broker, asked by its standard streams.

JSON-RPC 2.0, a line a message: `initialize` with its version, `tools/list`,
`tools/call`. The server is a stranger. What it says is bounded in size and time; one
that says nothing, too much or no JSON costs the request, one that ended costs every
further one, and none is started again: what it held is gone with it.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from .errors import FAILED, TOO_LARGE, WsError

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol; the first is asked for, any of them may be answered."""
MAX_LINE_BYTES = 16_000_000
_MAX_PAGES = 100
_PART_BYTES = 65_536
_DEATH_S = 2.0
_NO_METHOD = -32601


class Answer(NamedTuple):
    """What a request came to."""

    result: Any
    """A JSON value; None where it was refused."""
    error: Any = None
    """JSON-RPC's error object; None where there is a result."""


class McpServer:
    """One running server."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        said: IO[bytes],
        answer_s: float,
    ) -> None:
        """Start it in `folder`; `said` takes its standard error. Raise OSError if not."""
        self._answer_s = answer_s
        self._number = 0
        self._unread = bytearray()
        self._process = subprocess.Popen(
            list(command),
            cwd=str(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101  both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._to = self._process.stdin.fileno()
        self._from = self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)

    def initialize(self, ready_s: float) -> None:
        """Agree on a version.

        Raises:
            WsError: it does not come up, or speaks another version; says which.
        """
        hello = {
            "protocolVersion": VERSIONS[0],
            "capabilities": {},
            "clientInfo": {"name": "ws", "version": "1"},
        }
        answer = self._ask("initialize", hello, ready_s)
        if answer.error is not None:
            raise WsError(FAILED, "it refuses to initialize")
        spoken = _object(answer.result).get("protocolVersion")
        if spoken not in VERSIONS:
            raise WsError(FAILED, f"it speaks version {str(spoken)[:40]!r}")
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self._send(done, time.monotonic() + ready_s)

    def tools(self) -> list[dict[str, Any]]:
        """Return what it offers, all pages of it.

        Raises:
            WsError: `failed`; it gives no list of tools.
        """
        found: list[dict[str, Any]] = []
        cursor: object = None
        for _ in range(_MAX_PAGES):
            said = {} if cursor is None else {"cursor": cursor}
            page = _object(self._ask("tools/list", said, self._answer_s).result)
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise WsError(FAILED, "the service gives no list of tools")
            found += [_object(one) for one in tools]
            cursor = page.get("nextCursor")
            if cursor is None:
                return found
        raise WsError(
            FAILED, f"the service's list of tools has over {_MAX_PAGES} pages"
        )

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool.

        Raises:
            WsError: `failed`, there is no answer; `too_large`.
        """
        said = {"name": tool, "arguments": dict(arguments)}
        return self._ask("tools/call", said, self._answer_s)

    def stop(self) -> None:
        """End it: its input first, as the protocol has it, then by force."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        for sign in (None, signal.SIGTERM, signal.SIGKILL):
            if sign is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_DEATH_S)
                break
        with suppress(ProcessLookupError, PermissionError):  # what it left behind
            os.killpg(self._process.pid, signal.SIGKILL)

    def _ask(self, method: str, params: Mapping[str, Any], within_s: float) -> Answer:
        self._number += 1
        number, deadline = self._number, time.monotonic() + within_s
        asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self._send(asked, deadline)
        while True:
            said = _message(self._line(deadline))
            if "method" in said:
                self._answer_back(said, deadline)
            elif said.get("id") == number:
                return _answer(said)

    def _answer_back(self, said: Mapping[str, Any], deadline: float) -> None:
        """Answer a request of the server's: a ping; we offer nothing else."""
        if "id" not in said:
            return
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": said["id"]}
        if said["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": _NO_METHOD, "message": "not offered"}
        self._send(reply, deadline)

    def _send(self, message: Mapping[str, Any], deadline: float) -> None:
        left = (json.dumps(message, separators=(",", ":")) + "\n").encode("ascii")
        while left:
            self._await(self._to, selectors.EVENT_WRITE, deadline)
            try:
                left = left[os.write(self._to, left[:_PART_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._ended() from None

    def _line(self, deadline: float) -> bytes:
        """Return the next line; one that is too long is read past and refused."""
        seen, is_long = 0, False
        while True:
            end = self._unread.find(b"\n", seen)
            if end >= 0:
                line = bytes(self._unread[:end])
                del self._unread[: end + 1]
                if is_long or len(line) > MAX_LINE_BYTES:
                    msg = f"the answer is over {MAX_LINE_BYTES} bytes"
                    raise WsError(TOO_LARGE, msg)
                return line
            seen = len(self._unread)
            if seen > MAX_LINE_BYTES:
                self._unread.clear()
                seen, is_long = 0, True
            self._unread += self._read(deadline)

    def _read(self, deadline: float) -> bytes:
        while True:
            self._await(self._from, selectors.EVENT_READ, deadline)
            try:
                part = os.read(self._from, _PART_BYTES)
            except BlockingIOError:
                continue
            if not part:
                raise self._ended()
            return part

    def _await(self, stream: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(stream, event)
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise WsError(FAILED, "the service does not answer in time")

    def _ended(self) -> WsError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_DEATH_S)
        status = self._process.poll()
        told = "closed its output" if status is None else f"ended with {status}"
        return WsError(FAILED, f"the service is gone: it {told}")


def _message(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line.decode("utf-8"), parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        raise WsError(FAILED, "the service said what is no JSON") from None
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        raise WsError(FAILED, "the service said what is no JSON-RPC message")
    return said


def _answer(said: Mapping[str, Any]) -> Answer:
    if "result" in said:
        return Answer(said["result"])
    if isinstance(said.get("error"), dict):
        return Answer(None, said["error"])
    raise WsError(FAILED, "the service's answer is neither result nor error")


def _object(said: object) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise WsError(FAILED, "the service's answer is not what MCP says")
    return said
