"""A real `git://` server for one repository, which can break off or hang."""

import os
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

_PIECE_BYTES = 4096


@dataclass(slots=True)
class GitServer:
    """What it serves and how; may be changed while it runs."""

    folder: Path
    url: str = ""
    requests: int = 0
    """Connections so far."""
    cut_after_bytes: int | None = None
    """Close a connection when so many bytes were sent."""
    hangs: bool = False
    """Take the connection and say nothing."""
    allows_filter: bool = True


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    state: GitServer


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        state = cast("_Server", self.server).state
        state.requests += 1
        connection: socket.socket = self.request
        request = connection.recv(int(_exactly(connection, 4), 16) - 4)
        if state.hangs:
            while connection.recv(_PIECE_BYTES):
                pass
            return
        self._serve(state, connection, version2=b"version=2" in request)

    def _serve(
        self, state: GitServer, connection: socket.socket, *, version2: bool
    ) -> None:
        allowed = "true" if state.allows_filter else "false"
        arguments = ["git", "-c", f"uploadpack.allowFilter={allowed}", "upload-pack"]
        environment = {**os.environ, "GIT_PROTOCOL": "version=2" if version2 else ""}
        with subprocess.Popen(
            [*arguments, str(state.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as process:
            sender = threading.Thread(target=_pump_in, args=(connection, process))
            sender.start()
            _pump_out(process, connection, state)
            connection.shutdown(socket.SHUT_RDWR)
            process.kill()
            sender.join()


def _exactly(connection: socket.socket, count: int) -> bytes:
    return connection.recv(count, socket.MSG_WAITALL)


def _pump_in(connection: socket.socket, process: subprocess.Popen[bytes]) -> None:
    try:
        while data := connection.recv(_PIECE_BYTES):
            assert process.stdin
            process.stdin.write(data)
            process.stdin.flush()
        assert process.stdin
        process.stdin.close()
    except OSError:
        return


def _pump_out(
    process: subprocess.Popen[bytes], connection: socket.socket, state: GitServer
) -> None:
    sent = 0
    assert process.stdout
    while data := os.read(process.stdout.fileno(), _PIECE_BYTES):
        if (
            state.cut_after_bytes is not None
            and sent + len(data) > state.cut_after_bytes
        ):
            return
        try:
            connection.sendall(data)
        except OSError:
            return
        sent += len(data)


@contextmanager
def serve_repository(folder: Path) -> Iterator[GitServer]:
    """Serve `folder` on a free port of this machine."""
    with _Server(("127.0.0.1", 0), _Connection) as server:
        server.state = GitServer(folder)
        port = server.server_address[1]
        server.state.url = f"git://127.0.0.1:{port}/repository"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.state
        finally:
            server.shutdown()
            thread.join()
