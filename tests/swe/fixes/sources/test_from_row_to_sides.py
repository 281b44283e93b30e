"""Rows whose correct side is elsewhere than in most sets, all the way to both sides."""

import json
from pathlib import Path

from envplatform.patches import diff_trees
from envplatform.swe.fixes.histories.git_history import open_history
from envplatform.swe.fixes.histories.inline import InlineHistory
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.tree import File
from tests.swe.fixes.histories.made_repository import MadeRepository
from tests.swe.fixes.sources.made_rows import read_all, write_lines

CORRECT = {"pkg/a.py": File(b"x = 1\r\ny = 2\n")}
DEFECTIVE = {"pkg/a.py": File(b"x = 1\r\ny = 3\n")}


def test_a_row_of_swe_smith_has_its_correct_files_upstream(tmp_path: Path) -> None:
    """The commit is cut to eight digits, and the patch goes from right to wrong."""
    made = MadeRepository(tmp_path / "made")
    commit = made.commit({"pkg/a.py": CORRECT["pkg/a.py"].data})
    row = {
        "instance_id": f"o__r.{commit[:8]}.lm_rewrite__abc",
        "repo": f"swesmith/o__r.{commit[:8]}",
        "patch": diff_trees(CORRECT, DEFECTIVE),
        "image_name": "made/image",
    }
    (instance,), _ = read_all(write_lines(tmp_path / "smith.jsonl", row))
    with open_history(instance.repository, made.url, tmp_path / "mirrors") as history:
        prefetch([instance], history)
        sides = reconstruct(instance, history)
    assert (dict(sides.fixed), dict(sides.buggy)) == (CORRECT, DEFECTIVE)
    assert sides.bug_patch == row["patch"]


def test_a_row_of_r2e_gym_carries_both_sides(tmp_path: Path) -> None:
    content = {
        "file_diffs": [
            {
                "header": {"file": {"path": "pkg/a.py"}},
                "old_file_content": DEFECTIVE["pkg/a.py"].data.decode(),
                "new_file_content": CORRECT["pkg/a.py"].data.decode(),
            }
        ]
    }
    row = {
        "repo_name": "sympy",
        "commit_hash": "a" * 40,
        "parsed_commit_content": json.dumps(content),
    }
    (instance,), _ = read_all(write_lines(tmp_path / "r2e.jsonl", row))
    sides = reconstruct(instance, InlineHistory())
    assert (dict(sides.fixed), dict(sides.buggy)) == (CORRECT, DEFECTIVE)
    assert instance.patch == diff_trees(DEFECTIVE, CORRECT)
