"""A scripted OpenAI-compatible server on a real socket, for tests and for trying out.

It answers what it is told and remembers what it was asked. Not a model.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORKS = "sk-test-works-4f1d9b"
"""The key that a server started with `key=WORKS` accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call to answer with."""

    name: str
    arguments: str
    call_id: str = "call-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request."""

    status: int = 200
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    """Promise more bytes than come, then close the connection."""
    hold: bool = False
    """Say nothing until the server is stopped."""


def answer(
    text: str | None = None,
    *calls: Call,
    finish: str | None = None,
    prompt_tokens: int = 10,
    completion_tokens: int = 5,
) -> Reply:
    """A well-formed chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    return raw(
        json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": "scripted-1",
                "choices": [
                    {
                        "index": 0,
                        "message": message,
                        "finish_reason": finish or ("tool_calls" if calls else "stop"),
                    }
                ],
                "usage": {
                    "prompt_tokens": prompt_tokens,
                    "completion_tokens": completion_tokens,
                    "total_tokens": prompt_tokens + completion_tokens,
                },
            }
        )
    )


def raw(body: str) -> Reply:
    """Status 200 and any body."""
    return Reply(body=body.encode())


def refuse(
    status: int,
    said: str = "no",
    *,
    code: str = "",
    headers: dict[str, str] | None = None,
) -> Reply:
    """An error in OpenAI's format."""
    body = json.dumps({"error": {"message": said, "code": code, "type": "test"}})
    return Reply(
        status=status, body=body.encode(), headers=tuple((headers or {}).items())
    )


def cut() -> Reply:
    """An answer whose connection breaks in the middle."""
    return Reply(body=b'{"id": "chatcmpl-1", "choi', cut=True)


def hold() -> Reply:
    """No answer at all."""
    return Reply(body=b"", hold=True)


Request = dict[str, Any]
"""The JSON body of a chat request."""

Script = Iterable[Reply] | Callable[[Request], Reply]
"""Replies in order, or a rule from request to reply."""


@dataclass(slots=True, kw_only=True)
class ModelServer:
    """A running server; what it saw so far."""

    base_url: str
    requests: list[Request] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    """Header names in lower case."""


def _in_order(replies: Iterator[Reply]) -> Callable[[Request], Reply]:
    lock = threading.Lock()

    def rule(_: Request) -> Reply:
        with lock:
            return next(replies, refuse(500, "the script is over"))

    return rule


class _Server(ThreadingHTTPServer):
    """The socket, and what its handlers share."""

    def __init__(self, rule: Callable[[Request], Reply], key: str | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rule = rule
        self.key = key
        self.stopped = threading.Event()
        self.seen = ModelServer(base_url=f"http://127.0.0.1:{self.server_port}/v1")


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:  # the name is the standard library's
        size = int(self.headers["content-length"])
        request: Request = json.loads(self.rfile.read(size))
        self.server.seen.requests.append(request)
        self.server.seen.headers.append(
            {name.lower(): value for name, value in self.headers.items()}
        )
        reply = self._reply(request)
        if reply.hold:
            self.server.stopped.wait(30)
        else:
            self._send(reply)

    def _reply(self, request: Request) -> Reply:
        sent = self.headers.get("authorization", "").removeprefix("Bearer ")
        if self.server.key is not None and sent != self.server.key:
            return refuse(401, f"Incorrect API key provided: {sent}")
        return self.server.rule(request)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply.body) + 99 * reply.cut))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Keep test output quiet."""


@contextmanager
def model_server(script: Script, *, key: str | None = None) -> Iterator[ModelServer]:
    """Serve `script` on 127.0.0.1; a request after its end gets status 500.

    With `key`, any other key gets status 401 and the refusal quotes it.
    """
    rule = script if callable(script) else _in_order(iter(script))
    server = _Server(rule, key)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.seen
    finally:
        server.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
