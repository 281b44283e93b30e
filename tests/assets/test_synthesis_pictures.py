"""Tables and plots of the synthesis report: right figures, small, and safe to show."""

import base64
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from assets.bug_recipes import REAL_FIXES, real_bug_types, report_sources
from assets.plots import Axes, curves
from assets.synthesis_pictures import synthesis_pictures
from envplatform.store import Origin, Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.reverse_patch import CuratedPatch
from envplatform.swe.report import InducerRow, inducer_rows
from tests.swe.small_repository import CANDIDATE, VERDICT

REAL: Counter[BugType] = Counter({"logic": 6, "data": 2})
ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
AXES = Axes(x="K", y="bits", x_ticks=(5, 10, 200), y_ticks=(0, 1, 2))


def made(inducer: str, count: int = 24, operators: int = 2) -> list[BugCandidate]:
    kinds = list(BUG_TYPES)
    return [
        replace(
            CANDIDATE,
            candidate_id=f"{inducer}.{number}",
            inducer=inducer,
            operator=f"operator_{number % operators}",
            bug_type=kinds[number % 4],
            ast_digest=f"{number}",
        )
        for number in range(count)
    ]


def report(*inducers: str, **changed: int) -> tuple[InducerRow, ...]:
    candidates = [one for inducer in inducers for one in made(inducer, **changed)]
    verdicts: list[Verdict] = [
        replace(
            VERDICT,
            candidate_id=one.candidate_id,
            rejection="no_failure" if number % 4 == 3 else None,
        )
        for number, one in enumerate(candidates)
    ]
    return inducer_rows(candidates, verdicts, [], real=REAL)


def svg_of(picture: str) -> ET.Element:
    found = re.search(r"base64,([A-Za-z0-9+/=]+)\)", picture)
    assert found is not None
    return ET.fromstring(base64.b64decode(found[1]))  # noqa: S314  our own


def test_one_line_an_inducer_with_its_figures() -> None:
    table = synthesis_pictures(report("mutation", "mined"), REAL)["inducers"]
    lines = table.splitlines()
    assert len(lines) == 4
    assert lines[3].startswith(
        "| mutation | 24 | 24 | 24 | 18 | 75% (55-88) | 100.0% |"
    )


def test_stages_add_up_and_are_as_long_as_their_share() -> None:
    picture = synthesis_pictures(report("mutation"), REAL)["stages"]
    assert "| mutation | 24 | 24 | 24 | 24 | 18 | 0 |" in picture
    (path,) = svg_of(picture).findall("{*}path")
    widths = [float(width) for width in re.findall(r"h([0-9.]+)v", path.attrib["d"])]
    assert widths[0] == max(widths)
    assert widths[4] / widths[0] == pytest.approx(18 / 24, abs=0.01)
    assert len(widths) == 5  # no bar for no environment


def test_mbte_is_drawn_and_told() -> None:
    picture = synthesis_pictures(report("mutation", "mined"), REAL)["MBTE"]
    drawing = svg_of(picture)
    lines = drawing.findall("{*}polyline")
    assert len(lines) == 2
    assert [text.text for text in drawing.findall("{*}text")][-2:] == [
        "mined",
        "mutation",
    ]
    assert "| mutation | 1.56 (1) | 1.66 (1) | - | - | - | - |" in picture


def test_without_enough_bugs_of_one_file_the_picture_says_so() -> None:
    picture = synthesis_pictures(report("mutation", count=4), REAL)["MBTE"]
    assert picture == "No file has 5 proven bugs yet."


def test_bug_types_stand_beside_those_of_real_fixes() -> None:
    table = synthesis_pictures(report("mutation"), REAL)["bug types"]
    assert "| logic | 75% | 33% |" in table
    drawn = [text.text for text in svg_of(table).findall("{*}text")]
    assert drawn[-2:] == ["by mutation", "real fixes"]
    assert drawn.count("33%") == 3
    assert "Against 8 real fixes:" in table
    assert "- mutation: total variation 0.67, Jensen-Shannon divergence" in table


def test_without_real_fixes_the_table_says_what_to_do() -> None:
    table = synthesis_pictures(report("mutation"), Counter())["bug types"]
    assert "| logic | - | 33% |" in table
    assert "Materialise `curated_reverse_patches`" in table


def test_an_empty_report_has_pictures_too() -> None:
    pictures = synthesis_pictures((), Counter())
    assert {pictures[name] for name in ("inducers", "operators", "cost", "stages")} == {
        "-"
    }
    assert "base64" not in pictures["bug types"]


def test_pictures_of_many_inducers_and_operators_stay_small() -> None:
    """They enter the event log."""
    names = [f"inducer_{number}" for number in range(8)]
    pictures = synthesis_pictures(report(*names, count=200, operators=60), REAL)
    assert "440 more are in the table `synthesis_report`." in pictures["operators"]
    for title, picture in pictures.items():
        assert len(picture.encode()) < 8_000, title


def test_names_of_others_break_no_table_and_no_drawing() -> None:
    pictures = synthesis_pictures(report("a|b\n<img src=x>&"), REAL)
    for title, picture in pictures.items():
        assert "a?b??img src=x??" in picture, title
        assert "<img" not in picture
    assert svg_of(pictures["MBTE"]).findall("{*}text")[-1].text == "a|b\n<img src=x>&"


@pytest.mark.parametrize(
    ("point", "place"), [((5, 0), "46.0,260"), ((200, 2), "410.0,14")]
)
def test_the_ends_of_the_axes_are_the_corners_of_the_plot(
    point: tuple[int, float], place: str
) -> None:
    drawing = svg_of(curves({"one": [point]}, AXES, title="t"))
    (line,) = drawing.findall("{*}polyline")
    x, y = (float(each) for each in line.attrib["points"].split(","))
    assert (x, y) == tuple(float(each) for each in place.split(","))


@pytest.mark.parametrize("unit", ["tokens", "seconds"])
def test_bars_of_cost_are_drawn_for_what_was_spent(unit: str) -> None:
    rows = [
        replace(
            row,
            seconds_per_verified=2.0,
            tokens_per_verified=5.0 if unit == "tokens" else 0.0,
        )
        for row in report("mutation", "mined")
    ]
    picture = synthesis_pictures(rows, REAL)["cost"]
    assert picture.count("base64") == (2 if unit == "tokens" else 1)
    assert svg_of(picture).findall("{*}text")[0].text == unit
    free = [replace(row, seconds_per_verified=0.0) for row in rows]
    assert ("base64" in synthesis_pictures(free, REAL)["cost"]) == (unit == "tokens")


def curated(number: int, bug_type: BugType, rejection: str = "") -> CuratedPatch:
    return CuratedPatch(
        instance_id=f"a__b-{number}",
        source="fixes",
        repository="a/b",
        licence="MIT",
        rejection=rejection,
        detail="",
        duplicate_of="",
        bug_type=bug_type,
        context_tokens=1,
        changed_lines=1,
        code_files=1,
    )


def test_real_fixes_are_those_that_curation_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    resources = SimpleNamespace(store=SimpleNamespace(open=lambda: store))
    assert real_bug_types(store) == {}
    before = report_sources(resources)
    rows = [curated(0, "logic"), curated(1, "data", "duplicate"), curated(2, "logic")]
    store.write_rows(REAL_FIXES, rows, row_type=CuratedPatch, origin=ORIGIN)
    assert real_bug_types(store) == {"logic": 2}
    after = report_sources(resources)
    assert before.keys() == after.keys()
    assert before[REAL_FIXES] != after[REAL_FIXES]
