"""The page on Cowork lists what the code has: findings with whose work they are, families."""

import re
from pathlib import Path
from typing import get_args

from envplatform.bundle import CheckResult
from envplatform.cowork.detection import findings_of
from envplatform.cowork.detection.pass_mark import PASS_MARK
from envplatform.cowork.families import families
from envplatform.cowork.roles import FindingKind
from envplatform.cowork.taxonomy import taxonomy
from envplatform.grading.gate import FULL

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cowork.md"


def rows(columns: int) -> list[tuple[str, ...]]:
    """Return the lines of all tables of so many columns, heads included."""
    cells = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    return [row for row in cells if len(row) == columns]


def test_every_finding_is_listed_with_whose_work_it_is() -> None:
    listed = {
        row[0].strip("`"): row[2] for row in rows(3) if re.match(r"`\w+`$", row[0])
    }
    assert set(listed) == set(get_args(FindingKind))
    names = (
        *FULL,
        "portability",
        "controlled_failures",
        "other_spellings",
        "user_matters",
    )
    for name in names:
        check = CheckResult(name=name, status="failed", evidence="")
        found = findings_of([check])
        roles = ", ".join(one.role for one in found)
        assert listed[found[0].kind] == roles, name


def test_every_family_is_listed_by_scenario() -> None:
    """A new family: put its line here, in the order of scenarios, then of names."""
    scenarios = taxonomy().scenario
    wanted = [
        (meaning, f"`{one.name}`", one.title, one.pattern.replace("_", " "))
        for name, meaning in scenarios.items()
        for one in families()
        if one.scenario == name
    ]
    listed = [row for row in rows(4) if row[0] in scenarios.values()]
    assert listed == wanted


def test_the_pass_mark_is_the_one_of_the_code() -> None:
    assert f"The pass mark is {PASS_MARK:g}." in PAGE.read_text(encoding="utf-8")
