"""The plugin that keeps a fork from collecting what it was not asked for, and orders.

Where a file holds hundreds of tests and a candidate touches a few, making them all
takes longer than running those few. Leaves out folders and files that hold no wanted
test, and functions and classes without one. What another plugin names in a way of its
own is not found then, so it does not pass in a healthy fork, and is judged cold.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

_HAS_PATHS = int(pytest.__version__.split(".")[0]) >= 7  # noqa: PLR2004
"""Whether hooks get a `pathlib.Path`; before they did, folders are read as ever."""
_ROOM = 100_000
"""Objects to be made before the first collection of garbage: imports leave little."""


class Narrow:
    """Knows what is wanted, once somebody says."""

    def __init__(self) -> None:
        self._names: set[str] | None = None
        self._paths: set[str] | None = None
        self._places: dict[str, int] = {}
        self._thresholds = gc.get_threshold()

    def want(self, root: str, ids: Sequence[str], paths: Sequence[str]) -> None:
        """Collect `ids` only, run them in that order, and hold garbage back till then.

        The order is that of who asks: what is most likely to fail soon comes first.
        """
        names: set[str] = set()
        for test in ids:
            file, _, rest = test.partition("::")
            place = file
            for part in rest.partition("[")[0].split("::"):
                place = f"{place}::{part}"
                names.add(place)
        self._names = names
        self._places = {test: place for place, test in enumerate(ids)}
        self._paths = _ways(Path(root), paths)
        gc.set_threshold(_ROOM, *self._thresholds[1:])

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(
        self, collector: pytest.Collector, name: str
    ) -> list[pytest.Item] | None:
        """Make nothing of what is not wanted."""
        if self._names is None or f"{collector.nodeid}::{name}" in self._names:
            return None
        return []

    if _HAS_PATHS:

        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
            """Pass over what does not lead to a wanted file."""
            if self._paths is None or str(collection_path) in self._paths:
                return None
            return True

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Order what every other plugin, ours included, left."""
        yield
        last = len(self._places)
        items.sort(key=lambda item: self._places.get(item.nodeid, last))

    def pytest_collection_finish(self) -> None:
        """Collect garbage as ever, unless the code under test has its own mind."""
        if gc.get_threshold() == (_ROOM, *self._thresholds[1:]):
            gc.set_threshold(*self._thresholds)


def _ways(root: Path, paths: Sequence[str]) -> set[str] | None:
    """Return files and the folders that lead to them; None: a whole folder is meant."""
    found: set[str] = set()
    for path in paths:
        file = root / path
        if not file.is_file():
            return None
        found.update(map(str, (file, *file.parents)))
    return found
