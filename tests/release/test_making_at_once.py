"""Releases made at once, and by a process that is killed: whole, once, or not there."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from envplatform.release.shelf import shelf_of
from envplatform.release.verifying import damages
from envplatform.store import Store
from tests.release.made_release import filled, released

DIES = """
import os, signal, sys
from envplatform.release.gathering import stored_inputs
from envplatform.release.making import make
from envplatform.store import Store
from pathlib import Path
from tests.release.made_release import NOW, SETTINGS

def told(done, total):
    if done == total - 1:
        os.kill(os.getpid(), signal.SIGKILL)

store = Store(Path(sys.argv[1]))
make(store, stored_inputs(store), SETTINGS, created=NOW, told=told)
"""


def test_a_maker_that_is_killed_leaves_no_release(tmp_path: Path) -> None:
    store = filled(tmp_path / "home")
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(store.home)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    shelf = shelf_of(store)
    assert shelf.versions == ()
    (left,) = shelf.root.glob(".making-*")
    assert list(left.rglob("*.parquet")), "or it was killed before it wrote"
    made = released(store)
    assert (made.is_new, made.release.version) == (True, 1)
    assert damages(made.folder) == ()
    assert not left.exists()


def test_makers_at_once_make_one_release(tmp_path: Path) -> None:
    homes = [filled(tmp_path / "home").home] * 4
    with ThreadPoolExecutor(len(homes)) as pool:
        made = list(pool.map(lambda home: released(Store(home)), homes))
    assert sorted(one.is_new for one in made) == [False, False, False, True]
    assert {one.folder.name for one in made} == {"v1"}
    assert damages(made[0].folder) == ()
    assert shelf_of(Store(homes[0])).versions == (1,)
