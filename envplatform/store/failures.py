"""What went wrong with a partition the last time it was tried, for `status` and `why`.

A record stands beside the partition's table, which it leaves untouched, and goes when
a table is written or found up to date. The traceback is in the run's log, not here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from envplatform.errors import StoreError
from envplatform.store.files import locked, write_atomically
from envplatform.store.manifest import Text
from envplatform.store.names import encode_name, encode_partition

FAILURE_FILE = "failure.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One partition that could not be produced."""

    asset: Text
    partition: Text | None
    message: Text
    """Type and text of the exception, on one or more lines."""
    created: datetime
    run_id: str


_FAILURE = TypeAdapter(Failure)


def record_failure(root: Path, failure: Failure) -> None:
    """Keep `failure` in place of an earlier one."""
    folder = root / encode_name(failure.asset) / encode_partition(failure.partition)
    with locked(folder):
        write_atomically(folder / FAILURE_FILE, _FAILURE.dump_json(failure) + b"\n")


def clear_failure(root: Path, asset: str, partition: str | None) -> None:
    """Forget a failure, if there is one."""
    folder = root / encode_name(asset) / encode_partition(partition)
    (folder / FAILURE_FILE).unlink(missing_ok=True)


def failures(root: Path, asset: str) -> Iterator[Failure]:
    """Yield the failures of an asset that no success has followed.

    Raises:
        StoreError: a record is damaged.
    """
    for path in sorted((root / encode_name(asset)).glob(f"*/{FAILURE_FILE}")):
        try:
            yield _FAILURE.validate_json(path.read_bytes())
        except FileNotFoundError:
            continue  # cleared since by another process
        except ValidationError as error:
            msg = f"{path} is damaged ({error.error_count()} errors): delete it"
            raise StoreError(msg) from error
