"""Inducers by the names that `envplatform.toml` gives them."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from envplatform.errors import ConfigError
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.mutation import MutationInducer

_MAKERS: Mapping[str, Callable[[], Inducer]] = MappingProxyType(
    {"mutation": partial(MutationInducer, clock=time.perf_counter)}
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
