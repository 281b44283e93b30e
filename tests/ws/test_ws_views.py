"""What every kind of view gives, refuses and remembers."""

import hashlib
import json

import pytest

from envplatform.ws import Reply
from envplatform.ws.broker import Broker
from tests.ws.made_manifest import ask, broker_of

TEXT = "eins\nzwei ä\r\ndrei\u2028vier\n"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def view(name: str, kind: str, source: str = "a", **rest: object) -> dict[str, object]:
    options = rest.pop("options", {})
    return {"name": name, "kind": kind, "source": source, "options": options, **rest}


def told(reply: Reply) -> object:
    assert reply.ok, reply.message
    return reply.data


def test_content_comes_byte_for_byte_and_changes_only_where_permitted() -> None:
    files = {"a": b"\xff\x00raw", "b": TEXT.encode()}
    broker = broker_of(
        [view("raw", "content"), view("notes", "content", "b")],
        files,
        writable_names=["notes"],
    )
    assert ask(broker, "read", name="raw").content == files["a"]
    assert ask(broker, "write", name="raw", content="x").error == "refused"
    assert ask(broker, "edit", name="notes", old="zwei ä", new="2").ok
    assert (
        ask(broker, "read", name="notes").content
        == TEXT.replace("zwei ä", "2").encode()
    )
    assert ask(broker, "edit", name="notes", old="i", new="").error == "conflict"
    assert ask(broker, "delete", name="notes").ok
    assert ask(broker, "read", name="notes").error == "not_found"
    assert told(ask(broker, "list")) == {"names": [{"name": "raw", "offers": ["read"]}]}


def test_pages_come_in_order_only_and_give_the_text_back() -> None:
    broker = broker_of(
        [view("p", "page", options={"lengths": [3, 7], "salt": "s"})],
        {"a": TEXT.encode()},
    )
    text, cursor = "", ""
    while True:
        part = ask(
            broker, "read", name="p", **({"cursor": cursor} if cursor else {})
        ).data
        text += part["content"]
        if part["next"] is None:
            break
        cursor = part["next"]
    assert text == TEXT
    for guess in ("1", "2", "next", cursor[:-1]):
        assert ask(broker, "read", name="p", cursor=guess).error == "not_found"


def test_a_gate_opens_to_its_key_only_and_the_manifest_does_not_hold_it() -> None:
    options = {"key_sha256": sha("open sesame")}
    broker = broker_of([view("g", "gate", options=options)], {"a": b"inside"})
    assert ask(broker, "read", name="g").error == "refused"
    assert ask(broker, "read", name="g", key="open").error == "refused"
    assert ask(broker, "read", name="g", key="open sesame").content == b"inside"
    assert ask(broker, "read", name="g", version="1").error == "invalid"


def test_a_lookup_gives_one_entry_and_never_the_list() -> None:
    entries = json.dumps({"k1": "v1", "k2": {"b": 1, "a": 2}}).encode()
    broker = broker_of([view("l", "lookup")], {"a": entries})
    assert ask(broker, "read", name="l", key="k1").content == b"v1"
    assert ask(broker, "read", name="l", key="k2").content == b'{"a":2,"b":1}'
    assert ask(broker, "read", name="l", key="k3").error == "not_found"
    assert ask(broker, "read", name="l").error == "refused"


def test_a_version_must_be_named() -> None:
    options = {"versions": {"1.0": "a", "2.0": "b"}}
    broker = broker_of(
        [view("v", "version", "", options=options)], {"a": b"1", "b": b"2"}
    )
    assert ask(broker, "read", name="v", version="2.0").content == b"2"
    assert ask(broker, "read", name="v").error == "refused"
    assert ask(broker, "read", name="v", version="3.0").error == "not_found"


def job_broker() -> Broker:
    options = {"polls": 2, "salt": "s"}
    return broker_of(
        [
            view("one", "job", options=options),
            view("both", "job", options={**options, "after": ["one"]}),
        ],
        {"a": b"result"},
    )


def test_a_job_has_to_be_made_and_waited_for() -> None:
    broker = job_broker()
    assert ask(broker, "read", name="one").error == "refused"
    assert ask(broker, "read", name="one", job="x").error == "not_found"
    job = ask(broker, "act", name="one", action="create").data["job"]
    statuses = []
    for _ in range(3):
        assert ask(broker, "read", name="both", job=job).error == "not_found"
        reply = ask(broker, "act", name="one", action="poll", input={"job": job})
        statuses.append(reply.data["status"])
    assert statuses == ["running", "done", "done"]
    assert ask(broker, "read", name="one", job=job).content == b"result"


def test_a_job_after_others_takes_their_finished_jobs() -> None:
    broker = job_broker()
    assert ask(broker, "act", name="both", action="create").error == "refused"
    job = ask(broker, "act", name="one", action="create").data["job"]
    create = {"name": "both", "action": "create", "input": {"one": job}}
    assert ask(broker, "act", **create).error == "not_ready"
    for _ in range(2):
        ask(broker, "act", name="one", action="poll", input={"job": job})
    assert ask(broker, "act", **create).ok
    assert ask(broker, "act", name="one", action="dance").error == "invalid"


def test_stages_are_taken_in_order_and_twice_is_once() -> None:
    options = {"stages": ["draft", "review", "published"]}
    broker = broker_of([view("t", "transition", options=options)], {"a": b"text"})

    def advance(to: str) -> Reply:
        return ask(broker, "act", name="t", action="advance", input={"to": to})

    assert ask(broker, "read", name="t").error == "not_ready"
    assert advance("published").error == "conflict"
    assert advance("sold").error == "invalid"
    assert [told(advance(to)) for to in ("review", "review", "draft", "published")] == [
        {"stage": "review"},
        {"stage": "review"},
        {"stage": "review"},
        {"stage": "published"},
    ]
    assert ask(broker, "read", name="t").content == b"text"


def test_an_index_is_stale_until_it_is_rebuilt() -> None:
    files = {"a": b'{"term": ["right"]}', "old": b'{"term": ["wrong"]}'}
    broker = broker_of([view("i", "index", options={"stale": "old"})], files)
    assert ask(broker, "search", name="i", query=" Term ").data["hits"] == ["wrong"]
    assert ask(broker, "act", name="i", action="reindex").ok
    assert ask(broker, "search", name="i", query="term").data["hits"] == ["right"]
    assert ask(broker, "search", name="i", query="none").data["hits"] == []


def test_a_folder_gives_names_that_no_shell_would_like() -> None:
    files = {"dir/a b.txt": b"1", 'dir/"q"\n.txt': b"2", "dir/ü/ß": b"3", "x": b"4"}
    broker = broker_of(
        [view("mail", "folder", "dir")],
        {**files, "dir": b""},
        writable_names=["mail/"],
    )
    names = [one["name"] for one in ask(broker, "list", prefix="mail/").data["names"]]
    assert names == ['mail/"q"\n.txt', "mail/a b.txt", "mail/ü/ß"]
    assert [ask(broker, "read", name=name).content for name in names] == [
        b"2",
        b"1",
        b"3",
    ]
    assert ask(broker, "write", name="mail/new/deep.txt", content="5").ok
    assert ask(broker, "read", name="mail/new/deep.txt").content == b"5"
    for bad in ("mail/../x", "mail//a", "mail/.", "mail/\ud800", "mail/" + "a" * 300):
        assert ask(broker, "read", name=bad).error in {"invalid", "not_found"}, bad
        assert ask(broker, "write", name=bad, content="").error == "invalid", bad


ROUTES = [
    {"method": "GET", "path": "/items?b=2&a=1", "body": [1, 2]},
    {
        "method": "POST",
        "path": "/items",
        "request": {"n": 1},
        "status": 201,
        "body": {},
    },
]


def test_a_service_answers_its_routes_and_nothing_else() -> None:
    broker = broker_of([view("s", "service")], {"a": json.dumps(ROUTES).encode()})
    assert told(ask(broker, "call", name="s", path="/items?a=1&b=2")) == {
        "status": 200,
        "body": [1, 2],
    }
    created = ask(broker, "call", name="s", method="post", path="/items", body={"n": 1})
    assert created.data["status"] == 201
    assert (
        ask(broker, "call", name="s", method="POST", path="/items").error == "not_found"
    )
    assert ask(broker, "call", name="s", method="TRACE").error == "invalid"
    assert ask(broker, "call", name="s", path="/a\r\nHost: b").error == "invalid"


@pytest.mark.parametrize(
    "kind", ["gate", "page", "job", "transition", "index", "version"]
)
def test_a_view_without_its_options_is_refused_before_anything_is_served(
    kind: str,
) -> None:
    with pytest.raises(ValueError, match=r"view x: option .* is missing"):
        broker_of([view("x", kind)], {"a": b""})
