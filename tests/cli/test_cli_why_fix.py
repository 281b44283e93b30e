"""`envplatform why` of a published fix, wherever it came to its end."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envplatform.patches import diff_trees
from envplatform.store import Failure, Origin, Store
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.reverse_patch import (
    Analysis,
    CuratedPatch,
    ReversePatch,
    TrainingRow,
)
from envplatform.tree import File
from tests.cli.conftest import Answer, Call

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ORIGIN = Origin(created=NOW)
REPOSITORY = "made__spans"
ESCAPE = "\x1b]0;title\x07"
PATCH = diff_trees(
    {"a.py": File(b"x = 1\n")}, {"a.py": File(f"x = 2  # {ESCAPE}\n".encode())}
)
FIX = FixInstance(
    instance_id="fix-1",
    source="made",
    repository=REPOSITORY,
    origin="git",
    base_commit="a" * 40,
    patch=PATCH,
)
TURNED = ReversePatch(
    instance_id="fix-1",
    source="made",
    repository=REPOSITORY,
    licence="MIT",
    created_at="",
    refusal="",
    detail="",
    rung="strict",
    bug_patch=PATCH,
    code=(),
    analysis=Analysis(bug_type="logic", bug_evidence=("number_changed",)),
)
KEPT = CuratedPatch(
    instance_id="fix-1",
    source="made",
    repository=REPOSITORY,
    licence="MIT",
    rejection="",
    detail="",
    duplicate_of="",
    bug_type="logic",
    context_tokens=3,
    changed_lines=2,
    code_files=1,
)
DRAWN = TrainingRow(
    instance_id="fix-1",
    repository=REPOSITORY,
    licence="MIT",
    split="validation",
    bug_type="logic",
    context_tokens=3,
    code=(),
    bug_patch=PATCH,
)


class Told:
    """A store to be filled table by table, and the command on it."""

    def __init__(self, call: Call, home: Path) -> None:
        self._call = call
        self.store = Store(home)
        self.publish(FIX)

    def publish(self, *fixes: FixInstance) -> None:
        """Write the corpus."""
        self.store.write_rows(
            "fix_corpus", fixes, row_type=FixInstance, origin=ORIGIN,
            part_by="repository",
        )  # fmt: skip

    def turn(self, row: ReversePatch) -> None:
        """Write its repository's reverse patches."""
        self.store.write_rows(
            "reverse_patches", [row], row_type=ReversePatch, origin=ORIGIN,
            partition=row.repository,
        )  # fmt: skip

    def curate(self, *rows: CuratedPatch) -> None:
        """Write the verdicts."""
        self.store.write_rows(
            "curated_reverse_patches", rows, row_type=CuratedPatch, origin=ORIGIN
        )

    def draw(self, *rows: TrainingRow) -> None:
        """Write the training set."""
        self.store.write_rows(
            "bug_training_set", rows, row_type=TrainingRow, origin=ORIGIN
        )

    def why(self, *words: str) -> Answer:
        """Ask."""
        return self._call("why", *words)

    @property
    def conclusion(self) -> str:
        """Of the fix."""
        return str(self.why("fix-1", "--json").json["conclusion"])


@pytest.fixture
def told(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    """A corpus of one fix."""
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "home"))
    return Told(call, tmp_path / "home")


def test_each_step_of_its_way_is_told(told: Told) -> None:
    assert told.conclusion.startswith("published; not turned around yet")
    told.turn(TURNED)
    assert told.conclusion.startswith("turned around; not curated yet")
    told.curate()
    assert told.conclusion == "turned around after the last curation"
    told.curate(KEPT)
    assert told.conclusion.startswith("kept; no training set drawn yet")
    told.draw()
    assert told.conclusion == "kept; not drawn"
    told.draw(DRAWN)
    assert told.conclusion == "kept; in the validation split"


def test_refusals_and_rejections_come_with_their_detail(told: Told) -> None:
    told.turn(replace(TURNED, refusal="does_not_apply", detail="a.py, line 3"))
    assert told.conclusion == "refused: does_not_apply: a.py, line 3"
    told.turn(TURNED)
    told.curate(replace(KEPT, rejection="too_many_files", detail="4, at most 3"))
    assert told.conclusion == "rejected: too_many_files: 4, at most 3"


def test_a_repository_that_failed_says_why(told: Told) -> None:
    told.store.record_failure(
        Failure(
            asset="reverse_patches",
            partition=REPOSITORY,
            message="FixSourceError: no route to host",
            created=NOW,
            run_id="",
        )
    )
    expected = f"not turned around: {REPOSITORY} failed: FixSourceError: no route"
    assert told.conclusion.startswith(expected)


def test_a_quarantined_row_says_where_it_stands(told: Told) -> None:
    row = QuarantinedRow(
        source="made",
        row="fixes.jsonl, line 7",
        instance_id="bad-1",
        reason="no_base_commit",
        detail="base_commit is ''",
    )
    told.store.write_rows(
        "quarantined_fixes", [row], row_type=QuarantinedRow, origin=ORIGIN
    )
    answer = told.why("bad-1")
    assert answer.code == 0
    assert "quarantined: no_base_commit: base_commit is ''" in answer.out
    assert "fixes.jsonl, line 7" in answer.out


def test_a_table_left_behind_by_another_spelling_is_not_asked(told: Told) -> None:
    told.turn(replace(TURNED, repository="Made__Spans", refusal="commit_missing"))
    told.turn(TURNED)
    assert told.conclusion.startswith("turned around")


def test_an_instance_that_the_corpus_lost_is_unknown(told: Told) -> None:
    told.turn(TURNED)
    told.publish()
    answer = told.why("fix-1")
    assert answer.code == 1
    assert "'fix-1'" in answer.err


def test_the_object_has_all_that_is_known(told: Told) -> None:
    told.turn(TURNED)
    assert told.why("fix-1", "--json").json == {
        "instance_id": "fix-1",
        "source": "made",
        "repository": REPOSITORY,
        "conclusion": "turned around; not curated yet "
        "(materialise curated_reverse_patches)",
        "rung": "strict",
        "bug_type": "logic",
        "bug_evidence": ["number_changed"],
        "bug_patch": PATCH,
    }


def test_what_strangers_wrote_steers_no_terminal(told: Told) -> None:
    told.turn(TURNED)
    out = told.why("fix-1").out
    assert "bug type logic (number_changed), patch rung strict" in out
    assert "\x1b]0" not in out
    assert "\\x1b]0;title" in out
    told.turn(replace(TURNED, refusal="patch_path", detail=f"[red]{ESCAPE}[/red]"))
    assert "[red]\\x1b]0;title\\x07[/red]" in told.why("fix-1").out


@pytest.mark.parametrize("name", ["", "fix", "fix-1 ", "FIX-1", "../fix-1"])
def test_only_the_whole_id_names_a_fix(told: Told, name: str) -> None:
    answer = told.why("--json", "--", name)
    assert answer.code == 1
    assert answer.json["error"] == "StoreError"


def test_a_damaged_table_is_named(told: Told) -> None:
    told.turn(TURNED)
    (data,) = (told.store.home / "tables" / "reverse_patches").rglob("*.parquet")
    data.write_bytes(data.read_bytes()[:-9])
    answer = told.why("fix-1")
    assert answer.code == 1
    assert "is damaged" in answer.err
    assert "materialise the asset again" in answer.err
