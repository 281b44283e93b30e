"""Which licences are taken, and what lists of packages say of them."""

import json

import pytest

from envplatform.cowork.library.licences import Doubt, Stated, judge, read_list
from envplatform.cowork.library.specification import LicenceList

NONE: frozenset[str] = frozenset()
LISTED = LicenceList(
    path="datapackage.json",
    root="data/",
    names={"U.S. work": "LicenseRef-Public-Domain", "https://cc/by": "CC-BY-4.0"},
)


@pytest.mark.parametrize(
    "licence",
    [
        "MIT",
        "mit",
        "MIT AND CC0-1.0",
        "GPL-3.0-only OR MIT",
        "LicenseRef-Public-Domain",
    ],
)
def test_what_is_taken(licence: str) -> None:
    assert judge(licence, NONE) is None


@pytest.mark.parametrize(
    ("licence", "reason"),
    [
        ("", "no_licence"),
        ("  ", "no_licence"),
        ("CC-BY-SA-4.0", "licence_refused"),
        ("CC-BY-NC-4.0", "licence_refused"),
        ("MIT AND GPL-3.0-only", "licence_refused"),
        ("MIT WITH no-ads", "licence_refused"),
        ("MIT AND", "licence_unknown"),
        ("( MIT", "licence_unknown"),
        ("MIT OR " * 100 + "MIT", "licence_unknown"),
    ],
)
def test_what_is_not(licence: str, reason: str) -> None:
    doubt = judge(licence, NONE)
    assert doubt is not None
    assert doubt.reason == reason


def test_a_user_may_take_more() -> None:
    doubt = judge("ODbL-1.0", NONE)
    assert doubt is not None
    assert "[cowork.library]" in doubt.detail
    assert judge("ODbL-1.0", frozenset({"ODbL-1.0"})) is None


def entry(path: str, *licences: object) -> dict[str, object]:
    return {"path": path, "licenses": list(licences), "sources": [{"title": "A  desk"}]}


def test_a_list_states_licences_file_by_file() -> None:
    entries = [
        entry("a.csv", {"title": "U.S. work"}),
        entry(
            "b.csv", {"name": "other", "path": "https://cc/by"}, {"name": "U.S. work"}
        ),
        entry("c.csv"),
        entry("d.csv", {"title": "U.S. work"}, {"title": "my terms"}),
        {"path": "e.csv"},
    ]
    found = read_list(json.dumps({"resources": entries}).encode(), LISTED)
    assert found is not None
    assert found["data/a.csv"] == Stated(
        licence="LicenseRef-Public-Domain",
        licence_source="datapackage.json",
        attribution="A desk",
    )
    both = found["data/b.csv"]
    assert isinstance(both, Stated)
    assert both.licence == "CC-BY-4.0 AND LicenseRef-Public-Domain"
    reasons = {
        path: one.reason for path, one in found.items() if isinstance(one, Doubt)
    }
    assert reasons == {
        "data/c.csv": "no_licence",
        "data/d.csv": "licence_unknown",
        "data/e.csv": "no_licence",
    }


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"resources": [1]}', b'{"resources": 1}', b"[" * 9_000]
)
def test_what_is_no_list(data: bytes) -> None:
    assert read_list(data, LISTED) is None
