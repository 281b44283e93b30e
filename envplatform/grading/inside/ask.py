"""Put requests to a broker's socket, one after the other, and print the replies.

Standard input and output: a line each. Less than the command `ws` loads, since a
session asks several times and each is a process of its own.
"""

from __future__ import annotations

import socket
import sys
import time

CHUNK = 1 << 16
PATIENCE_S = 10.0
MOST_BYTES = 128_000_000


def connected(path: str) -> socket.socket:
    """Connect; waits for a broker that is about to come up."""
    deadline = time.monotonic() + PATIENCE_S
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


def main(path: str) -> None:
    """Ask what standard input says."""
    with connected(path) as line:
        for request in sys.stdin.buffer:
            line.sendall(request)
            reply = bytearray()
            while not reply.endswith(b"\n"):
                chunk = line.recv(CHUNK)
                if not chunk or len(reply) > MOST_BYTES:
                    raise SystemExit("the broker hung up")  # noqa: EM101, TRY003
                reply += chunk
            sys.stdout.buffer.write(reply)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
