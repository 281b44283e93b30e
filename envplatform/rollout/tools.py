"""The tools an agent is offered and how their results read.

Arguments come from a model: parsed strictly, never into a shell of ours. The command
itself is the agent's to choose; it runs inside the sandbox.
"""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from envplatform.llm.chat import Tool, ToolCall
from envplatform.sandbox.base import ExecResult
from envplatform.trajectories import Claimed, ToolOutcome, read_claims

SHELL = "shell"
SUBMIT = "submit"

_MAX_COMMAND_BYTES = 100_000
"""Linux refuses single arguments of 128 KiB and more."""


FIELDS = (
    "In JSON a pointer (/total/cents), in CSV the first cell of a row and the name of "
    "a column (PO-4107/status); of any file `exists` or `contains`."
)
"""How a claim names what it is about, told to models."""


class ShellArguments(BaseModel):
    """What `shell` takes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    command: str = Field(description="A bash command line.", min_length=1)


SHELL_TOOL = Tool(
    name=SHELL,
    description=(
        "Run a command with bash in /workspace. Files persist between commands; "
        "processes, variables and the current directory do not."
    ),
    parameters={
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "A bash command line."}
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)
SUBMIT_TOOL = Tool(
    name=SUBMIT,
    description=(
        "Say that the task is done. Ends the session. `claims` tells what your result "
        "is, and is compared with it: in the file `path`, `field` is `value`."
    ),
    parameters={
        "type": "object",
        "properties": {
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": "Of a file."},
                        "field": {"type": "string", "description": FIELDS},
                        "value": {"description": "JSON."},
                    },
                    "required": ["path", "field", "value"],
                    "additionalProperties": False,
                },
            }
        },
        "additionalProperties": False,
    },
)


class ArgumentsError(ValueError):
    """Arguments that a tool does not take; the message is for the model."""


def shell_command(arguments: str) -> str:
    """The command in the arguments of a `shell` call.

    Raises:
        ArgumentsError: no JSON object with a command in it, or one that can't be run.
    """
    try:
        command = ShellArguments.model_validate_json(arguments).command
    except ValidationError as error:
        msg = f"{_told(error)}. Pass a JSON object with a string `command`."
        raise ArgumentsError(msg) from None
    if "\0" in command:
        msg = "command: must not hold NUL characters."
        raise ArgumentsError(msg)
    if len(command.encode()) > _MAX_COMMAND_BYTES:
        msg = f"command: over {_MAX_COMMAND_BYTES} bytes; write the file in parts."
        raise ArgumentsError(msg)
    return command


class _SubmitArguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    claims: list[JsonValue] = Field(default_factory=list)


def submitted_claims(arguments: str) -> tuple[Claimed, ...]:
    """The claims in the arguments of a `submit` call; nothing at all means none.

    Raises:
        ArgumentsError: no JSON object, or one that holds something else.
    """
    try:
        said = _SubmitArguments.model_validate_json(arguments.strip() or "{}")
        return read_claims(json.dumps(said.claims))
    except ValidationError as error:
        msg = f"{_told(error)}. Pass a JSON object with a list `claims`, or nothing."
        raise ArgumentsError(msg) from None
    except ValueError as error:
        msg = f"{error}. A claim is an object of path, field and value."
        raise ArgumentsError(msg) from None


def _told(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in problems[:3]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A result as the model reads it."""

    content: str
    shortened: bool


def describe(result: ExecResult, *, limit: int) -> Described:
    """How a command ended, then its output in at most about `limit` characters."""
    output = result.stdout.decode("utf-8", "replace")
    if result.stderr:
        output += "\n[stderr]\n" + result.stderr.decode("utf-8", "replace")
    shown = shorten(output, limit)
    if result.truncated:
        shown += "\n[output went on and was not kept]"
    return Described(
        content=f"{_ending(result)}\n{shown}",
        shortened=result.truncated or shown != output,
    )


def shorten(text: str, limit: int) -> str:
    """`text`, or its beginning and end with a notice of what lies between."""
    if len(text) <= limit:
        return text
    head, tail = limit - limit // 2, limit // 2
    left_out = len(text) - head - tail
    end = text[len(text) - tail :]
    return f"{text[:head]}\n[... {left_out} characters left out ...]\n{end}"


def outcome_of(call: ToolCall, result: ExecResult, text: Described) -> ToolOutcome:
    """The record of a command that ran."""
    return ToolOutcome(
        call_id=call.call_id,
        tool=call.name,
        ending=result.ending,
        exit_code=result.exit_code,
        output_bytes=len(result.stdout) + len(result.stderr),
        shortened=text.shortened,
        seconds=result.seconds,
    )


def _ending(result: ExecResult) -> str:
    match result.ending:
        case "exited":
            return f"[exit code {result.exit_code}]"
        case "signaled":
            return f"[killed by signal {result.signal}]"
        case "timeout":
            return f"[stopped: ran longer than {result.seconds:.0f} s]"
        case other:
            return f"[stopped: {other.replace('_', ' ')}]"
