"""Verdicts of the classifier on labelled real fixes whose histories are at hand.

Reads the shared data, and in `ENVPLATFORM_HISTORIES` a folder of git directories called
`OWNER+NAME/repo`. Which labels there are is told by the tests.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from envplatform.configuration import FixSourceSettings
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.fixes.bug_types.classify import classify
from envplatform.swe.fixes.histories.git_history import open_history
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.sources.opening import open_source

DATA = Path(os.environ.get("ENVPLATFORM_SHARED", "../shared")) / "data" / "fixes"
HISTORIES = Path(os.environ.get("ENVPLATFORM_HISTORIES", "no-histories"))
SETS = (
    "swebench_dev.parquet",
    "mined_fixes.jsonl",
    "swebench_live_rebuilt.jsonl",
    "tests4py.jsonl",
)


def verdicts(wanted: Collection[str], folder: Path) -> Iterator[tuple[str, BugType]]:
    """Yield id and verdict of each wanted fix that can be rebuilt here."""
    for repository, instances in _by_repository(wanted, folder).items():
        path = HISTORIES / repository.replace("__", "+") / "repo"
        if not path.is_dir():
            continue
        with open_history(repository, str(path), folder / "cache") as history:
            prefetch(instances, history)
            for instance in instances:
                try:
                    sides = reconstruct(instance, history)
                except Refused:
                    continue
                verdict = classify(sides.buggy, sides.fixed)
                yield instance.instance_id, verdict.bug_type


def _by_repository(
    wanted: Collection[str], folder: Path
) -> dict[str, list[FixInstance]]:
    found: dict[str, list[FixInstance]] = {}
    for path in (DATA / name for name in SETS if (DATA / name).exists()):
        settings = FixSourceSettings(path=str(path.absolute()))
        for row in open_source(settings, cache=folder).read():
            if isinstance(row, FixInstance) and row.instance_id in wanted:
                found.setdefault(row.repository, []).append(row)
    return found
