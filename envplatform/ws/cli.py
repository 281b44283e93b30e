"""`ws`: the interface as a command line. Content goes to standard output as it is."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from .client import Client
from .errors import INVALID, WsError
from .operations import OPERATIONS, Operation, Parameter
from .wire import Reply, Request

_STATUS = {"invalid": 2, "not_found": 3, "refused": 4, "not_ready": 5}
_OTHER = 1
_ENOUGH = 141
"""What a shell reports of a command that SIGPIPE ended."""


def main(words: list[str] | None = None) -> int:
    """Ask once, or with `--lines` a request of every line of standard input."""
    options = _parser().parse_args(words)
    try:
        with Client(options.socket) as client:
            if options.operation == "lines":
                return _lines(client)
            return _show(client.ask(_request(options)))
    except WsError as error:
        return _fail(error.code, error.message)
    except BrokenPipeError:  # `ws list | head`: who reads has enough
        # What is left in the buffer is flushed once more on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _ENOUGH


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ws",
        description="Work with the resources of this environment. Begin with `ws list`.",
    )
    parser.add_argument("--socket", default="", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="operation", required=True)
    for operation in OPERATIONS.values():
        command = commands.add_parser(
            operation.name, help=operation.about, description=operation.about
        )
        for parameter in operation.parameters:
            _add(command, parameter)
    commands.add_parser(
        "lines", help="answer JSON requests on standard input, a line each"
    )
    return parser


def _add(command: argparse.ArgumentParser, parameter: Parameter) -> None:
    about = parameter.about
    if parameter.kind == "object":
        about += " JSON, or @FILE, or - for standard input."
    elif parameter.name in {"content", "old", "new"}:
        about += " @FILE takes a file, - standard input."
    if parameter.place and parameter.required:
        command.add_argument(parameter.name, help=about)
    elif parameter.place:
        command.add_argument(parameter.name, nargs="?", help=about)
    else:
        command.add_argument(f"--{parameter.name}", help=about)


def _request(options: argparse.Namespace) -> Request:
    operation: Operation = OPERATIONS[options.operation]
    arguments: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = getattr(options, parameter.name)
        if value is None:
            continue
        if parameter.kind == "object" or parameter.name in {"content", "old", "new"}:
            value = _taken(value)
        if parameter.kind == "object":
            value = _object(value, parameter.name)
        arguments[parameter.name] = value
    return Request(operation.name, arguments)


def _taken(value: str) -> str:
    """Return `value`, or what the file or stream that it names holds."""
    try:
        if value == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        if value.startswith("@"):
            return Path(value[1:]).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WsError(INVALID, f"{value}: {error}") from None
    return value


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise WsError(INVALID, f"{name} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WsError(INVALID, f"{name} must be a JSON object")
    return found


def _show(reply: Reply) -> int:
    if not reply.ok:
        return _fail(str(reply.error), reply.message)
    out = sys.stdout.buffer
    if reply.content is not None:
        out.write(reply.content)
    else:
        text = json.dumps(reply.data, indent=1, ensure_ascii=False)
        out.write(text.encode("utf-8", "surrogatepass") + b"\n")
    out.flush()
    return 0


def _lines(client: Client) -> int:
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(client.ask_line(line.rstrip(b"\n") + b"\n") + b"\n")
        sys.stdout.buffer.flush()
    return 0


def _fail(code: str, message: str) -> int:
    sys.stderr.write(f"ws: {code}: {message}\n")
    return _STATUS.get(code, _OTHER)
