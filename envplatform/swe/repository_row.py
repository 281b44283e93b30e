"""A target repository as a stored row, and back to the values that work needs.

The tree and the image are not in the row: both are made again from pinned, verified
sources, and refused if they are not the ones that the row names.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from envplatform.errors import StoreError, TargetError
from envplatform.store import NOT_IDENTITY
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.targets import (
    HealthyRepository,
    PackageIndex,
    Target,
    prepare,
    target_digest,
)

REVISION = 1
"""Raised when the same repository can become another row than before."""

_BASELINE = TypeAdapter(Baseline)
_TIMINGS = TypeAdapter(dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """One healthy repository and what its suite does."""

    repository: str
    """`owner__name`, the partition key."""
    commit: str
    """Identity of the tree: its digest (hex, SHA-256)."""
    license: str
    python: str
    requirements: tuple[str, ...]
    image_digest: str
    target_digest: str
    """Of what target.toml says of suite and code: whoever reads the row depends on it."""
    results: str
    """`pytest`: by our plugin's private channel; `junit`: by a report that code under test
    could have written."""
    source_files: int
    """Files that a bug may be put into."""
    stable_tests: int
    unstable_tests: tuple[str, ...]
    """`test id: why`, sorted."""
    covered_share: float
    """Of statements, 0..1. A bug in the rest would be dropped without a trace."""
    runs: int
    baseline: str
    """The baseline as JSON but for what follows: stable tests, lines by test."""
    timings: str = field(metadata=NOT_IDENTITY)
    """Seconds by stable test, as JSON."""
    suite_s: float = field(metadata=NOT_IDENTITY)
    sandbox: str = field(metadata=NOT_IDENTITY)


def row_of(repository: HealthyRepository, baseline: Baseline) -> TargetRow:
    """Build the row of a measured repository."""
    target = repository.target
    timeless = replace(baseline, seconds_by_test={}, suite_s=0.0, sandbox="")
    return TargetRow(
        repository=target.name,
        commit=repository.commit,
        license=target.license,
        python=repository.image.python,
        requirements=repository.image.requirements,
        image_digest=repository.image.digest,
        target_digest=target_digest(target),
        results=target.suite.results,
        source_files=len(target.source_paths(repository.tree)),
        stable_tests=len(baseline.stable),
        unstable_tests=tuple(
            f"{test.test_id}: {test.why}" for test in baseline.unstable
        ),
        covered_share=round(baseline.covered_share, 4),
        runs=baseline.runs,
        baseline=_BASELINE.dump_json(timeless).decode(),
        timings=_TIMINGS.dump_json(dict(baseline.seconds_by_test)).decode(),
        suite_s=round(baseline.suite_s, 3),
        sandbox=baseline.sandbox,
    )


def baseline_of(row: TargetRow) -> Baseline:
    """Read the baseline back.

    Raises:
        StoreError: the row was written by another version.
    """
    try:
        timeless = _BASELINE.validate_json(row.baseline)
        timings = _TIMINGS.validate_json(row.timings)
    except ValidationError as error:
        msg = (
            f"{row.repository}: the stored baseline can't be read "
            f"({error.error_count()} problems): materialise target_repositories again"
        )
        raise StoreError(msg) from error
    return replace(
        timeless, seconds_by_test=timings, suite_s=row.suite_s, sandbox=row.sandbox
    )


async def repository_of(
    row: TargetRow, target: Target, cache: Path, *, index: PackageIndex
) -> HealthyRepository:
    """Prepare the repository that `row` was measured on.

    Raises:
        TargetError: its files, packages or target.toml are others now.
    """
    repository = await prepare(target, cache, index=index)
    measured = {
        "its files": repository.commit == row.commit,
        "its packages": repository.image.digest == row.image_digest,
        "its target.toml": target_digest(target) == row.target_digest,
    }
    changed = [what for what, is_same in measured.items() if not is_same]
    if changed:
        msg = (
            f"{row.repository}: {' and '.join(changed)} changed since it was measured; "
            "materialise target_repositories again"
        )
        raise TargetError(msg)
    return repository
