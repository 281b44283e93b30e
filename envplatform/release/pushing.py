"""A release as a folder for others: what `datasets.load_dataset` and a hub read."""

import shutil
from pathlib import Path

from envplatform.errors import ExportError
from envplatform.interop.exporting import whole_folder
from envplatform.release.manifest import MANIFEST, Release
from envplatform.release.verifying import check_whole


def push(folder: Path, to: Path) -> Release:
    """Copy the release in `folder` to `to`, which appears whole or not at all.

    Raises:
        ExportError: something is there already, or `to` lies in a release.
        StoreError: the release is damaged, or was while it was copied.
    """
    for above in to.resolve().parents:
        if (above / MANIFEST).exists():
            msg = f"{to} lies in the release {above}; name a folder elsewhere"
            raise ExportError(msg)
    release = check_whole(folder)
    with whole_folder(to) as beside:
        for name in (*sorted(release.files), MANIFEST):
            target = beside / name
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, target)
        check_whole(beside)
    return release
