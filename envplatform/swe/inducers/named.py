"""Inducers by the names that `envplatform.toml` gives them."""

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from envplatform.errors import ConfigError
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.mined import MinedInducer, PatternLibrary
from envplatform.swe.inducers.mined.library_file import default_library
from envplatform.swe.inducers.mutation import MutationInducer


def _mutation(_: PatternLibrary | None) -> Inducer:
    return MutationInducer(clock=time.perf_counter)


def _mined(library: PatternLibrary | None) -> Inducer:
    known = library if library and library.patterns else default_library()
    return MinedInducer(library=known, clock=time.perf_counter)


_MAKERS: Mapping[str, Callable[[PatternLibrary | None], Inducer]] = MappingProxyType(
    {"mutation": _mutation, "mined": _mined}
)


def inducers_named(
    names: Sequence[str], *, library: PatternLibrary | None = None
) -> tuple[Inducer, ...]:
    """Make the inducers, in the order of `names`.

    `mined` takes its patterns from `library`; where there are none, those that ship.

    Raises:
        ConfigError: a name is unknown; lists those there are.
        TemplateError: a row of `library` is no pattern; names it.
    """
    unknown = sorted(set(names) - _MAKERS.keys())
    if unknown:
        known = ", ".join(sorted(_MAKERS))
        msg = f"synthesis.inducers: no inducer {unknown[0]!r}; there are: {known}"
        raise ConfigError(msg)
    return tuple(_MAKERS[name](library) for name in names)
