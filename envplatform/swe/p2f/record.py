"""A baseline as bytes, for caches and stores."""

from pydantic import TypeAdapter, ValidationError

from envplatform.errors import StoreError
from envplatform.swe.p2f.baseline import Baseline


def baseline_to_json(baseline: Baseline) -> bytes:
    """Return `baseline` as JSON; equal baselines give equal bytes."""
    return TypeAdapter(Baseline).dump_json(baseline)


def baseline_from_json(data: bytes) -> Baseline:
    """Read what `baseline_to_json` wrote.

    Raises:
        StoreError: the bytes are damaged, or of another release of envplatform.
    """
    try:
        return TypeAdapter(Baseline).validate_json(data)
    except ValidationError as error:
        msg = f"a stored baseline can't be read ({error.error_count()} errors)"
        raise StoreError(msg) from error
