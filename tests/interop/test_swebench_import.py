"""SWE-bench instances come in by what their own scripts say; all others with a reason."""

import json
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle.archive import pack
from envplatform.errors import BundleError
from envplatform.interop.exporting import Exported
from envplatform.interop.imported import ImportedTask
from envplatform.interop.swebench import reading
from envplatform.interop.swebench.importing import SwebenchImporting, import_instances
from envplatform.interop.swebench.inside.grade import read_log, share
from envplatform.interop.swebench.write import write_task_repository
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.tree import File
from tests.release.made_release import keep
from tests.swe.small_repository import CANDIDATE, small_environment

NAME = CANDIDATE.candidate_id


@pytest.fixture
def exported(suite_image: Image, tmp_path: Path) -> Path:
    """A task repository with rows, as we write it."""
    store, folder, told = Store(tmp_path / "home"), tmp_path / "out", Exported()
    folder.mkdir()
    row = keep(store, small_environment(suite_image), repository="made__spans")
    write_task_repository(store, [row], folder, told)
    assert told.written == 1, told.left_out
    return folder


def edit_rows(folder: Path, *changes: Callable[[dict[str, Any]], object]) -> None:
    """Write the one row once for each change."""
    row = json.loads((folder / "rows.jsonl").read_text())
    rows = []
    for change in changes:
        rows.append(dict(row))
        change(rows[-1])
    (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))


async def imported(
    source: Path, provider: BubblewrapProvider, image: Image
) -> list[ImportedTask]:
    def image_for(python: str, pins: object) -> Image:
        assert (python, pins) == (image.python, image.requirements)
        return image

    works = SwebenchImporting(provider=provider, image_for=image_for)
    return [one async for one in import_instances(source, works)]


async def test_what_we_export_has_the_same_verdicts_when_it_comes_back(
    exported: Path, bubblewrap: BubblewrapProvider, suite_image: Image
) -> None:
    edit_rows(exported, lambda row: row.update(version=1.5, license=None))
    (one,) = await imported(exported / "rows.jsonl", bubblewrap, suite_image)
    assert (one.accepted, one.oracle, one.floor) == (True, 1.0, 0.0), one.problems
    assert one.findings == ()
    assert one.environment is not None
    assert one.environment.criteria == ("reward", "fail_to_pass", "pass_to_pass")
    (exported / "rows.jsonl").unlink()
    (again,) = await imported(exported, bubblewrap, suite_image)
    assert again.accepted, again.problems


async def test_a_fix_that_fixes_nothing_keeps_it_out(
    exported: Path, bubblewrap: BubblewrapProvider, suite_image: Image
) -> None:
    wrong = "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n"
    wrong += "@@ -1,3 +1,3 @@\n-# spans\n+# Spans\n \n Intervals with both ends.\n"
    edit_rows(exported, lambda row: row.update(patch=wrong))
    (one,) = await imported(exported, bubblewrap, suite_image)
    assert [problem.reason for problem in one.problems] == ["oracle_failed"]
    assert one.oracle == 0.0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"instance_id": "../../etc"}, "can't be the name of a folder"),
        ({"instance_id": ""}, "can't be the name of a folder"),
        ({"instance_id": "other"}, "other/repository.tar is missing"),
        ({"patch": None}, "field patch is missing"),
        ({"patch": 7}, "field patch is missing, or no text"),
        ({"patch": "no diff"}, "diff"),
        ({"patch": "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n"}, "x"),
        ({"FAIL_TO_PASS": "[1"}, "field FAIL_TO_PASS is missing, or no JSON"),
        ({"FAIL_TO_PASS": "[" * 100_000}, "or no JSON"),
        ({"PASS_TO_PASS": [1]}, "or no list of test ids"),
        ({"log_parser": "parse_log_jest"}, "only pytest's is here"),
    ],
)
async def test_bad_rows_are_named_and_cost_no_other(
    exported: Path,
    bubblewrap: BubblewrapProvider,
    suite_image: Image,
    change: dict[str, object],
    told: str,
) -> None:
    edit_rows(exported, lambda row: row.update(change))
    with (exported / "rows.jsonl").open("a") as file:
        file.write("\n{broken\n[1]\n")
    found = await imported(exported, bubblewrap, suite_image)
    assert [one.problems[0].reason for one in found] == ["malformed"] * 3
    assert told in found[0].problems[0].detail
    assert found[1].task_id == "rows.jsonl, line 3"


async def test_the_second_of_one_id_and_an_endless_line_are_kept_out(
    exported: Path,
    bubblewrap: BubblewrapProvider,
    suite_image: Image,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit_rows(exported, lambda row: row.update(patch=""), lambda row: row)
    monkeypatch.setattr(reading, "_MOST_ROW_BYTES", 40_000)
    with (exported / "rows.jsonl").open("a") as file:
        file.write(json.dumps({"instance_id": "x" * 100_000}) + "\n{}\n")
    found = await imported(exported, bubblewrap, suite_image)
    told = [one.problems[0].detail for one in found]
    assert "field patch is missing, or empty" in told[0]
    assert f"{NAME!r} is there twice" in told[1]
    assert told[2] == "rows.jsonl, line 3: over 40,000 bytes"
    assert "can't be the name of a folder" in told[3]


def hard_link() -> bytes:
    stream = BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("spans/core.py")
        member.type, member.linkname = tarfile.LNKTYPE, "/etc/passwd"
        archive.addfile(member)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("repository.tar", hard_link(), "is no plain file"),
        ("repository.tar", b"", "no whole tar"),
        ("repository.tar", pack({"a": File(b"a")})[:600], "tar"),
        ("requirements.txt", b"pytest\n", "'pytest' is no `name==version`"),
        ("requirements.txt", b"--index-url=http://x\n", "is no `name==version`"),
        ("requirements.txt", b"\xff", "is no UTF-8"),
        ("task.yaml", b"python: 3.11; rm\n", "is no version such as 3.11"),
        ("task.yaml", b"a: &a [1]\nb: *a\n", "aliases are not taken"),
    ],
)
async def test_bad_files_beside_a_row_are_named(
    exported: Path,
    bubblewrap: BubblewrapProvider,
    suite_image: Image,
    name: str,
    data: bytes,
    told: str,
) -> None:
    (exported / "tasks" / NAME / name).write_bytes(data)
    (one,) = await imported(exported, bubblewrap, suite_image)
    assert not one.accepted
    assert told in one.problems[0].detail


async def test_a_link_beside_a_row_is_not_followed(
    exported: Path, bubblewrap: BubblewrapProvider, suite_image: Image
) -> None:
    archive = exported / "tasks" / NAME / "repository.tar"
    archive.rename(exported / "elsewhere.tar")
    archive.symlink_to(exported / "elsewhere.tar")
    (one,) = await imported(exported, bubblewrap, suite_image)
    assert "missing, or no plain file" in one.problems[0].detail
    with pytest.raises(BundleError, match="is no file of rows"):
        await imported(exported / "tasks", bubblewrap, suite_image)


def log(body: str, status: int = 0) -> str:
    marks = (": '>>>>> Start Test Output'", ": '>>>>> End Test Output'")
    return f"{marks[0]}\n{body}\n{marks[1]}\n>>>>> Test Exit Code: {status}\n"


def test_logs_are_read_as_the_benchmark_reads_them() -> None:
    body = (
        "PASSED a::t\nFAILED b::t - assert 1\nXFAIL c::t\nSKIPPED [1] x.py: no\nnoise"
    )
    assert read_log(log(body, 1)) == {
        "a::t": "PASSED",
        "b::t": "FAILED",
        "c::t": "XFAIL",
    }
    assert read_log(log("PASSED a::t", 1)) == {}, "its status says otherwise"
    assert read_log("PASSED a::t") == {}
    assert read_log(log("PASSED a::t") + ">>>>> Tests Errored") == {}
    assert share({"a": "PASSED"}, ["a", "b"], {"PASSED"}) == 0.5
    assert share({}, [], {"PASSED"}) == 1.0
