"""The OpenAI chat format: our values to JSON, the server's JSON to our values.

Strict in both directions. No network, no retries (`openai_model`).
"""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import ModelAnswerError
from envplatform.llm.chat import (
    ChatRequest,
    ChatResponse,
    FinishReason,
    Message,
    ToolCall,
    Usage,
)
from envplatform.llm.endpoint import Endpoint

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


class _Strict(BaseModel):
    """Unknown fields are ignored (servers add their own), known ones never coerced."""

    model_config = ConfigDict(strict=True, frozen=True)


class _Function(_Strict):
    name: str
    arguments: str


class _Call(_Strict):
    id: str
    type: Literal["function"] = "function"
    function: _Function


class _Message(_Strict):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(_Strict):
    message: _Message
    finish_reason: str | None = None


class _Usage(_Strict):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class _Answer(_Strict):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage
    model: str


_ENDED = frozenset({"stop", "length", "content_filter"})
"""Reasons for which an answer may be without text."""


def request_body(request: ChatRequest, endpoint: Endpoint) -> dict[str, Any]:
    """JSON body of one call."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [_message(message) for message in request.messages],
        "temperature": request.temperature,
        "seed": request.seed,
        endpoint.max_tokens_field: request.max_tokens,
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.json_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.json_schema},
        }
    return {name: value for name, value in body.items() if name not in endpoint.omit}


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": _utf8(message.content)}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": _object(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body


def _object(arguments: str) -> str:
    """`arguments` if they are a JSON object, else one that holds them.

    Many servers parse the arguments of earlier turns and fail on what a model garbled;
    that must not end a conversation.
    """
    try:
        json_object = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        json_object = False
    return _utf8(arguments) if json_object else json.dumps({"garbled": arguments})


def _utf8(text: str) -> str:
    """`text` without what UTF-8 can't carry: bytes of files kept by surrogateescape."""
    return text.encode("utf-8", "replace").decode()


def parse_answer(body: bytes, endpoint: Endpoint) -> ChatResponse:
    """Read a server's answer.

    Raises:
        ModelAnswerError: not the chat format, no choice, neither text nor tool calls, or no
            token usage (budgets rest on it). Names the field, never quotes the body.
    """
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        msg = (
            f"model {endpoint.name!r}: malformed answer: {field}: {first['msg']}; "
            f"check that base_url names an OpenAI-compatible server"
        )
        raise ModelAnswerError(msg) from None
    choice = answer.choices[0]
    return ChatResponse(
        message=Message(
            role="assistant",
            content=_content(choice, endpoint),
            tool_calls=tuple(
                ToolCall(
                    call_id=call.id,
                    name=call.function.name,
                    arguments=call.function.arguments,
                )
                for call in choice.message.tool_calls or ()
            ),
        ),
        finish_reason=_FINISH.get(choice.finish_reason or "", "other"),
        usage=_usage(answer.usage, endpoint),
        model=answer.model,
    )


def _content(choice: _Choice, endpoint: Endpoint) -> str:
    """Text of the answer; null is legal beside tool calls and where the model ended.

    A model that ends at once says nothing, which is an answer: some servers send null.
    """
    message = choice.message
    content = message.content if message.content is not None else message.refusal
    if content is not None:
        return content
    if message.tool_calls or choice.finish_reason in _ENDED:
        return ""
    msg = f"model {endpoint.name!r}: malformed answer: neither content nor tool calls"
    raise ModelAnswerError(msg)


def _usage(usage: _Usage, endpoint: Endpoint) -> Usage:
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        usd=endpoint.prices.usd(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
        ),
    )
