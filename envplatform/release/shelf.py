"""Where releases are kept: `releases/v1`, `v2` and so on below the home folder.

A version appears whole or not at all, and is never written to again. Makers take
turns; a version that is deleted by hand leaves a gap only while a later one is there.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import StoreError
from envplatform.store import Store
from envplatform.store.files import locked, sync

_VERSION = re.compile(r"v([1-9][0-9]{0,8})")
_UNFINISHED = ".making-"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The releases below one folder, which need not exist."""

    root: Path

    @property
    def versions(self) -> tuple[int, ...]:
        """All that are there, whole or damaged, oldest first."""
        if not self.root.is_dir():
            return ()
        found = (_VERSION.fullmatch(path.name) for path in self.root.iterdir())
        return tuple(sorted(int(one[1]) for one in found if one))

    def folder(self, version: int) -> Path:
        """Where a version lies.

        Raises:
            StoreError: there is none; names those that are there.
        """
        path = self.root / f"v{version}"
        if not path.is_dir():
            known = ", ".join(f"v{one}" for one in self.versions) or "none"
            msg = f"no release v{version} is kept in {self.root}; there are: {known}"
            raise StoreError(msg)
        return path

    def check_clear_of(self, to: Path) -> None:
        """See that what is written to `to` changes no release and looks like none.

        Raises:
            StoreError: it lies on the shelf.
        """
        if self.root.resolve() in (whole := to.resolve(), *whole.parents):
            msg = f"{to} lies where releases are kept; name a folder elsewhere"
            raise StoreError(msg)

    @contextmanager
    def making(self) -> Iterator[Path]:
        """Hold the shelf, with an empty folder to build in; it is gone afterwards."""
        with locked(self.root):
            for left in self.root.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left)  # of a maker that was killed: we hold the lock
            building = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.root))
            try:
                building.chmod(0o755)
                yield building
            finally:
                shutil.rmtree(building, ignore_errors=True)

    def put(self, building: Path, version: int) -> Path:
        """Let what was built take its place, durably; the shelf must be held."""
        target = self.root / f"v{version}"
        for path in (*building.rglob("*"), building):
            sync(path)
        building.rename(target)
        sync(self.root)
        return target


def shelf_of(store: Store) -> Shelf:
    """The releases of a store."""
    return Shelf(store.home / "releases")


def version_of(text: str) -> int:
    """Read `3` or `v3`.

    Raises:
        StoreError: it is no version.
    """
    found = _VERSION.fullmatch(text if text.startswith("v") else f"v{text}")
    if found is None:
        msg = f"{text!r} is no version of a release, such as v1"
        raise StoreError(msg)
    return int(found[1])
