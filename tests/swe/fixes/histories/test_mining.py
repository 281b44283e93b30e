from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.patches import apply_patch
from envplatform.swe.fixes.histories.git_history import open_history
from envplatform.swe.fixes.histories.licence_text import recognised_licence
from envplatform.swe.fixes.histories.log import MAX_CHANGES, read_log
from envplatform.swe.fixes.histories.mining import (
    GitSource,
    MiningRules,
    mined_repository,
)
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.tree import File
from tests.swe.fixes.histories.made_repository import (
    LINK,
    Change,
    MadeRepository,
    Moded,
)

MIT = (
    b"MIT License\n\nPermission is hereby granted, free of charge, to any\nperson ...\n"
)
TEST = {"tests/test_a.py": b"assert 2\n"}


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """One commit to start from."""
    made = MadeRepository(tmp_path / "owner" / "name.git")
    made.commit(
        {
            "LICENSE": MIT,
            "src/a.py": b"a = 1\r\nb = 2\r\n",
            "tests/test_a.py": b"assert 1\n",
        },
        message="Fix everything at the start",
    )
    return made


@pytest.fixture
def source(made: MadeRepository, tmp_path: Path) -> GitSource:
    return GitSource(name="mine", url=made.url, cache=tmp_path / "cache")


def instances(source: GitSource) -> list[FixInstance]:
    return [row for row in source.read() if isinstance(row, FixInstance)]


def test_a_fix_with_its_test_becomes_an_instance(
    made: MadeRepository, source: GitSource
) -> None:
    base = made.git("rev-parse", "main")
    fix = made.commit(
        {"src/a.py": b"a = 2\r\nb = 2\r\n", **TEST}, message="Fix the sum\n\nWas off.\n"
    )
    (found,) = instances(source)
    assert found.instance_id == f"owner__name-{fix[:10]}"
    assert (found.base_commit, found.fix_commit) == (base, fix)
    assert found.repository == "owner__name"
    assert found.problem_statement == "Fix the sum\n\nWas off."
    assert found.created_at == "2023-11-14T22:13:22Z"
    assert found.licence == "MIT"
    before = {"src/a.py": File(b"a = 1\r\nb = 2\r\n")}
    after = {"src/a.py": File(b"a = 2\r\nb = 2\r\n")}
    assert apply_patch(before, found.patch) == after
    assert "tests/test_a.py" in found.test_patch
    assert "tests/test_a.py" not in found.patch


def test_what_is_mined_can_be_reversed(
    made: MadeRepository, source: GitSource, tmp_path: Path
) -> None:
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix the sum")
    found = instances(source)
    with open_history("owner__name", made.url, tmp_path / "cache") as history:
        prefetch(found, history)
        assert reconstruct(found[0], history).fixed == {"src/a.py": File(b"a = 2\n")}


@pytest.mark.parametrize(
    "message",
    [
        "fix: off by one",
        "Bugfix for #12",
        "Crashes no more on empty input",
        "Closes #7",
        "resolve owner/name#7",
        "Handle wrong type",
        "Regression in parser",
    ],
)
def test_messages_that_speak_of_a_fix_are_taken(
    message: str, made: MadeRepository, source: GitSource
) -> None:
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message=message)
    assert len(instances(source)) == 1


@pytest.mark.parametrize(
    "message",
    [
        "Add a feature (#12)",
        "Fix typo in docs",
        "Fix a typo",
        'Revert "Fix the sum"',
        "Bump ruff, fixes lint",
        "Prefix names",
        "",
    ],
)
def test_other_messages_are_not(
    message: str, made: MadeRepository, source: GitSource
) -> None:
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message=message)
    assert instances(source) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"src/a.py": b"a = 2\n"},
        TEST,
        {"README.md": b"x\n", **TEST},
        {"src/link.py": Moded(LINK, b"a.py"), "src/a.py": b"a = 2\n", **TEST},
        {"src/a.py": b"#\n" * 201, **TEST},
        {"src/a.py": b"a = 2\n", **{f"docs/{n}.md": b"x\n" for n in range(10)}, **TEST},
        {"src/a.py": b"a\0b\n", **TEST},
    ],
)
def test_changes_that_are_no_small_fix_of_code_with_a_test_are_not_taken(
    changes: dict[str, Change], made: MadeRepository, source: GitSource
) -> None:
    made.commit(changes, message="Fix the sum")
    assert list(source.read()) == []


def test_rules_may_do_without_a_test(made: MadeRepository, source: GitSource) -> None:
    made.commit({"src/a.py": b"a = 2\n"}, message="Fix the sum")
    lax = replace(source, rules=MiningRules(needs_test=False))
    assert len(instances(lax)) == 1
    assert lax.digest() != source.digest()


def test_binary_files_of_tests_are_left_out_of_the_test_patch(
    made: MadeRepository, source: GitSource
) -> None:
    changes = {"src/a.py": b"a = 2\n", "tests/data.bin": b"\0\1", **TEST}
    made.commit(changes, message="Fix the sum")
    (found,) = instances(source)
    assert "data.bin" not in found.test_patch
    assert "test_a.py" in found.test_patch


def test_merges_are_left_out_and_what_they_bring_is_found(
    made: MadeRepository, source: GitSource
) -> None:
    base = made.git("rev-parse", "main")
    fix = made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix the sum")
    made.git("update-ref", "refs/heads/main", base)
    made.commit({"src/a.py": b"a = 3\n", **TEST}, message="Fix by merge", merge=fix)
    assert [one.fix_commit for one in instances(source)] == [fix]


def test_messages_and_paths_can_forge_no_commit(
    made: MadeRepository, source: GitSource
) -> None:
    path = "src/\x01" + "a" * 40 + "\n:100644.py"
    message = "Fix the sum\n\x01" + "b" * 40 + "\n:100644 100644 x y M"
    fix = made.commit({path: b"a = 2\n", **TEST}, message=message)
    assert [one.fix_commit for one in instances(source)] == [fix]


def test_a_file_that_is_too_large_costs_its_own_commit_only(
    made: MadeRepository, source: GitSource
) -> None:
    made.commit({"src/big.py": b"#" * (10 * 2**20), **TEST}, message="Fix the sum")
    good = made.commit({"src/a.py": b"a = 2\n", "tests/b.py": b""}, message="Fix it")
    rows = list(source.read())
    assert [one.fix_commit for one in rows if isinstance(one, FixInstance)] == [good]
    assert [one.reason for one in rows if isinstance(one, QuarantinedRow)] == [
        "too_large"
    ]


def test_reading_twice_gives_the_same_rows(
    made: MadeRepository, source: GitSource
) -> None:
    for number in range(5):
        changes = {"src/a.py": b"a = %d\n" % number, "tests/t.py": b"%d\n" % number}
        made.commit(changes, message=f"Fix #{number}")
    assert list(source.read()) == list(source.read())
    assert len(instances(source)) == 5


def test_a_new_commit_is_found_and_changes_the_digest(
    made: MadeRepository, source: GitSource
) -> None:
    before = source.digest()
    assert source.digest() == before
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix the sum")
    assert len(instances(source)) == 1
    assert source.digest() != before


def test_a_revision_ends_what_is_read(made: MadeRepository, source: GitSource) -> None:
    first = made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix the sum")
    made.commit({"src/a.py": b"a = 3\n", "tests/t.py": b""}, message="Fix it again")
    pinned = replace(source, revision=first)
    assert [one.fix_commit for one in instances(pinned)] == [first]


@pytest.mark.parametrize("revision", ["no-such-branch", "--all", "a b", "main\nmain"])
def test_a_revision_that_is_not_there_is_named(
    revision: str, source: GitSource
) -> None:
    with pytest.raises(FixSourceError, match=r"mine.*no revision.*fixes\.sources"):
        list(replace(source, revision=revision).read())


def test_a_repository_without_commits_is_named(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "empty")
    source = GitSource(name="mine", url=made.url, cache=tmp_path / "cache")
    with pytest.raises(FixSourceError, match="has no commits"):
        source.digest()


def test_a_path_is_mined_as_a_url_is(made: MadeRepository, source: GitSource) -> None:
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix the sum")
    local = replace(source, url=str(made.folder))
    assert list(local.read()) == list(source.read())


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/owner/name.git", "owner__name"),
        ("https://me:pw@example.org/owner/name/", "owner__name"),
        ("git@example.org:owner/name.git", "owner__name"),
        ("/srv/git/owner/name", "owner__name"),
        ("/home/me/project/.git", "me__project"),
        ("/name", "local__name"),
        ("a__b/c d", "a-b__c-d"),
        ("../..", "local__repository"),
    ],
)
def test_a_repository_is_named_by_the_end_of_its_url(url: str, name: str) -> None:
    assert mined_repository(url) == name


NO_ENDORSEMENT = b"""Redistribution and use in source and binary forms ... The names of
    the contributors may not be used to endorse or promote
    products derived from this software"""


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (MIT, "MIT"),
        (b"Apache License\n   Version 2.0, January 2004", "Apache-2.0"),
        (b"GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June", "LGPL-3.0-only"),
        (b"Redistribution and use in source and binary forms", "BSD-2-Clause"),
        (NO_ENDORSEMENT, "BSD-3-Clause"),
        (b"All rights reserved.", ""),
        (b"\xff\xfe\0", ""),
    ],
)
def test_licences_are_told_by_their_text(text: bytes, licence: str) -> None:
    assert recognised_licence(text) == licence


def test_a_default_branch_that_got_another_name_is_followed(
    made: MadeRepository, source: GitSource
) -> None:
    before = source.digest()
    made.git("branch", "-m", "main", "trunk")
    made.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    assert source.digest() == before


def test_a_default_branch_that_is_another_one_now_is_followed(
    made: MadeRepository, source: GitSource
) -> None:
    first = made.git("rev-parse", "main")
    made.commit({"src/a.py": b"a = 2\n", **TEST}, message="Fix it")
    assert len(instances(source)) == 1
    made.git("update-ref", "refs/heads/old", first)
    made.git("symbolic-ref", "HEAD", "refs/heads/old")
    assert instances(source) == []


@pytest.mark.parametrize("is_path", [True, False])
def test_a_head_that_is_on_no_branch_is_followed(
    made: MadeRepository, source: GitSource, *, is_path: bool
) -> None:
    """As in a checkout that a continuous integration made."""
    if is_path:
        source = replace(source, url=str(made.folder))
    start = made.git("rev-parse", "main")
    assert instances(source) == []
    for number in range(2, 4):
        content = b"a = %d\n" % number
        fix = made.commit(
            {"src/a.py": content, "tests/test_a.py": content}, message="Fix it"
        )
        made.git("update-ref", "--no-deref", "HEAD", fix)
        made.git("update-ref", "refs/heads/main", start)
        assert [one.fix_commit for one in instances(source)] == [fix]


def test_a_message_without_bounds_costs_no_other_commit(
    made: MadeRepository, source: GitSource
) -> None:
    for number, more in enumerate(("x" * 20_000_000, ""), start=2):
        content = b"a = %d\n" % number
        made.commit(
            {"src/a.py": content, "tests/test_a.py": content},
            message=f"Fix number {number}\n\n{more}",
        )
    found = instances(source)
    assert [one.problem_statement[:12] for one in found] == [
        "Fix number 3",
        "Fix number 2",
    ]
    assert len(found[1].problem_statement) == 2**20


def test_of_a_commit_of_very_many_files_some_are_kept(
    made: MadeRepository,
) -> None:
    blob = made.blob(b"x = 1\n")
    names = "".join(f"100644 blob {blob}\tm{number}.py\n" for number in range(3_000))
    root = made.git("mktree", stdin=names.encode())
    start = made.git("rev-parse", "main")
    commit = made.git("commit-tree", root, "-p", start, stdin=b"Fix all")
    (logged,) = read_log(made.folder, commit)
    assert len(logged.changes) == MAX_CHANGES


def test_a_log_that_breaks_off_within_a_commit_names_the_mirror(
    made: MadeRepository,
) -> None:
    made.commit({"lost/a.py": b"1\n", **TEST}, message="Fix it")
    made.forget(made.git("rev-parse", "main^{tree}"))
    with pytest.raises(FixSourceError, match="remove that folder"):
        list(read_log(made.folder, made.git("rev-parse", "main")))


def test_a_digest_knows_the_name_that_stands_in_every_row(source: GitSource) -> None:
    assert replace(source, name="other").digest() != source.digest()
