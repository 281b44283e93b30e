"""Targets at a commit: what is read, what is refused, and that it is read once."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import ConfigError, TargetError
from envplatform.swe.targets import (
    Code,
    GitSource,
    PackageIndex,
    Suite,
    Target,
    parse_target,
    prepare,
    sources_of,
)
from envplatform.swe.targets.git_source import default_commit, read_commit
from envplatform.tree import File
from tests.swe.fixes.histories.git_server import GitServer, serve_repository
from tests.swe.fixes.histories.made_repository import (
    EXECUTABLE,
    LINK,
    SUBMODULE,
    Change,
    MadeRepository,
    Moded,
)

NAME = "owner__name"
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
FILES: Mapping[str, Change] = {
    "pkg/__init__.py": b"x = 1\r\n",
    "run.sh": Moded(EXECUTABLE, b"#!/bin/sh\n"),
    "tests/test_a.py": b"def test_a(): pass",
    "tests/caf\udce9.txt": b"\xff\x00",
}


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """A small repository."""
    return MadeRepository(tmp_path / "made")


@pytest.fixture
def server(made: MadeRepository) -> Iterator[GitServer]:
    """Serves what was made."""
    with serve_repository(made.folder) as server:
        yield server


def target_at(source: GitSource, *, paths: tuple[str, ...] = ("tests",)) -> Target:
    """A target with its code in `pkg`."""
    return Target(
        name=NAME,
        source=source,
        license="MIT",
        python=("3.11",),
        requirements=(),
        suite=Suite(paths=paths),
        code=Code(roots=("pkg",)),
    )


async def prepared(source: GitSource, cache: Path, **how: tuple[str, ...]) -> object:
    """Prepare it; nothing is downloaded, since it needs no packages."""
    return await prepare(target_at(source, **how), cache, index=PackageIndex())


@pytest.mark.parametrize("kind", ["server", "server without filters", "folder"])
def test_bytes_names_and_modes_are_those_of_the_commit(
    kind: str, made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    commit = made.commit(FILES)
    made.commit({"pkg/__init__.py": b"x = 2\n"})
    server.allows_filter = kind != "server without filters"
    url = str(made.folder) if kind == "folder" else server.url
    found = read_commit(GitSource(url=url, commit=commit), tmp_path / "c", name=NAME)
    assert found.tree == {
        "pkg/__init__.py": File(b"x = 1\r\n"),
        "run.sh": File(b"#!/bin/sh\n", executable=True),
        "tests/test_a.py": File(b"def test_a(): pass"),
        "tests/caf\udce9.txt": File(b"\xff\x00"),
    }


def test_a_commit_is_asked_for_once(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    source = GitSource(url=server.url, commit=made.commit(FILES))
    first = read_commit(source, tmp_path / "c", name=NAME)
    asked = server.requests
    assert read_commit(source, tmp_path / "c", name=NAME) == first
    assert server.requests == asked


def test_a_commit_made_after_the_mirror_is_brought(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    old = GitSource(url=server.url, commit=made.commit(FILES))
    read_commit(old, tmp_path / "c", name=NAME)
    new = GitSource(url=server.url, commit=made.commit({"new.py": b"n"}))
    assert "new.py" in read_commit(new, tmp_path / "c", name=NAME).tree


def test_a_missing_commit_is_named_with_its_repository(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    made.commit(FILES)
    source = GitSource(url=server.url, commit="0" * 39 + "1")
    with pytest.raises(TargetError, match=r"has no commit 0+1.*correct source\.commit"):
        read_commit(source, tmp_path / "c", name=NAME)
    local = replace(source, url=str(made.folder))
    with pytest.raises(TargetError, match=r"has no commit 0+1"):
        read_commit(local, tmp_path / "c", name=NAME)


def test_an_unreachable_remote_is_named_without_its_password(tmp_path: Path) -> None:
    source = GitSource(url="http://user:secret@127.0.0.1:9/repo", commit="0" * 40)
    with pytest.raises(
        TargetError, match=r"http://127\.0\.0\.1:9/repo.*in source\.url"
    ) as caught:
        read_commit(source, tmp_path / "c", name=NAME)
    assert "secret" not in f"{caught.value}{source!r}"


def test_links_inside_become_copies_and_others_are_left_out(
    made: MadeRepository, tmp_path: Path
) -> None:
    links = {
        "tests/data": b"../data",
        "tests/deep": b"data/inner",
        "README": b"docs/README.md",
        "out": b"/etc/passwd",
        "up": b"../../x",
        "gone": b"nowhere",
        "data/loop": b"../data",
        "circle": b"circle",
    }
    files = {"data/a.txt": b"a", "data/inner/b.txt": b"b", "docs/README.md": b"r"}
    commit = made.commit(
        {**files, **{path: Moded(LINK, text) for path, text in links.items()}}
    )
    source = GitSource(url=str(made.folder), commit=commit)
    found = read_commit(source, tmp_path / "c", name=NAME)
    copies = {
        "README",
        "tests/data/a.txt",
        "tests/data/inner/b.txt",
        "tests/deep/b.txt",
    }
    assert found.links == copies
    assert set(found.tree) == {*files, *copies}
    assert found.tree["tests/deep/b.txt"] == File(b"b")


def test_links_can_not_blow_up(made: MadeRepository, tmp_path: Path) -> None:
    """Each folder holds the one before it many times."""
    changes: dict[str, Change] = {
        f"d0/{number}.txt": b"x" * 100 for number in range(10)
    }
    for depth in range(1, 6):
        for number in range(10):
            changes[f"d{depth}/{number}"] = Moded(LINK, b"../d%d" % (depth - 1))
    source = GitSource(url=str(made.folder), commit=made.commit(changes))
    with pytest.raises(TargetError, match="symbolic links of this repository make it"):
        read_commit(source, tmp_path / "c", name=NAME)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"tests/big.bin": LFS}, ["tests/big.bin", "Git LFS", "git lfs pull"]),
        ({"pkg/data.py": LFS}, ["pkg/data.py", "Git LFS"]),
        (
            {"tests/vendored": Moded(SUBMODULE, b"1" * 40)},
            ["tests/vendored", "submodule", "--init"],
        ),
        ({"tests": None, "pkg/linked.py": Moded(LINK, b"__init__.py")}, ["code.roots"]),
    ],
)
async def test_code_and_tests_that_are_not_there_are_refused(
    change: dict[str, Change],
    parts: list[str],
    made: MadeRepository,
    tmp_path: Path,
) -> None:
    made.commit(FILES)
    source = GitSource(
        url=str(made.folder),
        commit=made.commit({k: v for k, v in change.items() if v is not None}),
    )
    with pytest.raises(TargetError) as caught:
        await prepared(source, tmp_path / "c")
    for part in (NAME, *parts):
        assert part in str(caught.value)


async def test_what_is_hollow_elsewhere_stands_in_nobody_s_way(
    made: MadeRepository, tmp_path: Path
) -> None:
    made.commit({"docs/theme": Moded(SUBMODULE, b"1" * 40), "docs/a.png": LFS})
    source = GitSource(url=str(made.folder), commit=made.commit(FILES))
    await prepared(source, tmp_path / "c")


async def test_a_folder_whose_submodule_was_not_brought_is_refused(
    tmp_path: Path,
) -> None:
    text = TOML.replace('kind = "git"', 'kind = "path"\npath = "."').split("url")[0]
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("x = 1\n")
    (tmp_path / ".gitmodules").write_text(
        '[submodule "t"]\n\tpath = tests/vendored\n\turl = ../t\n'
    )
    target = parse_target(
        f"{text}\n[suite]\npaths = ['tests']\n[code]\nroots = ['pkg']\n",
        source="x",
        folder=tmp_path,
    )
    with pytest.raises(TargetError, match="tests/vendored is a submodule"):
        await prepare(target, tmp_path / "c", index=PackageIndex())


def test_a_tree_whose_names_leave_it_is_refused(
    made: MadeRepository, tmp_path: Path
) -> None:
    blob = made.blob(b"x").encode()
    entry = b"100644 ..\0" + bytes.fromhex(blob.decode())
    tree = made.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin",
                    stdin=entry)  # fmt: skip
    commit = made.git("commit-tree", tree, stdin=b"hostile")
    source = GitSource(url=str(made.folder), commit=commit)
    with pytest.raises(TargetError, match=r"'\.\.' is not a clean relative path"):
        read_commit(source, tmp_path / "c", name=NAME)


def test_the_commit_is_the_identity_and_the_url_is_not() -> None:
    one = target_at(GitSource(url="https://a.example/x", commit="1" * 40))
    moved = replace(one, source=GitSource(url="https://b.example/y", commit="1" * 40))
    other = replace(one, source=GitSource(url="https://a.example/x", commit="2" * 40))
    assert sources_of(one) == sources_of(moved)
    assert sources_of(one)["git commit"] != sources_of(other)["git commit"]


def test_the_default_branch_names_a_commit(
    made: MadeRepository, server: GitServer, tmp_path: Path
) -> None:
    made.commit(FILES)
    default_commit(server.url, tmp_path / "c", name=NAME)
    newest = made.commit({"new.py": b"n"})
    assert default_commit(server.url, tmp_path / "c", name=NAME) == (newest, server.url)


TOML = """
name = "owner__name"
license = "MIT"
python = ["3.11"]
requirements = ["pytest==9.2.0", "coverage==7.17.5"]
[source]
kind = "git"
url = "https://example.org/a/b.git"
commit = "0123456789012345678901234567890123456789"
[code]
roots = ["pkg"]
"""


def test_a_git_source_is_read_from_the_file() -> None:
    target = parse_target(TOML, source="x", folder=Path("f"))
    assert isinstance(target.source, GitSource)
    assert target.source.url == "https://example.org/a/b.git"
    local = TOML.replace('url = "https://example.org/a/b.git"', 'path = "../repo"')
    source = parse_target(local, source="x", folder=Path("/f")).source
    assert isinstance(source, GitSource)
    assert source.url == "/f/../repo"


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('0123456789"', '"', "commit"),
        ("https://example.org/a/b.git", "ext::sh -c id", "source.url is no https"),
        ("https://example.org/a/b.git", "/", "folders are path"),
        ("[code]", 'path = "x"\n[code]', "not both"),
        ('url = "https://example.org/a/b.git"\n', "", "give url"),
    ],
)  # fmt: skip
def test_a_wrong_git_source_is_named(old: str, new: str, part: str) -> None:
    assert old in TOML
    with pytest.raises(ConfigError, match=part):
        parse_target(TOML.replace(old, new), source="x", folder=Path())
