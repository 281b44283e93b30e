"""Fetching from an npm registry, a real HTTP server on this machine."""

import io
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import RegistryError
from envplatform.registries import (
    NpmRelease,
    configured_npm,
    fetch_npm,
    stream_archive,
)
from tests.registries.made_registry import MadeRegistry, serving, tarball


@pytest.fixture
def made() -> Iterator[MadeRegistry]:
    """A running registry."""
    with serving(MadeRegistry(data=tarball({"a.csv": b"x\n1\n"}))) as made:
        yield made


def test_a_tarball_is_fetched_once(made: MadeRegistry, tmp_path: Path) -> None:
    """The second time, nobody is asked."""
    first = fetch_npm(made.release, tmp_path, registry=made.registry)
    assert [path for path, _ in stream_archive(first)] == ["a.csv"]
    asked = len(made.asked)
    assert fetch_npm(made.release, tmp_path, registry=made.registry) == first
    assert len(made.asked) == asked == 2


def test_another_tarball_is_refused_and_not_kept(
    made: MadeRegistry, tmp_path: Path
) -> None:
    """Whatever the registry says of itself."""
    release = made.release
    made.data = tarball({"a.csv": b"other"})
    with pytest.raises(RegistryError, match=r"@made/data 1\.0\.0: .*sha512 is"):
        fetch_npm(release, tmp_path, registry=made.registry)
    assert not list(tmp_path.rglob("*.tgz"))


@pytest.mark.parametrize(
    ("document", "part"),
    [
        (b"{}", "names no tarball"),
        (b"no json", "names no tarball"),
        (b'{"dist": {"tarball": "file:///etc/passwd"}}', "names no address"),
    ],
)
def test_a_registry_that_answers_nonsense(
    document: bytes, part: str, made: MadeRegistry, tmp_path: Path
) -> None:
    """Is named with the package."""
    made.document = document
    with pytest.raises(RegistryError, match=rf"@made/data 1\.0\.0: .*{part}"):
        fetch_npm(made.release, tmp_path, registry=made.registry)


@pytest.mark.parametrize("version", ["2.0.0", "../../t.tgz"])
def test_a_version_that_is_not_there(
    version: str, made: MadeRegistry, tmp_path: Path
) -> None:
    """Or is no version."""
    release = replace(made.release, version=version)
    with pytest.raises(RegistryError, match="no such version"):
        fetch_npm(release, tmp_path, registry=made.registry)


@pytest.mark.parametrize("text", ["", "sha1-AAAA", "sha512-AAAA", "sha512-?"])
def test_a_pin_that_pins_nothing_is_refused(text: str) -> None:
    """Before anything is asked."""
    with pytest.raises(RegistryError, match="integrity"):
        _ = NpmRelease(package="a", version="1", integrity=text).pin


def test_npm_s_variables_are_honoured() -> None:
    """In any case, as npm does."""
    found = configured_npm(
        {"npm_config_registry": "https://npm.example/", "NPM_CONFIG_CAFILE": "/ca.pem"}
    )
    assert found.url == "https://npm.example/"
    assert found.certificate == "/ca.pem"


@pytest.mark.parametrize(
    ("program", "part"),
    [(None, "install npm, or set"), ("no program", "does not tell")],
)
def test_a_machine_without_a_sound_npm_is_told_what_to_do(
    program: str | None, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program is not None:
        npm = tmp_path / "npm"
        npm.write_text(program)
        npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RegistryError, match=part):
        configured_npm({})


def test_links_are_told_and_left_out(tmp_path: Path) -> None:
    """So that a reader can count them."""
    path = tmp_path / "x.tgz"
    with tarfile.open(path, "w:gz") as out:
        link = tarfile.TarInfo("p/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        out.addfile(link)
        file = tarfile.TarInfo("p/a")
        file.size = 1
        out.addfile(file, io.BytesIO(b"x"))
    links: list[str] = []
    assert [name for name, _ in stream_archive(path, link=links.append)] == ["a"]
    assert links == ["p/link"]
