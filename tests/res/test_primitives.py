"""Each primitive: pure, exact, closed behind it, and refused where it does not fit."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.res.primitives import primitive, primitive_names
from envplatform.tree import File
from envplatform.workspace import Binding, Interface, check_lens, transform
from envplatform.workspace.recovery import Recovery
from envplatform.ws.wire import digest
from tests.res.workspaces import environment, seeds

NAME = "books/ledger.csv"
ONLY_TABLES = {"external_schema_view"}
NEED_NUMBERS = {"numeric_reencoding"}
SIZES: Mapping[str, tuple[str, int, int]] = {
    "sharding": ("parts", 2, 12),
    "pagination": ("pages", 2, 24),
    "summary_to_detail": ("records", 2, 60),
    "field_reference": ("values", 1, 40),
    "namespace_bridge": ("identifiers", 1, 40),
    "numeric_reencoding": ("base", 2, 36),
    "export_preparation": ("polls", 1, 6),
    "evidence_dispersion": ("sources", 2, 3),
    "source_routing": ("decoys", 1, 2),
    "multi_source_export": ("exports", 2, 3),
    "version_selection": ("versions", 2, 3),
    "staged_publication": ("stages", 3, 5),
}
CONTENTS = {
    "no final newline": b"alpha;beta\n12;13\n14;15",
    "crlf": b"alpha,1\r\nbeta,22\r\ngamma,333\r\n",
    "unicode": "größe,müller 12\nµ,\u2028x 7\n日本 alpha,3\n".encode(),
    "its own syntax": b'<a1b2c3> ~12~ #abcdef# alpha_b 007 {"stamp": "x"}\nsecond 5\n',
    "one line": b"alpha beta gamma 12",
    "one letter": b"y\n",
    "empty": b"",
    "no text": b"\xff\x00\x01alpha beta 12\n\xfe",
}
FIT = {
    "no final newline": 17,
    "crlf": 17,
    "unicode": 17,
    "its own syntax": 14,
    "one line": 14,
    "one letter": 11,
    "empty": 7,
    "no text": 6,
}
"""How many primitives take each; the others refuse it."""


def refusal(root: Environment, name: str, at: str) -> str:
    """Apply a primitive and hold it to all that makes one; return why it was refused."""
    try:
        check_lens(root, primitive(name), Binding(name=at), 1)
    except BundleError as error:
        return str(error)
    return ""


def test_there_are_seventeen() -> None:
    assert len(primitive_names()) == 17
    with pytest.raises(BundleError, match="there is no operator 'fly'; there are arch"):
        primitive("fly")


@pytest.mark.parametrize("name", primitive_names())
def test_it_holds_over_all_that_the_seeds_declare(name: str) -> None:
    found = [(root, at, refusal(root, name, at)) for root, at in seeds()]
    refused = [why for _, _, why in found if why]
    assert all("no table" in one or "no number" in one for one in refused)
    assert not refused or name in ONLY_TABLES | NEED_NUMBERS
    assert len(found) - len(refused) > 10


@pytest.mark.parametrize("content", CONTENTS)
def test_odd_contents_come_back_or_are_refused(content: str) -> None:
    root = environment(CONTENTS[content])
    found = [refusal(root, name, NAME) for name in primitive_names()]
    refused = [why for why in found if why]
    reasons = ("there is", "there are", "no text", "no table")
    assert all(any(one in why for one in reasons) for why in refused), refused
    assert len(found) - len(refused) == FIT[content]


@pytest.mark.parametrize(
    "name", ["a b", "ünï/ç", "x", "-dash", "a\"q'", "end/", "Up/FILE.TXT", " lead"]
)
def test_odd_names_are_names(name: str) -> None:
    for one in primitive_names():
        check_lens(environment(name=name), primitive(one), Binding(name=name), 1)


@pytest.mark.parametrize("at", ["notes", "stock", "orders"])
def test_folders_tables_and_services_are_contents_too(at: str) -> None:
    taken = [one for one in primitive_names() if one not in ONLY_TABLES]
    for one in taken:
        check_lens(environment(), primitive(one), Binding(name=at), 3)


@pytest.mark.parametrize("name", SIZES)
def test_options_are_held_to_their_range(name: str) -> None:
    option, least, most = SIZES[name]
    for value in (least, most):
        binding = Binding(name=NAME, options={option: value})
        check_lens(environment(), primitive(name), binding, 1)
    for wrong in (least - 1, most + 1, "2", True):
        with pytest.raises(BundleError, match=f"{option} (is|must)"):
            transform(
                environment(),
                primitive(name),
                Binding(name=NAME, options={option: wrong}),
                1,
            )


@pytest.mark.parametrize("name", primitive_names())
def test_unknown_options_are_refused(name: str) -> None:
    binding = Binding(name=NAME, options={"colour": "red"})
    with pytest.raises(BundleError, match="there is no option 'colour'"):
        transform(environment(), primitive(name), binding, 1)
    assert set(primitive(name).options()) <= {"on", *(one[0] for one in SIZES.values())}


def test_options_say_how_much_there_is() -> None:
    binding = Binding(name=NAME, options={"parts": 3})
    child, _ = transform(environment(), primitive("sharding"), binding, 1)
    assert len(Interface(child).document(NAME)["parts"]) == 3


def test_what_a_list_does_not_tell_tells_of_itself_to_who_knows_it() -> None:
    sharded, _ = transform(environment(), primitive("sharding"), Binding(name=NAME), 1)
    part = Interface(sharded).document(NAME)["parts"][0]
    coded, _ = transform(sharded, primitive("namespace_bridge"), Binding(name=part), 1)
    session = Interface(coded)
    assert part not in str(session.ask("list").data)
    about = session.ask("list", prefix=part).data["names"][0]["about"]
    assert f"{part}.ids-" in about
    assert session.ask("list", prefix=part[:-1]).data["names"] == []


def test_a_tasks_own_stamp_is_no_key() -> None:
    root = environment(b'{"stamp": "0123456789ab"}\n')
    binding = Binding(name="notes", options={"on": NAME})
    with pytest.raises(BundleError, match="is no document with a stamp"):
        transform(root, primitive("dependency_lookup"), binding, 1)


def test_a_decoy_of_a_stamped_document_has_no_key() -> None:
    gated = _child(environment(), "version_selection")
    log = next(one.name for one in gated.views if ".releases-" in one.name)
    moved, _ = transform(gated, primitive("index_rebuild"), Binding(name=log), 1)
    places = {one.name: one.location for one in moved.resources}
    hidden = [one for one in moved.views if not one.listed]
    assert all(b"stamp" in moved.served[places[one.source]].data for one in hidden)
    taken, problem = [], ""
    for one in hidden:
        binding = Binding(name="notes", options={"on": one.name})
        try:
            transform(moved, primitive("dependency_lookup"), binding, 1)
            taken.append(one.name)
        except BundleError as error:
            problem = str(error)
    assert (len(hidden), len(taken)) == (2, 1)
    assert problem.endswith("is no document with a stamp")


def test_a_gate_does_not_give_the_name_of_a_hidden_document_away() -> None:
    first, _ = transform(environment(), primitive("link_lookup"), Binding(name=NAME), 1)
    handle = next(one.name for one in first.views if not one.listed)
    hidden, _ = transform(
        first, primitive("version_selection"), Binding(name=handle), 1
    )
    log = next(one.name for one in hidden.views if ".releases-" in one.name)
    binding = Binding(name="notes", options={"on": log})
    child, recipe = transform(hidden, primitive("dependency_lookup"), binding, 1)
    listing = Interface(child).ask("list").data
    assert handle not in str(listing)
    assert "whose SHA-256 begins with" in str(listing)
    assert Recovery({"notes": recipe}, Interface(child).request).get("notes")
    again = Binding(name=log, options={"on": "notes"})
    with pytest.raises(BundleError, match="is no document with a stamp"):
        transform(child, primitive("dependency_lookup"), again, 1)


def test_short_contents_can_not_be_tried_out() -> None:
    """The same name, content and seed beside another file: all tokens differ."""
    one, other = environment(b"yes\n"), environment(b"yes\n", name=NAME)
    other = replace(other, served={**other.served, "f/a.txt": File(b"more\n")})
    names = [
        {view.name for view in _child(root, "dependency_lookup").views} - {NAME}
        for root in (one, other)
    ]
    assert len(names[0] & names[1]) == 3


def test_an_archive_is_not_readable_as_it_is() -> None:
    shown = Interface(_child(environment(), "archive_view")).read(NAME)
    assert b"north_pipe" not in shown


@pytest.mark.parametrize("name", ["version_selection", "source_routing"])
def test_decoys_are_not_marked(name: str) -> None:
    child = _child(environment(b"one\n"), name)
    made = [one.data for path, one in child.served.items() if path.startswith("made/")]
    assert b"not one\n" in made
    assert not any(b"#" in one for one in made)


def test_a_release_log_is_the_only_one_to_tell_versions() -> None:
    child = _child(environment(), "version_selection")
    view = next(one for one in child.views if one.name == NAME)
    refused = Interface(child).ask("read", name=NAME).message
    assert not any(version in refused for version in view.options["versions"])
    assert f"{NAME}.releases-" in refused


OTHER_CONTENT: Mapping[str, str] = {
    "archive_view": "holds another content",
    "evidence_dispersion": "alone is enough",
    "field_reference": "not of the content",
    "index_rebuild": "right before and after",
    "link_lookup": "lacks the content",
    "numeric_reencoding": "do not come back",
    "pagination": "one is lost",
    "sharding": "parts are not the content",
    "source_routing": "lacks it",
    "summary_to_detail": "records are not the content",
    "version_selection": "is in force",
}
"""What a child says in whose making the content became another one."""
OTHER_OPTIONS: Mapping[str, tuple[dict[str, Any], str]] = {
    "dependency_lookup": (
        {"key_sha256": digest(NAME.encode())},
        "opens without the key",
    ),
    "export_preparation": ({"polls": 0}, "before the job is done"),
    "multi_source_export": ({"after": []}, "wants no other export"),
    "staged_publication": ({"stages": ["published"]}, "stages can be skipped"),
}
OTHER_TEXT: Mapping[str, tuple[str, str, str]] = {
    "external_schema_view": (r'"version":"?.*"', '"version": "0"', "another version"),
    "namespace_bridge": (r'": "[^"]*"', '": "A-101"', "not one to one"),
}


@pytest.mark.parametrize("name", primitive_names())
def test_its_own_check_refuses_what_is_spoiled(name: str) -> None:
    child, content = _child(environment(), name), b""
    problem = OTHER_CONTENT.get(name, "")
    if name in OTHER_OPTIONS:
        options, problem = OTHER_OPTIONS[name]
        views = tuple(
            replace(one, options={**one.options, **options})
            if set(options) <= set(one.options)
            else one
            for one in child.views
        )
        child = replace(child, views=views)
    if name in OTHER_TEXT:
        old, new, problem = OTHER_TEXT[name]
        child = replace(child, served=dict(_bent(child, old, new)))
    with pytest.raises(BundleError, match=f"{name} of {NAME}: .*{problem}"):
        primitive(name).check(lambda: Interface(child), content, Binding(name=NAME))


def _bent(child: Environment, old: str, new: str) -> Iterator[tuple[str, File]]:
    for path, file in child.served.items():
        is_made = path.startswith("made/")
        yield (
            path,
            File(re.sub(old.encode(), new.encode(), file.data)) if is_made else file,
        )


def _child(root: Environment, name: str) -> Environment:
    return transform(root, primitive(name), Binding(name=NAME), 1)[0]
