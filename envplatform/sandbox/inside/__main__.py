"""The first process of the container: answer one request after the other."""

from __future__ import annotations

import json

from envplatform.sandbox.inside.channel import Channel, Request, encoded
from envplatform.sandbox.inside.command import run
from envplatform.sandbox.inside.files import read, write
from envplatform.sandbox.inside.guard import Signals, protect


def main() -> None:
    """Serve until the owner hangs up or the engine asks to stop."""
    protect()
    signals = Signals()
    channel = Channel(signals)
    while True:
        request = channel.receive()
        try:
            answer, payload = serve(request, channel, signals)
        except Exception as error:  # noqa: BLE001  a boundary: the other end reports it
            answer, payload = {"error": f"{type(error).__name__}: {error}"}, b""
        channel.send(answer, payload)


def serve(
    request: Request, channel: Channel, signals: Signals
) -> tuple[dict[str, object], bytes]:
    """Do what is asked; return the answer and the bytes that follow it."""
    what = request.header.get("do")
    if what == "greet":
        return {}, b""
    if what == "run":
        return run(request, channel, signals)
    if what == "write":
        write(str(request.header["to"]), request.files())
        return {}, b""
    if what == "read":
        found = read(str(request.header["path"]), int(str(request.header["max_bytes"])))
        listed = [
            [encoded(path), executable, len(data)] for path, executable, data in found
        ]
        return {"files": listed}, b"".join(data for _, _, data in found)
    return {"error": f"unknown request {json.dumps(what)}"}, b""


if __name__ == "__main__":
    main()
