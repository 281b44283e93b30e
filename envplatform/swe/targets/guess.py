"""Guess a target from a plain folder, for those who have written no target.toml."""

import re
import sys
from pathlib import Path, PurePosixPath

from envplatform.errors import TargetError
from envplatform.swe.targets.pythons import default_requirements
from envplatform.swe.targets.target import Code, FolderSource, Suite, Target
from envplatform.swe.targets.targetfile_tables import checked_pins
from envplatform.tree import Tree

DEFAULT_REQUIREMENTS = default_requirements(
    f"{sys.version_info.major}.{sys.version_info.minor}"
)
"""What every suite needs on the Python that runs us; a target's imports come on top."""
_TEST_FOLDERS = ("tests", "test")
_ASIDE = frozenset({"docs", "doc", "examples", "benchmarks", "scripts", "setup.py"})


def guess_target(
    tree: Tree, *, folder: Path, requirements: tuple[str, ...] = ()
) -> Target:
    """Guess where code and tests are; pins in `requirements` win over ours.

    Raises:
        TargetError: no tests or no code can be made out, or a pin is not exact.
    """
    tests = find_tests(tree)
    prefix = "src/" if any(path.startswith("src/") for path in tree) else ""
    roots = _roots(tree, prefix, tests)
    if not tests or not roots:
        lacking = "tests (a tests folder or test_*.py)" if not tests else "Python code"
        msg = f"{folder} has no {lacking} that I can make out; write a target.toml"
        raise TargetError(msg)
    own = {pin.split("==")[0].lower() for pin in requirements}
    pins = [p for p in DEFAULT_REQUIREMENTS if p.split("==")[0] not in own]
    try:
        merged = checked_pins(tuple(sorted([*requirements, *pins])))
    except ValueError as error:
        msg = f"requirements: {error}"
        raise TargetError(msg) from error
    return Target(
        name="local__"
        + (re.sub(r"[^A-Za-z0-9_.-]", "-", folder.resolve().name) or "tree"),
        source=FolderSource(path=folder),
        license="unknown",
        python=(f"{sys.version_info.major}.{sys.version_info.minor}",),
        requirements=merged,
        suite=Suite(paths=tests, pythonpath=("src", ".") if prefix else (".",)),
        code=Code(
            roots=roots, exclude=("*/tests/*", "*/test/*", "*/test_*.py", "test_*.py")
        ),
    )


def find_tests(tree: Tree) -> tuple[str, ...]:
    """Return the top test folder, else the folders inside packages, else test files."""
    pythons = [PurePosixPath(path) for path in sorted(tree) if path.endswith(".py")]
    for name in _TEST_FOLDERS:
        if any(path.parts[0] == name and len(path.parts) > 1 for path in pythons):
            return (name,)
    inner = {
        PurePosixPath(*path.parts[: place + 1]).as_posix()
        for path in pythons
        for place, part in enumerate(path.parts[:-1])
        if part in _TEST_FOLDERS
    }
    files = {p.as_posix() for p in pythons if p.name.startswith("test_")}
    return tuple(sorted(inner or files))


def _roots(tree: Tree, prefix: str, tests: tuple[str, ...]) -> tuple[str, ...]:
    """Return the packages and modules at the top, or below `src`."""
    roots: set[str] = set()
    for path in tree:
        if not path.endswith(".py") or not path.startswith(prefix):
            continue
        head, slash, _ = path.removeprefix(prefix).partition("/")
        is_aside = head in _ASIDE or head in _TEST_FOLDERS or prefix + head in tests
        if is_aside or head.startswith(("test_", "conftest", ".")):
            continue
        if not slash or f"{prefix}{head}/__init__.py" in tree:
            roots.add(prefix + head)
    return tuple(sorted(roots))
