"""The judged bugs of SWE-bench that releases still have, and what their suites need."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a package's suites need."""

    requirements: tuple[str, ...]
    """Besides what every suite needs, or in its place."""
    root: str
    """Folder of the code."""
    pythonpath: str
    exclude: tuple[str, ...] = ()
    tests: str
    """Folder of the whole suite."""


LAYOUTS: Mapping[str, Layout] = {
    "marshmallow": Layout(
        requirements=(
            "python-dateutil==2.8.2",
            "pytz==2023.3",
            "simplejson==3.19.1",
            "six==1.16.0",
        ),
        root="src/marshmallow",
        pythonpath="src",
        tests="tests",
    ),
    "pydicom": Layout(
        # Its tests are set up by methods called `setup`, which pytest 8 left behind.
        requirements=("numpy==1.23.5", "pytest==7.4.4", "setuptools==68.2.2"),
        root="pydicom",
        pythonpath=".",
        exclude=("pydicom/tests/*",),
        tests="pydicom/tests",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One judged fix, and the release that holds its mended side."""

    instance_id: str
    package: str
    version: str
    patch: str
    test_patch: str
    fail_to_pass: frozenset[str]
    pass_to_pass: frozenset[str]


def instances(shared: Path) -> tuple[Instance, ...]:
    """Read the instances whose tests are known to go from green to red.

    Raises:
        OSError: the data is not there.
    """
    folder = shared / "data" / "fixes"
    listed = json.loads((folder / "pypi_sdist_rebuild.json").read_bytes())
    rows = pq.read_table(folder / "swebench_dev.parquet").to_pylist()
    published = {row["instance_id"]: row for row in rows}
    return tuple(
        Instance(
            instance_id=one["instance_id"],
            package=one["pypi"],
            version=one["version"],
            patch=published[one["instance_id"]]["patch"],
            test_patch=published[one["instance_id"]]["test_patch"],
            fail_to_pass=_ids(published[one["instance_id"]]["FAIL_TO_PASS"]),
            pass_to_pass=_ids(published[one["instance_id"]]["PASS_TO_PASS"]),
        )
        for one in listed
        if one["f2p_reproduced_py311"]
    )


def _ids(text: str) -> frozenset[str]:
    return frozenset(json.loads(text))
