"""Stand before one of the set's services: let tools through, keep what was said.

Started by the broker, `python3 front.py CONFIG`, in the folder of what it holds. The
service listens on a port of its own; the agent's requests come here. What is no tool
of the task, such as the service's own record of calls, answers 404. Each exchange is
a line of `record/NAME.jsonl`, and the service's own record after it lies in
`audit/NAME.json`: the grader reads both. Where records are served by themselves, the
agent is told of them by id; the grader reads the answer as the service gave it.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))
from withhold import Records  # type: ignore[import-not-found]  # lies beside this

_POLL_S = 0.05
_ANSWER_S = 20.0
_NOT_HERE = b'{"error": "no tool of this task"}'


class Front(BaseHTTPRequestHandler):
    """Answers one request after the other."""

    config: dict[str, Any]
    records: Records

    def answer(self) -> None:
        """Pass a tool's request on; anything else is not here."""
        path = urlsplit(self.path).path
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if [self.command, path] not in self.config["endpoints"]:
            self._reply(404, _NOT_HERE)
            return
        status, said = _ask(self.config["port"], self.command, self.path, sent)
        answer = _value(said)
        _record(self.config, (self.command, path, _value(sent), status, answer))
        if isinstance(answer, (dict, list)):
            said = json.dumps(self.records.without(answer)).encode()
        self._reply(status, said)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  their names

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401  theirs
        """Say nothing: what is asked stands in the record."""


def main() -> int:
    """Start the service, wait for it, then listen; the broker ends both."""
    config = json.loads(Path(sys.argv[1]).read_text())
    for folder in ("record", "audit"):
        Path(folder).mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-B", "../moment.py", config["moment"], *config["command"]],
        cwd="set",
        env={**os.environ, **config["env"], "PORT": str(config["port"])},
    )
    while not _up(config):
        if process.poll() is not None:
            return 1
        time.sleep(_POLL_S)
    Front.config, Front.records = config, Records(config["records"])
    HTTPServer(("127.0.0.1", config["front"]), Front).serve_forever()
    return 0


def _up(config: dict[str, Any]) -> bool:
    try:
        _audit(config)
    except (OSError, http.client.HTTPException):
        return False
    return True


def _ask(port: int, method: str, path: str, sent: bytes | None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S)
    try:
        kind = {"Content-Type": "application/json"} if sent else {}
        connection.request(method, path, body=sent or None, headers=kind)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _record(config: dict[str, Any], exchange: tuple[Any, ...]) -> None:
    names = ("method", "path", "request", "status", "response")
    with Path("record", config["name"] + ".jsonl").open("a") as lines:
        lines.write(json.dumps(dict(zip(names, exchange, strict=True))) + "\n")
    _audit(config)


def _audit(config: dict[str, Any]) -> None:
    status, said = _ask(config["port"], "GET", config["audit"], None)
    if status == http.client.OK:
        Path("audit", config["name"] + ".json").write_bytes(said)


def _value(data: bytes) -> Any:  # noqa: ANN401  JSON of whatever they say
    try:
        return json.loads(data) if data else {}
    except ValueError:
        return data.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
