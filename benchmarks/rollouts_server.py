"""A scripted OpenAI-compatible server for `benchmarks.rollouts`, in a process of its own.

It plays an agent: some commands, then `submit`, by the number of turns so far. Every
so-many-th request it does something wrong instead, each fault in its turn. It keeps no
conversation, so any number may be in flight. GET /faults tells how often it did what.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Fault = Literal["429", "500", "timeout", "cut", "malformed_call", "malformed_answer"]
FAULTS: tuple[Fault, ...] = (
    "429",
    "500",
    "timeout",
    "cut",
    "malformed_call",
    "malformed_answer",
)
SHELL_TURNS = 3
"""Commands of one rollout before it submits."""


@dataclass(slots=True, kw_only=True)
class Script:
    """What the server does, and what it did."""

    delay_s: float
    fault_every: int
    """0: never."""
    hold_s: float
    """How long a `timeout` keeps silent."""
    asked: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def next_fault(self) -> Fault | None:
        """What goes wrong with this request; counts it."""
        self.asked += 1
        if not self.fault_every or self.asked % self.fault_every:
            return None
        number = self.asked // self.fault_every
        fault = FAULTS[number % len(FAULTS)]
        self.faults[fault] += 1
        return fault


def answer(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The next turn of the agent."""
    turn = sum(one["role"] == "assistant" for one in messages)
    if turn < SHELL_TURNS:
        return _called("shell", json.dumps({"command": f"echo {turn} >> out.txt"}))
    return _called("submit", "{}")


def _called(name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    call = {"id": "call", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {
        "id": "chatcmpl",
        "object": "chat.completion",
        "model": "scripted",
        "choices": [choice],
        "usage": usage,
    }


async def serve(
    script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer the requests of one connection."""
    try:
        while await _one(script, reader, writer):
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _one(
    script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """Answer one request; False ends the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    _, _, after = head.partition("content-length: ")
    body = await reader.readexactly(int(after.split("\r\n")[0])) if after else b""
    if head.startswith("get /faults"):
        _write(writer, 200, json.dumps({"asked": script.asked, **script.faults}))
        return True
    await asyncio.sleep(script.delay_s)
    fault = script.next_fault()
    if fault == "timeout":
        await asyncio.sleep(script.hold_s)
        return False
    return _answer(writer, fault, json.loads(body)["messages"])


def _answer(
    writer: asyncio.StreamWriter, fault: Fault | None, messages: list[dict[str, Any]]
) -> bool:
    match fault:
        case "429" | "500":
            refusal = json.dumps({"error": {"message": "no", "type": "injected"}})
            _write(writer, int(fault), refusal)
        case "cut":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")
            return False
        case "malformed_call":
            _write(writer, 200, json.dumps(_called("shell", '{"command": ')))
        case "malformed_answer":
            _write(writer, 200, '{"choices": []}')
        case _:
            _write(writer, 200, json.dumps(answer(messages)))
    return True


def _write(writer: asyncio.StreamWriter, status: int, text: str) -> None:
    data = text.encode()
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
        f"Retry-After: 0\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    writer.write(head.encode() + data)


async def _main(script: Script, tell: Callable[[str], object]) -> None:
    server = await asyncio.start_server(
        lambda reader, writer: serve(script, reader, writer),
        "127.0.0.1",
        0,
        backlog=1024,
    )
    tell(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


def main() -> None:
    """Serve until killed; the port is the first line of standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay-s", type=float, default=0.05)
    parser.add_argument("--fault-every", type=int, default=0)
    parser.add_argument("--hold-s", type=float, default=5.0)
    options = parser.parse_args()
    script = Script(
        delay_s=options.delay_s,
        fault_every=options.fault_every,
        hold_s=options.hold_s,
    )
    asyncio.run(_main(script, sys.stdout.write))


if __name__ == "__main__":
    main()
