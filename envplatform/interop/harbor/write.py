"""Environments of the store as Harbor tasks: they are such already, so copies."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from envplatform.bundle import read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.interop.exporting import Exported
from envplatform.store import Store
from envplatform.store.names import encode_name

_DIGEST_SHOWN = 8


def write_tasks(
    store: Store, rows: Iterable[EnvironmentRow], folder: Path, told: Exported
) -> None:
    """Copy each environment into a folder of its name, verified before.

    Of several with one name the later ones have a part of their digest behind it.
    """
    for row in rows:
        try:
            source = store.directory(DIRECTORY_KIND, row.digest)
            read_environment(source, digest=row.digest)
        except (BundleError, StoreError) as error:
            told.leave_out(row.environment_id, error)
            continue
        to = folder / encode_name(row.environment_id)
        if to.exists():
            to = to.with_name(f"{to.name}.{row.digest[:_DIGEST_SHOWN]}")
        shutil.copytree(source, to)
        told.written += 1
