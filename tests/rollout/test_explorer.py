"""The explorer finds what public requests can give, and nothing it is not given."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from envplatform.bundle import (
    Environment,
    ImageReference,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.rollout.explorer import Explored, acquired_of, attempt, explore
from envplatform.rollout.explorer.leads import Leads
from envplatform.rollout.explorer.mentions import Mentions, unpacked
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File
from envplatform.workspace import Interface, seed_environment
from envplatform.ws.view_table import dump_of
from envplatform.ws.wire import digest
from tests.bundle.sample import sample_environment

KEY = "kestrel-4471"
TEXT = "first part, second part, third part\n"


def dump() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table a (x, y); insert into a values (1, 'one'), (2, null);"
        'create table "odd name" (z); insert into "odd name" values (\'q\');'
    )
    return dump_of(connection)


ROUTES = [
    {"method": "GET", "path": "/", "body": {"routes": ["/orders", "/orders/{order}"]}},
    {"method": "GET", "path": "/orders", "body": {"orders": ["o-1"], "next": "/orders?page=2"}},
    {"method": "GET", "path": "/orders?page=2", "body": {"orders": ["o-2"]}},
    {"method": "GET", "path": "/orders/o-1", "body": {"total": 5}},
    {"method": "GET", "path": "/orders/o-2", "body": {"total": 7}},
]  # fmt: skip


def environment(files: Mapping[str, bytes], *views: View) -> Environment:
    return replace(
        sample_environment(),
        providers=(Provider(name="files", kind="file"),),
        resources=tuple(
            Resource(name=path, kind="content", provider="files", location=path)
            for path in sorted({path.split("/")[0] for path in files})
        ),
        views=views,
        served={path: File(data) for path, data in files.items()},
        permissions=Permissions(
            operations=("list", "read", "search", "query", "act", "call")
        ),
    )


def view(kind: Any, source: str = "x", **options: Any) -> View:  # noqa: ANN401  JSON
    return View(name=f"the {kind}", kind=kind, source=source, options=options)


def searched(where: Environment, turns: int = 50) -> Explored:
    return explore(Interface(where).broker.ask, turns=turns, goal=where.instruction)


WORD = View(name="note.txt", kind="content", source="note")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (TEXT.encode(), view("content")),
        (TEXT.encode(), view("page", lengths=[5, 9], salt="s")),
        (TEXT.encode(), view("job", polls=3, salt="s")),
        (TEXT.encode(), view("transition", stages=["draft", "review", "published"])),
        (TEXT.encode(), view("gate", key_sha256=digest(KEY.encode()))),
        (TEXT.encode(), view("version", "", versions={"1": "note", KEY: "x"})),
        (dump(), view("table")),
        (json.dumps(ROUTES).encode(), view("service")),
    ],
    ids=lambda value: value.kind if isinstance(value, View) else "",
)
def test_what_a_view_gives_in_public_is_found(data: bytes, shown: View) -> None:
    files = {"x": data, "note": f"The word is {KEY}.".encode()}
    where = environment(files, shown, WORD)
    explored = searched(where)
    root = environment(files, view(_rooted(shown)), WORD)
    found = acquired_of(root, explored)
    assert found.missing == ()
    assert found.served == root.served
    assert not explored.is_exhausted


def _rooted(shown: View) -> str:
    """Return how the root shows what a child shows by `shown`."""
    return shown.kind if shown.kind in {"table", "service"} else "content"


def test_what_no_view_names_is_not_found_and_not_missed() -> None:
    where = environment({"x": b"1", "desk/secret": b"2"}, view("content"))
    assert b"2" not in searched(where).contents()
    assert acquired_of(where, searched(where)).missing == ()


def test_without_the_key_or_the_turns_it_is_missing() -> None:
    gate = view("gate", key_sha256=digest(KEY.encode()))
    files = {"x": TEXT.encode()}
    root = environment(files, view("content"))
    found = acquired_of(root, searched(environment(files, gate)))
    assert (found.missing, found.served) == (("x",), {})
    paged = environment(files, view("page", lengths=[1] * 30, salt="s"))
    few = searched(paged, turns=3)
    assert few.is_exhausted
    assert acquired_of(root, few).missing == ("x",)
    assert acquired_of(root, searched(paged)).missing == ()


def test_a_service_counts_route_by_route() -> None:
    files = {"x": json.dumps(ROUTES).encode()}
    where = environment(files, view("service"))
    few = acquired_of(where, searched(where, turns=2))
    assert few.missing == ("x",)
    kept = [route["path"] for route in json.loads(few.served["x"].data)]
    assert kept
    assert set(kept) < {str(route["path"]) for route in ROUTES}


SHELVES = [
    {"method": "GET", "path": "/shelves", "body": ["north_end", "south_end"]},
    {"method": "GET", "path": "/stock/north_end", "body": {"boxes": 3}},
    {"method": "GET", "path": "/stock/south_end", "body": {"boxes": 4}},
]


def test_paths_come_from_texts_and_their_places_from_lists_without_keys() -> None:
    text = b"Shelves: GET /shelves. What lies on one: GET /stock/SHELF."
    files = {"x": json.dumps(SHELVES).encode(), "note": text}
    where = environment(files, view("service"), WORD)
    assert acquired_of(where, searched(where)).missing == ()
    silent = environment({**files, "note": b"Ask us."}, view("service"), WORD)
    assert acquired_of(silent, searched(silent)).missing == ("x",)


async def test_a_seed_is_solved_with_what_was_found_and_fails_without(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    reference = ImageReference(
        name=bare_image.name, python="3.11", requirements=(), digest=bare_image.digest
    )
    seed = seed_environment("ledger_reconciliation", reference)
    whole = await attempt(bubblewrap, seed, root=seed, image=bare_image, turns=50)
    assert whole.passed, whole.grading
    part = await attempt(bubblewrap, seed, root=seed, image=bare_image, turns=1)
    assert not part.passed
    assert part.acquired.missing


def test_a_lead_that_waits_goes_earlier_once_there_is_a_reason() -> None:
    leads = Leads()
    for key in ("a", "b", "c"):
        leads.add(4, "read", name="table", key=key)
    leads.add(1, "read", name="table", key="c")
    leads.add(1, "read", name="table", key="c")
    taken = [request.arguments["key"] for request in leads.take(5)]
    assert taken == ["c", "a", "b"]


def test_a_part_of_an_archive_is_a_text_like_any_other() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("content", "orders of March\n" * 20)
    assert unpacked(whole.getvalue()) == "orders of March\n" * 20
    for cut in range(1, len(whole.getvalue()), 7):
        assert isinstance(unpacked(whole.getvalue()[cut:]), str)


def test_an_account_tells_of_names_that_no_list_told_of() -> None:
    mentions = Mentions()
    mentions.learn_list([{"name": "a", "about": "A link: vault/0.links-1 gives it."}])
    assert mentions.named_by("a") == ["vault/0.links-1"]
    assert mentions.origin == {"vault/0.links-1": "a"}
