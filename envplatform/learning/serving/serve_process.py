"""The process that serves: `python -m envplatform.learning.serving.serve_process`.

The order comes as one JSON line on standard input, the address leaves as one on standard
output. It listens to this machine alone, asks for the key that its environment holds, and
ends when its input does. What it foresees of errors it tells on standard error, code 2.
"""

import hmac
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import ContextLengthError, EnvPlatformError
from envplatform.learning.serving.orders import SERVED, SERVING_ORDER, Served
from envplatform.llm.chat import ChatRequest, Message, Role, Tool, ToolCall

if TYPE_CHECKING:
    from envplatform.learning.serving.speaker import Speaker, Spoken

REFUSED = 2
KEY = "ENVPLATFORM_SERVING_KEY"
"""Name of the environment variable that holds the key, for server and client."""
_MAX_BYTES = 64_000_000
_LENGTH_CODE = "context_length_exceeded"


class _Function(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str
    arguments: str = "{}"
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class _Named(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = ""
    function: _Function


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: Role
    content: str | None = None
    tool_calls: list[_Named] = Field(default_factory=list)
    tool_call_id: str | None = None


class _Asked(BaseModel):
    model_config = ConfigDict(extra="ignore")

    messages: list[_Said] = Field(min_length=1)
    tools: list[_Named] = Field(default_factory=list)
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    max_tokens: int = Field(default=1024, ge=1, le=1_000_000)
    seed: int = Field(default=0, ge=-(2**63), lt=2**63)


def main() -> None:
    """Serve until standard input ends."""
    order = SERVING_ORDER.validate_json(sys.stdin.buffer.readline())
    os.environ["OMP_NUM_THREADS"] = str(order.threads)  # before torch is there
    import torch  # noqa: PLC0415  as above
    import transformers  # noqa: PLC0415

    from envplatform.learning.serving.speaker import Speaker  # noqa: PLC0415

    torch.set_num_threads(order.threads)
    transformers.utils.logging.disable_progress_bar()
    try:
        speaker = Speaker.load(order)
    except EnvPlatformError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(REFUSED)
    server = _server(speaker, order.name, os.environ[KEY])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host, port = server.server_address[:2]
    served = Served(base_url=f"http://{host!s}:{port}/v1")
    sys.stdout.buffer.write(SERVED.dump_json(served) + b"\n")
    sys.stdout.buffer.flush()
    sys.stdin.buffer.read()


def _server(speaker: "Speaker", name: str, key: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(min(length, _MAX_BYTES))
            status, answer = self._answer(body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing: whoever asks keeps the record."""

        def _answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
            given = self.headers.get("Authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
                return 401, _error("the key is another", "invalid_api_key")
            if self.path != "/v1/chat/completions":
                return 404, _error(f"nothing is served at {self.path}", "not_found")
            try:
                spoken = speaker.answer(_request(_Asked.model_validate_json(body)))
            except ContextLengthError as error:
                return 400, _error(str(error), _LENGTH_CODE)
            except (ValidationError, EnvPlatformError) as error:
                return 400, _error(str(error)[:2_000], "invalid_request_error")
            return 200, _completion(spoken, name)

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def _request(asked: _Asked) -> ChatRequest:
    return ChatRequest(
        messages=tuple(_message(one) for one in asked.messages),
        tools=tuple(
            Tool(
                name=one.function.name,
                description=one.function.description,
                parameters=one.function.parameters,
            )
            for one in asked.tools
        ),
        temperature=asked.temperature,
        max_tokens=asked.max_tokens,
        seed=asked.seed,
    )


def _message(said: _Said) -> Message:
    return Message(
        role=said.role,
        content=said.content or "",
        tool_calls=tuple(
            ToolCall(
                call_id=one.id,
                name=one.function.name,
                arguments=one.function.arguments,
            )
            for one in said.tool_calls
        ),
        tool_call_id=said.tool_call_id,
    )


def _completion(spoken: "Spoken", name: str) -> dict[str, Any]:
    calls = [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in spoken.message.tool_calls
    ]
    message = {"role": "assistant", "content": spoken.message.content}
    choice = {
        "index": 0,
        "finish_reason": spoken.finish_reason,
        "message": {**message, **({"tool_calls": calls} if calls else {})},
    }
    prompt, completion = spoken.usage.prompt_tokens, spoken.usage.completion_tokens
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    return {
        "id": "served",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [choice],
        "usage": usage,
    }


def _error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code, "param": None}}


if __name__ == "__main__":
    main()
