"""Answers of a declared shape: ask with a schema, parse strictly, repair once.

The schema is a pydantic model. No prompts live here.
"""

import json
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from envplatform.errors import ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse, Message, Usage

_FENCE = "```"
_MAX_PROBLEMS = 8
_MAX_REPEATED = 8_000


T = TypeVar("T", bound=BaseModel)


async def structured(
    model: ChatModel, request: ChatRequest, schema: type[T]
) -> tuple[T, Usage]:
    """Ask until the answer is a `schema`: once, and once more with what was wrong.

    `request.json_schema` is replaced. The usage covers both calls.

    Raises:
        ModelAnswerError: neither answer fits; says what was wrong with the second.
        ModelError: as `ChatModel.complete`.
    """
    asked = replace(request, json_schema=schema.model_json_schema())
    first = await model.complete(asked)
    value, problem = _parse(first, schema)
    if value is not None:
        return value, first.usage
    repair = _repair(asked, first, problem, schema)
    second = await model.complete(repair)
    value, problem = _parse(second, schema)
    if value is None:
        msg = (
            f"model {model.name!r} gave no valid {schema.__name__}, also after a "
            f"repair turn: {problem}"
        )
        raise ModelAnswerError(msg)
    return value, first.usage + second.usage


def _repair(
    asked: ChatRequest, answer: ChatResponse, problem: str, schema: type[BaseModel]
) -> ChatRequest:
    """The same conversation, the bad answer, and what is wrong with it."""
    text = (
        f"That is not valid: {problem}\n"
        f"Answer again with nothing but JSON of this schema:\n"
        f"{json.dumps(schema.model_json_schema(), sort_keys=True)}"
    )
    wrong = Message(role="assistant", content=answer.message.content[:_MAX_REPEATED])
    return replace(
        asked, messages=(*asked.messages, wrong, Message(role="user", content=text))
    )


def _parse(answer: ChatResponse, schema: type[T]) -> tuple[T | None, str]:
    """The value, or None and what is wrong in one line."""
    if answer.finish_reason == "length":
        return None, "the answer was cut off at the token limit; be shorter"
    try:
        return schema.model_validate_json(
            _unfenced(answer.message.content), strict=True
        ), ""
    except ValidationError as error:
        return None, _problems(error)


def _unfenced(text: str) -> str:
    """`text` without the Markdown fence around all of it, if there is one."""
    text = text.strip()
    if not text.startswith(_FENCE) or not text.endswith(_FENCE):
        return text
    _, newline, rest = text.removesuffix(_FENCE).partition("\n")
    return rest.strip() if newline else text


def _problems(error: ValidationError) -> str:
    details = error.errors(
        include_url=False, include_input=False, include_context=False
    )
    lines = [
        f"{'.'.join(str(part) for part in detail['loc']) or 'answer'}: {detail['msg']}"
        for detail in details[:_MAX_PROBLEMS]
    ]
    more = len(details) - len(lines)
    return "; ".join([*lines, f"and {more} more"] if more else lines)
