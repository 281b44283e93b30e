"""A broker in a process of its own, asked through its sockets."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from envplatform.ws.client import Client
from envplatform.ws.errors import WsError
from envplatform.ws.server import MAX_CONNECTIONS
from envplatform.ws.wire import MAX_REQUEST_BYTES, Request
from tests.ws.made_manifest import manifest_bytes

SOURCE = Path(__file__).parents[2] / "envplatform" / "ws"
FILES = {"a": b"alpha\n", "raw": b"\xff\x00"}
VIEWS = [
    {"name": "a b", "kind": "content", "source": "a", "about": "The letter."},
    {"name": "raw", "kind": "content", "source": "raw"},
]


class Session:
    """A running server and the places it uses."""

    def __init__(
        self,
        folder: Path,
        views: list[dict[str, Any]] | None = None,
        **permissions: list[str],
    ) -> None:
        self.folder = folder
        (folder / "lib").mkdir()
        (folder / "lib" / "ws").symlink_to(SOURCE)
        (folder / "held").mkdir()
        for name, data in FILES.items():
            (folder / "held" / name).write_bytes(data)
        allowed = {"writable_names": ["a b"], **permissions}
        manifest = manifest_bytes(views or VIEWS, FILES, **allowed)
        (folder / "env.json").write_bytes(manifest)
        self.agent, self.control = folder / "agent.sock", folder / "control.sock"
        words = ["--manifest", "env.json", "--holdings", "held", "--logs", "logs"]
        words += ["--agent", "agent.sock", "--control", "control.sock"]
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "ws", "serve", *words],
            cwd=folder,
            env={"PYTHONPATH": str(folder / "lib")},
            stderr=subprocess.PIPE,
        )

    def started(self, *words: str) -> subprocess.Popen[bytes]:
        """Start the command line; its streams are pipes."""
        return subprocess.Popen(
            [sys.executable, "-B", "-m", "ws", "--socket", str(self.agent), *words],
            cwd=self.folder,
            env={"PYTHONPATH": str(self.folder / "lib")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def cli(
        self, *words: str, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the command line to its end."""
        return subprocess.run(
            [sys.executable, "-B", "-m", "ws", "--socket", str(self.agent), *words],
            cwd=self.folder,
            env={"PYTHONPATH": str(self.folder / "lib")},
            input=stdin,
            capture_output=True,
            check=False,
        )

    def log(self) -> list[dict[str, Any]]:
        """Return the dispatch log as it is on disk."""
        text = (self.folder / "logs" / "dispatch.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session(tmp_path)
    yield found
    found.process.kill()
    found.process.communicate()


def test_the_command_line_gives_content_as_it_is(session: Session) -> None:
    with Client(str(session.agent)):
        pass  # it is up
    assert session.cli("read", "a b").stdout == FILES["a"]
    assert session.cli("read", "raw").stdout == FILES["raw"]
    listed = json.loads(session.cli("list").stdout)
    assert [one["name"] for one in listed["names"]] == ["a b", "raw"]
    written = session.cli("write", "a b", "-", stdin="größer".encode())
    assert written.returncode == 0, written.stderr
    assert session.cli("read", "a b").stdout == "größer".encode()
    refused = session.cli("write", "raw", "x")
    assert (refused.returncode, refused.stderr) == (
        4,
        b"ws: refused: raw can't be changed\n",
    )
    assert session.cli("read", "none").returncode == 3


@pytest.mark.parametrize("words", [("list",), ("read", "raw")])
def test_who_has_read_enough_ends_the_command_quietly(
    session: Session, words: tuple[str, ...]
) -> None:
    """As in `ws list | head`."""
    with session.started(*words) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 141)


def test_one_session_gives_one_log_by_command_line_and_by_lines(tmp_path: Path) -> None:
    """The faces differ in how a request is spelt, never in what is dispatched."""
    logs = []
    for face in ("words", "lines"):
        (tmp_path / face).mkdir()
        session = Session(tmp_path / face)
        with Client(str(session.agent)) as client:
            if face == "words":
                session.cli("list")
                session.cli("read", "a b")
                session.cli("edit", "a b", "alpha", "beta")
                session.cli("read", "missing")
            else:
                lines = [
                    {"op": "list", "args": {}},
                    {"op": "read", "args": {"name": "a b"}},
                    {
                        "args": {"new": "beta", "old": "alpha", "name": "a b"},
                        "op": "edit",
                    },
                    {"op": "read", "args": {"name": "missing"}},
                ]
                text = "".join(f"{json.dumps(line)}\n" for line in lines)
                assert session.cli("lines", stdin=text.encode()).returncode == 0
            del client
        with Client(str(session.control)) as control:
            control.ask(Request("stop", {}))
        session.process.communicate(timeout=10)
        logs.append((tmp_path / face / "logs" / "dispatch.jsonl").read_bytes())
    assert logs[0] == logs[1]
    assert logs[0].count(b"\n") == 4


def test_the_user_patches_through_control_and_it_stands_in_the_log(
    session: Session,
) -> None:
    with Client(str(session.agent)) as agent, Client(str(session.control)) as control:
        change = {"path": "a", "action": "append", "new": "more"}
        assert control.ask(Request("patch", {"changes": [change]})).ok
        assert agent.ask(Request("read", {"name": "a b"})).content == b"alpha\nmore"
        gone = [
            {"path": "raw", "action": "delete"},
            {"path": "raw", "action": "append", "new": "x"},
        ]
        reply = control.ask(Request("patch", {"changes": gone}))
        assert reply.error == "not_found"
        assert agent.ask(Request("read", {"name": "raw"})).ok, "nothing was half done"
        assert agent.ask(Request("patch", {"changes": []})).error == "invalid"
        assert control.ask(Request("read", {"name": "raw"})).error == "invalid"
        entries = control.ask(Request("log", {})).data["entries"]
    assert [(one["by"], one["op"], one["error"]) for one in entries] == [
        ("user", "patch", None),
        ("agent", "read", None),
        ("user", "patch", "not_found"),
        ("agent", "read", None),
        ("agent", "patch", "invalid"),
    ]
    assert session.log() == entries


@pytest.mark.parametrize(
    "line",
    [b"\n", b"[]\n", b"{\n", b'{"op": 1}\n', b'{"op": "read", "args": []}\n', b"\xff\n",
     b'{"op": "read", "op": "list"}\n', b'{"op": "list", "args": {"x": NaN}}\n',
     b'{"op": "list", "args": {"x": 1e999}}\n',
     b'{"op": "list", "more": 1}\n', b"[" * 100_000 + b"\n",
     b'{"op":"act","args":{"name":"a","action":"b","input":' + b'{"a":' * 40 + b"1" + b"}" * 42 + b"\n"],
)  # fmt: skip
def test_what_is_no_request_is_answered_and_the_session_goes_on(
    session: Session, line: bytes
) -> None:
    with Client(str(session.agent)) as client:
        answer = json.loads(client.ask_line(line))
        assert answer["ok"] is False
        assert answer["error"] == "invalid"
        assert client.ask(Request("list", {})).ok


def flood(place: Path) -> socket.socket:
    """Connect and send lines until nobody takes them any more; read no answer."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(place))
    line.settimeout(0)
    with suppress(BlockingIOError, ConnectionError):
        while True:
            line.send(b'{"op": "list"}\n' * 1000)
    return line


def test_a_flood_costs_nobody_but_the_one_who_sends_it(session: Session) -> None:
    with Client(str(session.agent)) as good, Client(str(session.control)) as control:
        assert good.ask(Request("list", {})).ok
        flooding = [flood(session.agent) for _ in range(40)]
        assert control.ask(Request("state", {})).ok
        assert good.ask(Request("read", {"name": "a b"})).ok
        for line in flooding:
            line.close()
        with socket.socket(socket.AF_UNIX) as endless:
            endless.connect(str(session.agent))
            endless.settimeout(10)
            with pytest.raises(ConnectionError):
                endless.sendall(b"a" * (2 * MAX_REQUEST_BYTES + 1_000_000))
        assert good.ask(Request("read", {"name": "a b"})).ok


def test_connections_are_counted_and_given_back(session: Session) -> None:
    """One too many is told so, and hung up on; who leaves makes room."""
    with ExitStack() as stack:
        clients = [
            stack.enter_context(Client(str(session.agent)))
            for _ in range(MAX_CONNECTIONS)
        ]
        for client in clients:
            assert client.ask(Request("list", {})).ok
        with socket.socket(socket.AF_UNIX) as more:
            more.connect(str(session.agent))
            more.settimeout(60)
            with more.makefile("rb") as said:
                told = json.loads(said.readline())
                assert told["message"] == "too many connections"
                assert said.read() == b""
    while True:  # until the broker has noticed that they left
        with Client(str(session.agent)) as one, suppress(WsError):
            if one.ask(Request("list", {})).ok:
                break
    assert [entry["op"] for entry in session.log()] == ["list"] * (MAX_CONNECTIONS + 1)


def test_the_longest_line_is_taken_and_a_longer_one_ends_the_connection(
    session: Session,
) -> None:
    head, tail = b'{"op":"write","args":{"name":"a b","content":"', b'"}}'
    room = MAX_REQUEST_BYTES - len(head) - len(tail)
    for more, error in ((0, None), (1, "invalid")):
        with Client(str(session.agent)) as client:
            line = head + b"x" * (room + more) + tail + b"\n"
            reply = json.loads(client.ask_line(line))
            assert reply.get("error") == error, reply.get("message")
            if error:
                with pytest.raises(WsError, match=r"hung up|gone"):
                    client.ask_line(b'{"op": "list"}\n')
            else:
                assert client.ask(Request("list", {})).ok


def test_a_last_line_needs_no_end(session: Session) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        with Client(str(session.agent)):
            line.connect(str(session.agent))
        line.settimeout(60)
        line.sendall(b'{"op": "list"}')
        line.shutdown(socket.SHUT_WR)
        with line.makefile("rb") as said:
            assert json.loads(said.read())["ok"]


@pytest.mark.parametrize("how", ["stop", "term"])
def test_nothing_is_dispatched_after_the_end(tmp_path: Path, how: str) -> None:
    """Who waits for the user is hung up on, and what it said is in no log."""
    session = Session(tmp_path, operations=["list", "say"])
    heard: list[str] = []

    def say() -> None:
        with Client(str(session.agent)) as agent:
            agent.ask(Request("list", {}))
            try:
                agent.ask(Request("say", {"text": "still there?"}))
            except WsError as error:
                heard.append(error.code)

    saying = threading.Thread(target=say)
    saying.start()
    with Client(str(session.control)) as control:
        assert control.ask(Request("await_message", {})).data["event"]
        if how == "stop":
            assert control.ask(Request("stop", {})).data == {"entries": 1}
        else:
            session.process.send_signal(signal.SIGTERM)
        _, said = session.process.communicate(timeout=60)
    saying.join(60)
    assert (session.process.returncode, said, heard) == (0, b"", ["failed"])
    assert [entry["op"] for entry in session.log()] == ["list"]
    assert (session.folder / "logs" / "state.json").exists()


def test_sigterm_ends_it_tidily(session: Session) -> None:
    with Client(str(session.agent)) as client:
        client.ask(Request("list", {}))
    session.process.send_signal(signal.SIGTERM)
    session.process.communicate(timeout=10)
    assert session.process.returncode == 0
    assert not session.agent.exists()
    assert json.loads((session.folder / "logs" / "state.json").read_bytes()) == {}


def test_a_service_that_does_not_come_up_is_named(tmp_path: Path) -> None:
    options = {
        "command": [sys.executable, "-c", "raise SystemExit(3)"],
        "port": 1,
        "ready_s": 5,
    }
    views = [{"name": "crm", "kind": "service", "options": options}]
    session = Session(tmp_path, views)
    _, said = session.process.communicate(timeout=20)
    assert b"service crm ended with 3 before it answered" in said
    assert session.process.returncode != 0
    assert not session.agent.exists()
