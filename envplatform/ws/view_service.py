"""A service: requests by method and path, answered from routes or by a process.

Routes are data: a JSON list of `{"method", "path", "status", "body"}` in the source.
A service with option `port` is a process that the server has started beside the
broker; its answers are a stranger's. One with option `speaks`, which is `mcp`, is asked
by its standard streams: `GET /tools` tells of its tools, `POST /tools/NAME` calls one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from .errors import FAILED, INVALID, NOT_FOUND, TOO_LARGE, WsError
from .view import View
from .wire import Reply, canonical

MCP = "mcp"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_TOOLS = "/tools/"
_ANSWER_S = 30.0
_MAX_ANSWER_BYTES = 16_000_000


class ServiceView(View):
    """Answers `call` with `{"status", "body"}`."""

    operations = ("call",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        del operation
        method = arguments.get("method", "GET").upper()
        path = arguments.get("path", "/")
        if method not in METHODS:
            raise WsError(INVALID, f"method must be one of {', '.join(METHODS)}")
        if not path.startswith("/") or path.startswith("//"):
            raise WsError(INVALID, "path must begin with one slash")
        if any(ord(sign) <= ord(" ") for sign in path):
            raise WsError(INVALID, "path must hold no blanks")
        body = arguments.get("body")
        if self.spec.options.get("speaks") == MCP:
            return Reply(data=self._spoken(method, path, body))
        if "port" in self.spec.options:
            return Reply(data=_asked(int(self.option("port")), method, path, body))
        return Reply(data=self._routed(method, path, body))

    def _spoken(self, method: str, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
        server = self.room.servers.get(self.spec.name)
        if server is None:
            raise WsError(FAILED, f"{self.spec.name} does not run here")
        tool = path[len(_TOOLS) :]
        if (method, path) == ("GET", _TOOLS[:-1]):
            return {"status": 200, "body": server.tools()}
        if method != "POST" or not path.startswith(_TOOLS) or not tool or "/" in tool:
            msg = f"{self.spec.name} has GET /tools, and POST /tools/NAME with a body"
            raise WsError(NOT_FOUND, msg)
        answer = server.call(unquote(tool), {} if body is None else body)
        if answer.error is not None:
            return {"status": 400, "body": answer.error}
        return {"status": 200, "body": answer.result}

    def _routed(self, method: str, path: str, body: object) -> dict[str, Any]:
        wanted = _parts(path)
        for route in self._routes():
            if route["method"] == method and _parts(route["path"]) == wanted:
                needed = route.get("request")
                if needed is None or needed == body:
                    return {"status": route.get("status", 200), "body": route["body"]}
        raise WsError(NOT_FOUND, f"{self.spec.name} has nothing at {method} {path}")

    def _routes(self) -> list[dict[str, Any]]:
        """Return the routes; a change of the user's may have broken them."""
        try:
            routes: list[dict[str, Any]] = json.loads(self.source().decode("utf-8"))
            if all({"method", "path", "body"} <= set(route) for route in routes):
                return list(routes)
        except (ValueError, TypeError, RecursionError):
            pass
        raise WsError(FAILED, f"{self.spec.name} is out of order: it has no routes")


def _parts(path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    split = urlsplit(path)
    query = parse_qsl(split.query, keep_blank_values=True)
    return split.path.rstrip("/") or "/", tuple(sorted(query))


def _asked(port: int, method: str, path: str, body: object) -> dict[str, Any]:
    import http.client  # noqa: PLC0415  few environments have a process as service

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S)
    sent = None if body is None else canonical(body)
    headers = {} if sent is None else {"Content-Type": "application/json"}
    try:
        connection.request(method, path, body=sent, headers=headers)
        answer = connection.getresponse()
        data = answer.read(_MAX_ANSWER_BYTES + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:
        msg = f"the service does not answer: {type(error).__name__}"
        raise WsError(FAILED, msg) from None
    finally:
        connection.close()
    if len(data) > _MAX_ANSWER_BYTES:
        raise WsError(TOO_LARGE, f"the answer is over {_MAX_ANSWER_BYTES} bytes")
    return {"status": answer.status, "body": _value(data)}


def _value(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    try:
        return json.loads(text, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return text
