"""Reading the way back of a transformed environment, as it lies with its oracle."""

import json
from typing import Any

from envplatform.bundle import Environment
from envplatform.errors import BundleError

WAY_BACK = "recovery.json"


def way_back_of(environment: Environment) -> dict[str, Any]:
    """Return `entries`, `root` and the rest as they were written; of a root, nothing.

    Raises:
        BundleError: what lies there is none.
    """
    file = environment.solution.get(WAY_BACK)
    if file is None:
        return {}
    try:
        said = json.loads(file.data)
        found = {**said, "entries": dict(said["entries"]), "root": dict(said["root"])}
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{environment.environment_id}: {WAY_BACK} is no way back: {error}"
        raise BundleError(msg) from error
    return found
