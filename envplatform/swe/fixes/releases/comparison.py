"""Two consecutive releases -> the changed units that a new or changed test names.

Three quarters of what differs between releases is noise, and releases mix features
with fixes. So a change is kept only where one unit that both releases have differs in
code, and a test that is new or changed in the same release names it. That is weak
evidence of a fix: nothing is run, and a changed feature with a changed test passes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from envplatform.swe.fixes.releases.evidence import ChangedTest, changed_tests
from envplatform.swe.fixes.releases.units import Unit, UnitFile, parse, take_apart
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import File

_TOO_COMMON = 3
"""Names so short are in every test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitChange:
    """One unit that differs between two releases."""

    path: str
    unit: str
    kind: str
    before: bytes
    """The newer file with this one unit as the older release had it."""
    after: bytes
    """The newer file as released."""
    tests: tuple[ChangedTest, ...]
    """New or changed tests that name the unit; never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two releases have to show."""

    changes: tuple[UnitChange, ...]
    """By path, then name."""
    dropped: Mapping[str, int]
    """Number of files or units not taken, by reason."""


def compare_releases(old: Mapping[str, File], new: Mapping[str, File]) -> Comparison:
    """Compare the Python files that differ between two releases.

    Args:
        old: By path; files that are equal in both need not be here.
        new: Likewise.
    """
    tests = changed_tests(_tests_of(old), _tests_of(new))
    dropped: Counter[str] = Counter()
    changes: list[UnitChange] = []
    for path in sorted(new):
        if is_test_path(path):
            continue
        before = take_apart(old[path].data) if path in old else None
        after = take_apart(new[path].data)
        if before is None or after is None:
            dropped["new_or_unreadable_file"] += 1
            continue
        changes += _changes(path, before, after, tests, dropped)
    return Comparison(changes=tuple(changes), dropped=dict(dropped))


def _tests_of(files: Mapping[str, File]) -> dict[str, File]:
    return {path: file for path, file in files.items() if is_test_path(path)}


def _changes(
    path: str,
    before: UnitFile,
    after: UnitFile,
    tests: Sequence[ChangedTest],
    dropped: Counter[str],
) -> Iterator[UnitChange]:
    for name, unit in sorted(after.units.items()):
        was = before.units.get(name)
        if was is None:
            dropped["new_unit"] += 1
            continue
        if was.code == unit.code or not was.code or not unit.code:
            continue
        naming = _naming(unit, tests)
        defective = after.with_lines_of(unit, before, was)
        if not naming:
            dropped["no_test_names_it"] += 1
        elif parse(defective) is None:
            dropped["does_not_parse"] += 1
        else:
            yield UnitChange(
                path=path,
                unit=name,
                kind=unit.kind,
                before=defective,
                after=b"".join(after.lines),
                tests=naming,
            )


def _naming(unit: Unit, tests: Sequence[ChangedTest]) -> tuple[ChangedTest, ...]:
    """Tests that use the unit's own name; of a special method, its class's."""
    *outer, own = unit.name.split(".")
    name = outer[-1] if outer and own.startswith("__") else own
    if len(name) <= _TOO_COMMON:
        return ()
    return tuple(test for test in tests if name in test.mentions)
