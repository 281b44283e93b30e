"""Arms of equal count: rows are drawn after those that are too long fell out."""

from pathlib import Path

import pytest

from envplatform.errors import TrainingError
from envplatform.learning.training.checkpoint import read_checkpoint
from envplatform.learning.training.fit import fit
from envplatform.learning.training.rows import CompletionRow
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.training.made_orders import ROWS, order

LONG = CompletionRow(row_id="long", prompt="where is it " * 200, completion="there")


def test_rows_that_fall_out_cost_no_row_of_the_draw(tmp_path: Path) -> None:
    found = []
    for name, rows in (("plain", ROWS), ("with long", (LONG, *ROWS))):
        given = order(tmp_path, rows, exact_rows=4, steps=1)
        result = fit(given, WorkFolder(tmp_path / name), lambda _: None)
        found.append(read_checkpoint(result).record)
    assert [len(one.row_ids) for one in found] == [4, 4]
    assert found[0].row_ids == found[1].row_ids, "who else is there changes no draw"
    assert [len(one.left_out) for one in found] == [0, 1]


def test_fewer_rows_than_all_arms_have_are_an_error(tmp_path: Path) -> None:
    given = order(tmp_path, (LONG, *ROWS), exact_rows=8)
    with pytest.raises(
        TrainingError, match=r"8 rows are wanted; 7 can be read and 1 w"
    ):
        fit(given, WorkFolder(tmp_path / "w"), lambda _: None)
