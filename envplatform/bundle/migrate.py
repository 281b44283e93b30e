"""Format versions: reading identity.json, and the way from an older format to ours.

Each change of the format adds a step to `STEPS`; an environment goes through all that
lie between its version and ours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from envplatform.bundle import records
from envplatform.bundle.digest import FORMAT
from envplatform.bundle.format_1 import to_format_2
from envplatform.bundle.layout import IDENTITY, Description, part
from envplatform.errors import BundleError
from envplatform.tree import File, Tree

Step = Callable[[Tree], dict[str, File]]

STEPS: Mapping[int, Step] = MappingProxyType({1: to_format_2})
"""From a version to the files of the next one, identity.json included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """identity.json."""

    format: int
    digest: str
    core_digest: str
    environment: Description


def migrate(files: Tree, steps: Mapping[int, Step] = STEPS) -> Tree:
    """Bring the files of an environment to the current format.

    Raises:
        BundleError: the version is newer, or no way leads from it to the current one.
    """
    version = _version(files)
    while version != FORMAT:
        if version not in steps:
            msg = (
                f"{IDENTITY}: format {version} is unknown here (this is format "
                f"{FORMAT}); use the release of envplatform that wrote it"
            )
            raise BundleError(msg)
        files = steps[version](files)
        version = _version(files)
    return files


def named_digest(files: Tree) -> str:
    """The digest that identity.json names, in whatever format; empty if none.

    Raises:
        BundleError: identity.json is missing or no JSON object.
    """
    return str(records.load(part(files, IDENTITY), IDENTITY).get("digest", ""))


def identify(files: Tree) -> Identity:
    """Parse identity.json of the current format.

    Raises:
        BundleError: missing or malformed.
    """
    return records.decode(
        Identity, records.load(part(files, IDENTITY), IDENTITY), IDENTITY
    )


def _version(files: Tree) -> int:
    version = records.load(part(files, IDENTITY), IDENTITY).get("format")
    if not isinstance(version, int) or isinstance(version, bool):
        msg = f"{IDENTITY}: 'format' must be a whole number"
        raise BundleError(msg)
    return version
