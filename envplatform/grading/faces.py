"""What the faces of `ws` on the host's side share: which operations, one dispatch, words.

A face (tool schemas, MCP) is an adapter: it spells requests, and each goes through the
agent's own sandbox to the broker, as the command line there does. So a session gives
the same dispatch log whichever face it comes through, and a face can do nothing that
an agent could not.
"""

import base64
import json
from dataclasses import replace

from envplatform.bundle import Environment
from envplatform.grading.broker import AGENT
from envplatform.sandbox.base import ExecResult, Limits, Sandbox
from envplatform.ws import OPERATIONS, Operation, Reply, Request, WsError
from envplatform.ws.errors import FAILED
from envplatform.ws.wire import (
    MAX_REPLY_BYTES,
    decode_arguments,
    decode_reply,
    encode_request,
    text_of,
)

PREFIX = "ws_"
"""Of a tool's name; what follows is the operation's."""
_WS = f"/run/{AGENT}/bin/ws"


def permitted(environment: Environment) -> tuple[Operation, ...]:
    """Return what an agent may ask for; empty where the environment has no views."""
    allowed = environment.permissions.operations if environment.views else ()
    return tuple(one for name, one in OPERATIONS.items() if name in allowed)


def request_of(environment: Environment, tool: str, arguments: bytes) -> Request | None:
    """Return the request that a call of `tool` means; None if there is no such tool.

    Raises:
        WsError: `invalid`; the arguments are no JSON object that the operation takes.
    """
    offered = {PREFIX + one.name: one for one in permitted(environment)}
    operation = offered.get(tool)
    if operation is None:
        return None
    checked = operation.checked(decode_arguments(arguments))
    return Request(operation.name, checked)


async def dispatch(
    sandbox: Sandbox, request: Request, limits: Limits
) -> tuple[Reply, ExecResult]:
    """Ask the broker from the agent's sandbox; the reply is `failed` if it is gone.

    `limits.output_bytes` is set to what the longest reply needs.

    Raises:
        SandboxError: the sandbox failed.
    """
    result = await sandbox.exec(
        [_WS, "lines"],
        stdin=encode_request(request),
        limits=replace(limits, output_bytes=2 * MAX_REPLY_BYTES),
    )
    try:
        return decode_reply(result.stdout), result
    except WsError:
        said = result.stderr.decode("utf-8", "replace").strip()[-300:]
        reply = Reply(error=FAILED, message=said or f"no answer: {result.ending}")
        return reply, result


def words_of(reply: Reply) -> str:
    """Return a reply as a model reads it: always text that UTF-8 can hold."""
    if not reply.ok:
        text = f"Error: {reply.error}: {reply.message}"
    elif reply.content is None:
        text = json.dumps(reply.data, indent=1, ensure_ascii=False)
    else:
        told = text_of(reply.content)
        coded = base64.b64encode(reply.content).decode("ascii")
        text = f"[no text; base64 follows]\n{coded}" if told is None else told
    return text.encode("utf-8", "replace").decode("utf-8")
