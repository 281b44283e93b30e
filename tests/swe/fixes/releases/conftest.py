"""What the tests of releases share."""

from collections.abc import Iterator

import pytest

from tests.swe.fixes.releases.made_index import MadeIndex, serving


@pytest.fixture
def made() -> Iterator[MadeIndex]:
    """A running index with nothing on it."""
    with serving() as index:
        yield index
