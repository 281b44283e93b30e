from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.histories.location import parse_location


@pytest.mark.parametrize(
    "text",
    [
        "--upload-pack=touch /tmp/x",
        "-x",
        "ext::sh -c true",
        "ext::sh",
        "fd::17",
        "ext://sh",
        "ftp://example.org/a.git",
        "https://example.org/a b",
        "https://example.org/a\nb",
        "host:-oProxyCommand=x",
        "-host:path",
        "no/such/folder",
        "",
    ],
)
def test_what_is_no_url_and_no_folder_is_refused(text: str) -> None:
    with pytest.raises(FixSourceError, match=r"\[fixes\]"):
        parse_location(text, repository="a__b")


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a.git",
        "http://example.org:8080/a",
        "ssh://git@example.org/a.git",
        "git://example.org/a",
        "git@example.org:owner/name.git",
        "file:///srv/a.git",
    ],
)
def test_the_usual_urls_are_taken_as_they_are(text: str) -> None:
    location = parse_location(text, repository="a__b")
    assert (location.url, location.is_local) == (text, False)


def test_credentials_are_neither_shown_nor_part_of_the_digest() -> None:
    first = parse_location("https://me:secret@example.org/a?t=1", repository="a__b")
    second = parse_location("https://example.org/a", repository="a__b")
    assert first.shown == "https://example.org/a"
    assert first.digest == second.digest
    said = first.redact(f"can't access '{first.url}' or https://x:secret@other/")
    assert "secret" not in said


def test_a_refused_url_is_named_without_its_credentials() -> None:
    with pytest.raises(FixSourceError) as caught:
        parse_location("ftp://me:secret@example.org/a", repository="a__b")
    assert "secret" not in str(caught.value)


def test_a_folder_becomes_an_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ext::sh").mkdir()
    location = parse_location("ext::sh", repository="a__b")
    assert (location.url, location.is_local) == (str(tmp_path / "ext::sh"), True)
