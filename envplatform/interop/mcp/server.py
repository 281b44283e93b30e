"""The tools of one session, for any MCP client.

The `ws_` tools are those that a tool loop offers. Where a user is inside, PawBench's
`start_conversation` and `send_message_to_user` say and hear the same as `ws_say`. What
a client sends is checked here and dispatched through the agent's own sandbox, so it can
do nothing that an agent could not.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

from envplatform.bundle import Environment
from envplatform.grading.faces import PREFIX, permitted, request_of, words_of
from envplatform.ws import Reply, Request, WsError

Ask = Callable[[Request], Awaitable[Reply]]
"""Dispatches one request and returns what the broker replied."""

SIDECAR = "user-sim"
"""Name of the server where a user is inside, as PawBench calls it."""
_START, _SEND = "start_conversation", "send_message_to_user"
_MESSAGE = {
    "type": "object",
    "properties": {
        "user_message": {"type": "string"},
        "conversation_over": {"type": "boolean"},
        "turn": {"type": "integer"},
    },
    "required": ["user_message", "conversation_over", "turn"],
}


def mcp_server(environment: Environment, ask: Ask, *, version: str) -> Server[Any]:
    """Return a server of the session that `ask` reaches; it keeps no state itself."""
    tools = tuple(_tools(environment))

    async def list_tools(
        context: ServerRequestContext[Any], page: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context, page
        return types.ListToolsResult(tools=list(tools))

    async def call_tool(
        context: ServerRequestContext[Any], call: types.CallToolRequestParams
    ) -> types.CallToolResult:
        del context
        try:
            request = _request(environment, call)
        except WsError as error:
            return _said(Reply(error=error.code, message=error.message))
        return _said(await ask(request))

    return Server(
        SIDECAR if _has_user(environment) else "ws",
        version=version,
        instructions=environment.instruction,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tools(environment: Environment) -> list[types.Tool]:
    tools = [
        types.Tool(
            name=PREFIX + operation.name,
            description=operation.about,
            input_schema=operation.schema(),
        )
        for operation in permitted(environment)
    ]
    if _has_user(environment):
        nothing = {"type": "object", "properties": {}, "additionalProperties": False}
        text = {"type": "string", "description": "What you say."}
        tools += [
            types.Tool(
                name=_START,
                description="Hear what the user says first; begins the conversation.",
                input_schema=nothing,
                output_schema=_MESSAGE,
            ),
            types.Tool(
                name=_SEND,
                description="Say something to the user and hear the answer.",
                input_schema=nothing
                | {"properties": {"text": text}, "required": ["text"]},
                output_schema=_MESSAGE,
            ),
        ]
    return tools


def _request(environment: Environment, call: types.CallToolRequestParams) -> Request:
    """Return what a call asks for.

    Raises:
        WsError: `invalid`; there is no such tool, or it does not take this.
    """
    arguments = call.arguments or {}
    if call.name in {_START, _SEND} and _has_user(environment):
        wanted = {_START: set[str](), _SEND: {"text"}}[call.name]
        if set(arguments) != wanted:
            takes = ", ".join(wanted) or "nothing"
            code, msg = "invalid", f"{call.name} takes {takes}"
            raise WsError(code, msg)
        tool = f"{PREFIX}say"
    else:
        tool = call.name
    said = json.dumps(arguments).encode("ascii")
    request = request_of(environment, tool, said)
    if request is None:
        names = ", ".join(one.name for one in _tools(environment))
        code, msg = "invalid", f"there is no tool {call.name!r}; there are {names}"
        raise WsError(code, msg)
    return request


def _said(reply: Reply) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=words_of(reply))],
        structured_content=reply.data if isinstance(reply.data, dict) else None,
        is_error=not reply.ok,
    )


def _has_user(environment: Environment) -> bool:
    return any(operation.name == "say" for operation in permitted(environment))
