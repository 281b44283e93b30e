"""A message at the server: it waits for the user, whoever floods or breaks off meanwhile."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envplatform.ws import Reply
from envplatform.ws.client import Client
from envplatform.ws.conversation import Closed, Conversation
from envplatform.ws.wire import Request
from tests.ws.test_ws_server import Session, flood

ANSWER = {"user_message": "yes", "conversation_over": False, "turn": 1}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session(tmp_path, operations=["list", "read", "say"])
    yield found
    found.process.kill()
    found.process.communicate()


def ask(client: Client, operation: str, **arguments: Any) -> Reply:  # noqa: ANN401  JSON
    return client.ask(Request(operation, arguments))


def saying(session: Session, heard: list[Reply]) -> threading.Thread:
    """Say something in a thread, which ends when it is answered."""

    def say() -> None:
        with Client(str(session.agent)) as agent:
            heard.append(ask(agent, "say", text="may I?"))

    thread = threading.Thread(target=say)
    thread.start()
    return thread


def test_a_message_outlasts_a_user_who_breaks_off_and_a_flood(session: Session) -> None:
    heard: list[Reply] = []
    thread = saying(session, heard)
    with Client(str(session.control)) as control:
        event = ask(control, "await_message").data["event"]
    assert (event["kind"], event["text"]) == ("say", "may I?")
    flooding = [flood(session.agent) for _ in range(20)]
    with Client(str(session.control)) as control:
        again = ask(control, "await_message", wait_s=0, paths=["a", "none"]).data
        assert again["event"] == event
        assert set(again["held"]) == {"a"}
        assert heard == []
        number = event["number"]
        for wrong in (
            {"number": number + 1, "message": ANSWER},
            {"number": number, "message": {"user_message": "yes"}},
            {"number": number, "message": {**ANSWER, "turn": True}},
            {"number": number, "message": "yes"},
        ):
            assert ask(control, "answer", **wrong).error == "invalid"
        assert ask(control, "answer", number=number, message=ANSWER).ok
        assert ask(control, "answer", number=number, message=ANSWER).error == "invalid"
    for line in flooding:
        line.close()
    thread.join(30)
    assert [reply.data for reply in heard] == [ANSWER]
    said = [one for one in session.log() if one["op"] == "say"]
    assert [(one["args"], one["error"]) for one in said] == [({"text": "may I?"}, None)]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("attend", {"looks": "yes"}),
        ("attend", {"looks": True, "at": "read"}),
        ("attend", {"looks": True, "at": [["read"]]}),
        ("attend", {"looks": True, "at": [["read", 1]]}),
        ("await_message", {"wait_s": 1e9}),
        ("await_message", {"wait_s": "x"}),
        ("await_message", {"paths": [1]}),
        ("await_message", {"wait_s": 0, "after": -1}),
    ],
)
def test_what_control_does_not_take_is_invalid(
    session: Session, operation: str, arguments: dict[str, Any]
) -> None:
    with Client(str(session.control)) as control:
        assert ask(control, operation, **arguments).error == "invalid"
        assert ask(control, "await_message", wait_s=0).data["event"] is None


def test_an_agent_can_not_answer_itself(session: Session) -> None:
    with Client(str(session.agent)) as agent:
        for operation in ("attend", "await_message", "answer"):
            assert ask(agent, operation).error == "invalid"


def test_a_user_looks_after_the_first_dispatch_and_those_that_matter() -> None:
    state = threading.Condition()
    conversation = Conversation(state)
    conversation.looks = True
    conversation.looks_at = (("read", "a"), ("write", ""))
    asked = [("list", ""), ("list", ""), ("read", "b"), ("read", "a"), ("write", "b")]
    found = [looked(state, conversation, *one) for one in asked]
    conversation.looks_at = None
    found.append(looked(state, conversation, "list", ""))
    assert found == [True, False, False, True, True, True]


def looked(
    state: threading.Condition, conversation: Conversation, operation: str, name: str
) -> bool:
    """Whether the user was asked to look; it does so then."""

    def look() -> None:
        with state:
            conversation.look(operation, name)

    looking = threading.Thread(target=look)
    looking.start()
    event = None
    with state:
        while event is None and looking.is_alive():
            event = conversation.next(0.01)
        if event is not None:
            conversation.answer(event.number, {})
    looking.join()
    return event is not None


def test_a_session_that_ends_keeps_nobody_waiting() -> None:
    state = threading.Condition()
    conversation = Conversation(state)
    ended: list[type[Exception]] = []

    def say() -> None:
        with state, pytest.raises(Closed) as raised:
            conversation.say("hello?")
        ended.append(raised.type)

    saying = threading.Thread(target=say)
    saying.start()
    with state:
        assert conversation.next(60) is not None
        conversation.close()
    saying.join(60)
    assert ended == [Closed]
    with state:
        assert conversation.next(60) is None


def test_a_message_that_nobody_answers_in_time_is_given_up() -> None:
    state = threading.Condition()
    conversation = Conversation(state, answer_s=0.01)
    with state:
        assert conversation.say("hello?") is None
        assert conversation.next(0) is None
