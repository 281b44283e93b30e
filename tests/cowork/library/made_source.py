"""Sources made by tests: folders, and what is said of them."""

from collections.abc import Mapping
from pathlib import Path

from envplatform.cowork.library.collect import Collected, collect
from envplatform.cowork.library.specification import (
    FileRule,
    Folder,
    Limits,
    SourceSpec,
)
from envplatform.store import Store

MIT = FileRule(files=("*",), licence="MIT", licence_source="LICENSE")


def folder_source(
    root: Path, files: Mapping[str, bytes], *rules: FileRule, name: str = "made"
) -> SourceSpec:
    """Write files, and name them as a source."""
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    root.mkdir(exist_ok=True)
    return SourceSpec(
        name=name, origin=Folder(path=root), include=("*",), rules=rules or (MIT,)
    )


def collected(
    tmp_path: Path, files: Mapping[str, bytes], *rules: FileRule, limits: Limits
) -> tuple[Collected, Store]:
    """Collect a folder of these files."""
    store = Store(tmp_path / "home")
    spec = folder_source(tmp_path / "source", files, *rules)
    return collect(spec, store, tmp_path / "cache", limits), store
