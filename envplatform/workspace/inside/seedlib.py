"""What seeds' verifiers and oracles share: the final state, and the command `ws`.

A verifier reads files that an agent left: every reader here answers None for what is
missing, too large or malformed, and raises nothing.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

WORKSPACE = Path("/workspace")
SERVED = Path("/logs/ws")
MAX_BYTES = 20_000_000
_NAMED = ("name",)
_PLACES = {
    "list": ("prefix",),
    "read": _NAMED,
    "search": ("name", "query"),
    "query": ("name", "sql"),
    "act": ("name", "action"),
    "call": ("name", "method", "path"),
    "write": ("name", "content"),
    "edit": ("name", "old", "new"),
    "delete": _NAMED,
    "say": ("text",),
}
"""Arguments that are told by their place, as on the command line."""


class Final(NamedTuple):
    """The final state: /workspace, what the broker holds, and its log."""

    workspace: Path = WORKSPACE
    served: Path = SERVED

    def text(self, path: str) -> str | None:
        """Return a file of /workspace as text."""
        return _text(self.workspace / path)

    def held(self, path: str) -> str | None:
        """Return a file that the broker holds as text."""
        return _text(self.served / "held" / path)

    def json(self, path: str) -> Any:  # noqa: ANN401  JSON
        """Return a JSON file of /workspace."""
        return _json(self.text(path))

    def rows(self, path: str) -> list[dict[str, str]] | None:
        """Return a CSV file of /workspace, a dictionary a row, blanks stripped."""
        return rows_of(self.text(path))

    def log(self) -> list[dict[str, Any]]:
        """Return the dispatch log."""
        text = _text(self.served / "dispatch.jsonl") or ""
        return [json.loads(line) for line in text.splitlines()]

    def asked(self, operation: str, name: str) -> int:
        """Count granted requests of the agent."""
        return sum(
            entry["by"] == "agent"
            and entry["error"] is None
            and entry["op"] == operation
            and entry["args"].get("name") == name
            for entry in self.log()
        )


def rows_of(text: str | None) -> list[dict[str, str]] | None:
    """Parse CSV with a head line; None if it is none."""
    if text is None:
        return None
    try:
        found = list(csv.DictReader(io.StringIO(text), strict=True))
    except csv.Error:
        return None
    clean = []
    for row in found:
        if None in row or None in row.values():
            return None
        clean.append({str(key).strip(): value.strip() for key, value in row.items()})
    return clean


def share(right: int, of: int) -> float:
    """Return a share from 0 to 1; 0 of none."""
    return max(0.0, min(1.0, right / of)) if of else 0.0


def overlap(found: set[Any], wanted: set[Any]) -> float:
    """Return how far two sets agree: 1 equal, 0 nothing in common (Jaccard)."""
    return share(len(found & wanted), len(found | wanted))


def ws(operation: str, *words: str, **options: str) -> bytes:
    """Ask through the command `ws`, as an agent may; end if the answer is no.

    One process of it answers all requests, a line each: starting one costs 0.15 s.
    """
    arguments: dict[str, Any] = dict(zip(_PLACES[operation], words, strict=False))
    arguments.update(options)
    for name in ("input", "body"):
        if name in arguments:
            arguments[name] = json.loads(arguments[name])
    request = json.dumps({"op": operation, "args": arguments})
    line = _process()
    line.stdin.write(f"{request}\n".encode())
    line.stdin.flush()
    reply = json.loads(line.stdout.readline() or b"{}")
    if not reply.get("ok"):
        asked = " ".join((operation, *words))
        msg = f"ws {asked}: {reply.get('error')}: {reply.get('message')}"
        raise SystemExit(msg)
    if "base64" in reply:
        return base64.b64decode(reply["base64"])
    if "text" in reply:
        return str(reply["text"]).encode("utf-8", "surrogatepass")
    return json.dumps(reply.get("data")).encode()


@cache
def _process() -> Any:  # noqa: ANN401  a process with both ends
    return subprocess.Popen(
        ["ws", "lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def ws_text(operation: str, *words: str, **options: str) -> str:
    """As `ws`, the answer as text."""
    return ws(operation, *words, **options).decode("utf-8")


def ws_json(operation: str, *words: str, **options: str) -> Any:  # noqa: ANN401  JSON
    """As `ws`, the answer as JSON."""
    return json.loads(ws(operation, *words, **options))


def deliver(path: str, text: str) -> None:
    """Write a file of /workspace."""
    full = WORKSPACE / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text, encoding="utf-8")


def parameters() -> dict[str, Any]:
    """Return what was drawn for this one of a family; lies beside the program."""
    text = (Path(__file__).parent / "parameters.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _text(path: Path) -> str | None:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _json(text: str | None) -> Any:  # noqa: ANN401  JSON
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
