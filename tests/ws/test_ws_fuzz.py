"""Whatever is asked of whatever view, there is one answer and one line in the log."""

import json
import string
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.ws import Request
from envplatform.ws.errors import CODES
from envplatform.ws.manifest import VIEW_KINDS
from envplatform.ws.operations import OPERATIONS
from envplatform.ws.wire import decode_reply, encode_reply
from tests.ws.made_manifest import broker_of

OPTIONS: dict[str, Any] = {
    "lengths": [2],
    "salt": "s",
    "key_sha256": "0" * 64,
    "versions": {"1": "x"},
    "polls": 1,
    "stages": ["a", "b"],
    "stale": "x",
}
CONTENTS = [
    b"",
    b"text",
    b"{}",
    b"[]",
    b'[{"method": 1}]',
    b'{"a": 1}',
    b"\xff",
    b"[" * 9_000,
]
signs = st.text(string.printable + "ü\ud800\0", max_size=12)
words = st.sampled_from(
    ["the view", "the view/x", "read", "create", "poll", "advance", "reindex", "log",
     "show", "GET", "/", "//[x", "/%zz?a=[", "select 1", "text", "base64", "../x"]
)  # fmt: skip
values = st.recursive(
    signs | words | st.none() | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(signs | words, inner, max_size=2)
    ),
    max_leaves=4,
)
names = sorted({one.name for op in OPERATIONS.values() for one in op.parameters})


@st.composite
def requests(draw: st.DrawFn) -> Request:
    operation = draw(st.sampled_from(sorted(OPERATIONS)) | signs)
    known = (
        [one.name for one in OPERATIONS[operation].parameters]
        if operation in OPERATIONS
        else names
    )
    arguments = draw(
        st.dictionaries(st.sampled_from(known or names), values, max_size=4)
    )
    if draw(st.booleans()):
        arguments["name"] = "the view"
    return Request(operation, arguments)


@given(
    kind=st.sampled_from(VIEW_KINDS),
    content=st.sampled_from(CONTENTS),
    asked=st.lists(requests(), min_size=1, max_size=4),
)
@settings(max_examples=400)
def test_no_request_goes_unanswered_or_unlogged(
    kind: str, content: bytes, asked: list[Request]
) -> None:
    view = {"name": "the view", "kind": kind, "source": "x", "options": OPTIONS}
    broker = broker_of([view], {"x": content}, writable_names=["the view", "the view/"])
    for request in asked:
        reply = broker.ask(request)
        assert reply.ok or reply.error in CODES
        assert "could not answer" not in reply.message, (request, reply)
        again = decode_reply(encode_reply(reply).rstrip(b"\n"))
        assert (again.content, again.error) == (reply.content, reply.error)
    assert len(broker.log) == len(asked)
    for entry in broker.log:
        json.loads(entry.line())
