"""Inducers by the names that `envplatform.toml` gives them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from envplatform.errors import ConfigError
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.mutation import MutationInducer

_MAKERS: Mapping[str, Callable[[], Inducer]] = MappingProxyType(
    {"mutation": MutationInducer}
)


def inducers_named(names: Sequence[str]) -> tuple[Inducer, ...]:
    """Make the inducers, in the order of `names`.

    Raises:
        ConfigError: a name is unknown; lists those there are.
    """
    unknown = sorted(set(names) - _MAKERS.keys())
    if unknown:
        known = ", ".join(sorted(_MAKERS))
        msg = f"synthesis.inducers: no inducer {unknown[0]!r}; there are: {known}"
        raise ConfigError(msg)
    return tuple(_MAKERS[name]() for name in names)
