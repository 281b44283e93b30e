"""Which files of a release are tests, by their paths alone."""

from pathlib import PurePosixPath


def is_test_path(path: str) -> bool:
    """Whether `path` lies in a folder of tests, or is named like one."""
    parts = PurePosixPath(path)
    folders = {"test", "tests"} & set(parts.parts[:-1])
    named = parts.stem.startswith(("test_", "tests_")) or parts.stem.endswith("_test")
    return bool(folders) or named or parts.name == "conftest.py"
