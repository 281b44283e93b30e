"""Requests and replies as one line of JSON each, and as the log keeps them.

Content travels as text where it is UTF-8 and as base64 where it is not, so that one
reply reads the same whatever face it goes through.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import CODES, FAILED, INVALID, WsError

MAX_REQUEST_BYTES = 8_000_000
"""Of one line; a longer one ends the connection."""
MAX_REPLY_BYTES = 64_000_000
_MAX_DEPTH = 32


class Request(NamedTuple):
    """What an agent asks for; nothing of it is checked yet but that it is JSON."""

    operation: str
    arguments: Mapping[str, Any]


class Reply(NamedTuple):
    """The answer: content, data, or an error."""

    content: bytes | None = None
    """Bytes of a resource or of a part of one; None where `data` answers."""
    data: Any = None
    """A JSON value."""
    error: str | None = None
    """One of `errors.CODES`; None where all went well."""
    message: str = ""
    """What to do about `error`, for the agent."""

    @property
    def ok(self) -> bool:
        """Whether the request was carried out."""
        return self.error is None


def encode_request(request: Request) -> bytes:
    """Return the line, newline included."""
    return _line({"op": request.operation, "args": dict(request.arguments)})


def decode_request(line: bytes) -> Request:
    """Parse a line that a stranger sent.

    Raises:
        WsError: `invalid`; it is no request.
    """
    said = _object(line)
    operation, arguments = said.get("op"), said.get("args", {})
    if set(said) - {"op", "args"} or not isinstance(operation, str):
        raise WsError(INVALID, 'a request is {"op": name, "args": {...}}')
    if not isinstance(arguments, dict):
        raise WsError(INVALID, "args must be an object")
    if _depth(arguments) > _MAX_DEPTH:
        raise WsError(INVALID, f"args are nested deeper than {_MAX_DEPTH}")
    return Request(operation, arguments)


def decode_arguments(text: bytes) -> dict[str, Any]:
    """Parse the arguments of a request by themselves, as strictly.

    Raises:
        WsError: `invalid`; they are no JSON object.
    """
    arguments = _object(text)
    if _depth(arguments) > _MAX_DEPTH:
        raise WsError(INVALID, f"args are nested deeper than {_MAX_DEPTH}")
    return arguments


def encode_reply(reply: Reply) -> bytes:
    """Return the line, newline included."""
    if not reply.ok:
        return _line({"ok": False, "error": reply.error, "message": reply.message})
    if reply.content is None:
        return _line({"ok": True, "data": reply.data})
    text = text_of(reply.content)
    if text is None:
        coded = base64.b64encode(reply.content).decode("ascii")
        return _line({"ok": True, "base64": coded})
    return _line({"ok": True, "text": text})


def decode_reply(line: bytes) -> Reply:
    """Parse the line of a broker.

    Raises:
        WsError: `failed`; it is no reply.
    """
    try:
        said = _object(line)
        if said.get("ok") is True:
            return _success(said)
        if said.get("ok") is False and said.get("error") in CODES:
            message = said.get("message", "")
            return Reply(error=said["error"], message=str(message))
    except (WsError, ValueError, binascii.Error):
        pass
    raise WsError(FAILED, "the broker's answer is not a reply")


def _success(said: dict[str, Any]) -> Reply:
    if "text" in said:
        return Reply(content=str(said["text"]).encode("utf-8", "surrogatepass"))
    if "base64" in said:
        return Reply(content=base64.b64decode(said["base64"], validate=True))
    return Reply(data=said["data"]) if "data" in said else Reply()


def text_of(content: bytes) -> str | None:
    """Return `content` as text, None where it is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def canonical(value: object) -> str:
    """Return one spelling of a JSON value: sorted keys, ASCII, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(content: bytes) -> str:
    """Return SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def _line(value: object) -> bytes:
    return canonical(value).encode("ascii") + b"\n"


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise WsError(INVALID, f"not JSON: {str(error)[:200]}") from None
    if not isinstance(said, dict):
        raise WsError(INVALID, "not a JSON object")
    return said


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "a key stands twice"
        raise ValueError(msg)
    return found


def _no_constant(name: str) -> None:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _finite(text: str) -> float:
    """Refuse 1e999: it would be read as infinite, which nothing could write again."""
    number = float(text)
    if not math.isfinite(number):
        msg = f"{text[:40]} is too large a number"
        raise ValueError(msg)
    return number


def _depth(value: object) -> int:
    deepest, todo = 0, [(value, 1)]
    while todo:
        at, depth = todo.pop()
        deepest = max(deepest, depth)
        if isinstance(at, dict):
            todo += [(one, depth + 1) for one in at.values()]
        elif isinstance(at, list):
            todo += [(one, depth + 1) for one in at]
    return deepest
