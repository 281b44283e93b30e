"""Finding environments of Cowork in a store, by what their rows say."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.find import OF_COWORK, find_row, table_of
from envplatform.errors import StoreError
from envplatform.store import Store
from tests.store.rows import ORIGIN
from tests.swe.small_repository import ENVIRONMENT_ROW

ROW = replace(
    ENVIRONMENT_ROW,
    environment_id="cowork.quote_pricing.s12.n0003",
    candidate_id="cowork.quote_pricing.s12.n0003",
    pillar="cowork",
    repository="",
    operator="",
    family="quote_pricing",
)


def test_an_environment_of_cowork_is_found_with_its_shard(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_rows(
        OF_COWORK, [ROW], row_type=EnvironmentRow, origin=ORIGIN, partition="12"
    )
    found = find_row(store, "cowork.quote_pricing.s12")
    assert found == ROW
    assert table_of(found) == (OF_COWORK, "12")
    with pytest.raises(StoreError, match=r"no environment 'cowork\.payroll"):
        find_row(store, "cowork.payroll")
