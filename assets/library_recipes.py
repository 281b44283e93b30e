"""What decides the rows of `resource_library`."""

from typing import Any

from envplatform.configuration import Configuration
from envplatform.cowork.library.gather import limits_json, source_state
from envplatform.cowork.library.sourcefile import (
    configured_limits,
    configured_sources,
)
from envplatform.store import Store


def library_limits(configuration: Configuration) -> dict[str, Any]:
    """How much is kept, and under which licences."""
    return limits_json(configured_limits(configuration.cowork.library))


def library_sources(
    configuration: Configuration, _: str, store: Store
) -> dict[str, str]:
    """Each source by name: its pin and what is asked of it, or what a folder holds."""
    del store
    settings = configuration.cowork.library
    limits = configured_limits(settings)
    return {
        spec.name: source_state(spec, limits) for spec in configured_sources(settings)
    }
