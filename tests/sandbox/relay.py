"""A way to Docker Engine that a test can cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Relay:
    """Passes a local socket on to the engine's, until it is cut."""

    def __init__(self, path: Path, engine: str) -> None:
        self._engine = engine
        self._open: list[socket.socket] = []
        self._is_cut = False
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(path))
        self._server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Hang up on everybody, and on who calls again."""
        self._is_cut = True
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """Stop listening."""
        self.cut()
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                near, _ = self._server.accept()
                if self._is_cut:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._engine)
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(
                        target=_pass_on, args=(source, target), daemon=True
                    ).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):  # cut
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def relay(path: Path, engine: str) -> Iterator[Relay]:
    """A relay from `path` to the socket of the engine."""
    passing = Relay(path, engine)
    try:
        yield passing
    finally:
        passing.close()
