"""Hand one answer to the agent's program and print what it asks next.

Standard input: one line, the answer. Standard output: one line, the next request, or
nothing where the program is gone.
"""

from __future__ import annotations

import socket
import sys
import time

CHUNK = 1 << 16


def connected(path: str, patience_s: float) -> socket.socket:
    """Connect; waits for a program that is about to come up."""
    deadline = time.monotonic() + patience_s
    while True:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.connect(path)
        except OSError as error:
            line.close()
            if time.monotonic() > deadline:
                msg = f"nobody listens at {path}: {error}"
                raise SystemExit(msg) from None
            time.sleep(0.02)
        else:
            return line


def main(path: str, patience_s: float) -> None:
    """Ask once."""
    with connected(path, patience_s) as line:
        try:
            line.sendall(sys.stdin.buffer.read())
            last = b""
            while not last.endswith(b"\n"):
                last = line.recv(CHUNK)
                if not last:
                    return
                sys.stdout.buffer.write(last)
        except OSError:
            return


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
