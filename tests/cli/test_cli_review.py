"""`envplatform review`: pairs drawn from a store, out and back; served until it is ended."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.fixes.reverse_patch import (
    Analysis,
    CuratedPatch,
    ReversePatch,
)
from tests.assets.made_rollouts import ORIGIN
from tests.cli.conftest import Call
from tests.evaluation.realism.made_pairs import AT
from tests.swe.small_repository import CANDIDATE, VERDICT

BUGS = 4


def write_bugs(store: Store) -> None:
    """Four proven bugs and four real ones; one more of each that does not count."""
    candidates = [replace(CANDIDATE, candidate_id=f"ours{n}") for n in range(BUGS + 1)]
    proven = [replace(VERDICT, candidate_id=f"ours{n}") for n in range(BUGS)]
    real = [
        ReversePatch(
            instance_id=f"real{n}",
            source="history",
            repository="o__n",
            licence="MIT",
            created_at="",
            refusal="",
            detail="",
            rung="strict",
            bug_patch=CANDIDATE.bug_patch,
            code=(),
            analysis=Analysis(),
        )
        for n in range(BUGS + 1)
    ]
    curated = [
        CuratedPatch(
            instance_id=one.instance_id,
            source=one.source,
            repository=one.repository,
            licence="MIT",
            rejection="" if number < BUGS else "too_many_files",
            detail="",
            duplicate_of="",
            bug_type="other",
            context_tokens=1,
            changed_lines=2,
            code_files=1,
        )
        for number, one in enumerate(real)
    ]
    tables: tuple[tuple[str, Any, Any, str | None], ...] = (
        ("bug_candidates", candidates, BugCandidate, "o__n"),
        ("verified_bugs", proven, Verdict, "o__n"),
        ("reverse_patches", real, ReversePatch, "o__n"),
        ("curated_reverse_patches", curated, CuratedPatch, None),
    )
    for asset, rows, row_type, partition in tables:
        store.write_rows(
            asset, rows, row_type=row_type, partition=partition, origin=ORIGIN
        )


@pytest.fixture
def project(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with reviewers and bugs."""
    del call  # clears the caller's environment first
    folder = tmp_path / "project"
    folder.mkdir()
    text = '[realism]\nreviewers = ["ann", "bob", "cat"]\n'
    (folder / "envplatform.toml").write_text(text)
    monkeypatch.setenv("ENVPLATFORM_HOME", str(folder / "home"))
    write_bugs(Store(folder / "home"))
    return folder


def test_pairs_go_out_and_votes_come_back(call: Call, project: Path) -> None:
    out = project / "pairs.jsonl"
    answer = call("review", "--export", out, "--json", folder=project)
    assert answer.json["pairs"] == BUGS
    shown = [json.loads(line) for line in out.read_text().splitlines()]
    assert {tuple(one) for one in shown} == {("pair_id", "left", "right")}
    again = call("review", "--export", out, folder=project)
    assert again.code == 1
    assert "exists; name a file that does not" in again.err

    back = project / "votes.jsonl"
    votes = [
        {"pair_id": one["pair_id"], "reviewer": name, "choice": "left", "at": AT}
        for one in shown
        for name in ("ann", "eve")
    ]
    back.write_text("".join(f"{json.dumps(one)}\n" for one in votes))
    answer = call("review", "--import", back, "--json", folder=project)
    assert answer.code == 3
    assert answer.json["taken over"] == BUGS
    assert len(answer.json["refused"]) == BUGS
    assert f"{back}:2: unknown reviewer 'eve'" in answer.json["refused"][0]


def test_label_studio_tasks_are_a_list(call: Call, project: Path) -> None:
    out = project / "tasks.json"
    call("review", "--export", out, "--format", "label-studio", folder=project)
    tasks = json.loads(out.read_text())
    assert [set(one["data"]) for one in tasks] == [{"pair_id", "left", "right"}] * BUGS


def test_without_reviewers_it_says_what_to_write(call: Call, project: Path) -> None:
    (project / "envplatform.toml").write_text("")
    answer = call("review", folder=project)
    assert answer.code == 1
    assert "names no reviewers" in answer.err


def test_with_nothing_to_review_it_says_what_to_materialise(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVPLATFORM_HOME", str(project / "empty"))
    answer = call("review", folder=project)
    assert answer.code == 1
    assert "materialise these first" in answer.err
    assert not (project / "empty" / "realism").exists()


def test_a_file_that_is_not_there_is_named(call: Call, project: Path) -> None:
    answer = call("review", "--import", project / "none.jsonl", folder=project)
    assert answer.code == 1
    assert "none.jsonl" in answer.err


def test_two_things_at_once_are_refused(call: Call, project: Path) -> None:
    out = project / "pairs.jsonl"
    for words in (("--browse", "--export", out), ("--export", out, "--import", out)):
        answer = call("review", *words, folder=project)
        assert (answer.code, "exclude each other" in answer.err) == (1, True)
    assert not out.exists()


@pytest.mark.parametrize("words", [[], ["--browse"]])
def test_it_serves_until_ctrl_c(project: Path, words: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "envplatform", "review", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline().strip()  # printed once it listens
        url = said if words else said.removeprefix("ann: ")
        assert url.startswith("http://127.0.0.1:")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(url, timeout=60) as response:
            text = response.read().decode()
        assert ("Environments" if words else "Review by ann") in text
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in {0, 130}
    finally:
        process.kill()
        process.communicate()
