"""The commands of the Makefile that tests can give without installing anything."""

import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).resolve().parents[1] / "Makefile"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_clean_leaves_what_reviewers_voted_and_nothing_else(tmp_path: Path) -> None:
    """Run elsewhere, since it removes caches of the folder that it is run in too."""
    home = tmp_path / "home"
    made = ("tables/t", "releases/v1", "models/recordings", "dagster/storage")
    for name in (*made, "realism"):
        (home / name).mkdir(parents=True)
    (home / "realism" / "votes.jsonl").write_text("{}\n")
    subprocess.run(
        ["make", "-f", MAKEFILE, "clean", f"ENVPLATFORM_HOME={home}"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert [path.name for path in home.iterdir()] == ["realism"]
    assert (home / "realism" / "votes.jsonl").exists()
