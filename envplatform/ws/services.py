"""Services behind views that are processes: started before a broker listens, ended after.

They run beside the broker, which asks them by HTTP or by their standard streams (`mcp`).
Few environments have any, so only those load this.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from .errors import ManifestError, WsError
from .manifest import Manifest
from .mcp import McpServer
from .view_service import MCP

_POLL_S = 0.05
_DEATH_S = 5.0


def start_services(
    manifest: Manifest, holdings: Path, stack: ExitStack
) -> dict[str, McpServer]:
    """Start the process behind every service that has one, and wait until it answers.

    Returns those that are asked by their standard streams, by name.

    Raises:
        ManifestError: one does not come up; names it and what it said last.
    """
    spoken = {}
    for view in manifest.views.values():
        if view.kind != "service" or "command" not in view.options:
            continue
        speaks = view.options.get("speaks")
        if speaks == MCP:
            spoken[view.name] = _start_spoken(view.name, view.options, holdings, stack)
        elif speaks is None:
            _start(view.name, view.options, holdings, stack)
        else:
            msg = f"service {view.name} speaks {speaks!r}, which is not {MCP!r}"
            raise ManifestError(msg)
    return spoken


def _start_spoken(
    name: str, options: Mapping[str, Any], holdings: Path, stack: ExitStack
) -> McpServer:
    with _log_of(options, holdings).open("wb") as said:
        try:
            server = McpServer(
                [str(word) for word in options["command"]],
                holdings,
                said=said,
                answer_s=float(options.get("answer_s", 30.0)),
            )
        except OSError as error:
            msg = f"service {name} can't be started: {error}"
            raise ManifestError(msg) from None
    stack.callback(server.stop)
    try:
        server.initialize(float(options.get("ready_s", 30.0)))
    except WsError as error:
        msg = f"service {name} does not come up: {error.message}"
        raise ManifestError(msg) from None
    return server


def _log_of(options: Mapping[str, Any], holdings: Path) -> Path:
    return Path(os.devnull) if "log" not in options else holdings / str(options["log"])


def _start(
    name: str, options: Mapping[str, Any], holdings: Path, stack: ExitStack
) -> None:
    with _log_of(options, holdings).open("wb") as said:
        try:
            process = subprocess.Popen(
                [str(word) for word in options["command"]],
                cwd=str(holdings),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            msg = f"service {name} can't be started: {error}"
            raise ManifestError(msg) from None
    stack.callback(_stop, process)
    deadline = time.monotonic() + float(options.get("ready_s", 30.0))
    while not _answers(int(options["port"]), str(options.get("ready_path", "/"))):
        if process.poll() is not None:
            msg = f"service {name} ended with {process.returncode} before it answered"
            raise ManifestError(msg)
        if time.monotonic() > deadline:
            msg = f"service {name} does not answer at port {options['port']}"
            raise ManifestError(msg)
        time.sleep(_POLL_S)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1.0)
    try:
        connection.request("GET", path)
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_DEATH_S)
            return
