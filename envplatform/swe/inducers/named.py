"""Inducers by the names that `envplatform.toml` gives them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from envplatform.errors import ConfigError
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.learned import LearnedInducer, LearnedName
from envplatform.swe.inducers.llm import PromptedInducer, Prompting
from envplatform.swe.inducers.llm.prompts import PromptName
from envplatform.swe.inducers.mined import MinedInducer, PatternLibrary
from envplatform.swe.inducers.mined.library_file import default_library
from envplatform.swe.inducers.mutation import MutationInducer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Means:
    """What some inducers need."""

    library: PatternLibrary | None
    prompting: Prompting | None
    learned: Mapping[str, LearnedInducer]


def _mutation(_: _Means) -> Inducer:
    return MutationInducer(clock=time.perf_counter)


def _mined(means: _Means) -> Inducer:
    library = means.library
    known = library if library and library.patterns else default_library()
    return MinedInducer(library=known, clock=time.perf_counter)


def _prompted(name: PromptName) -> Callable[[_Means], Inducer]:
    def make(means: _Means) -> Inducer:
        if means.prompting is None:
            msg = (
                f"synthesis.inducers: {name} asks a model, and none is open; set kind, "
                f"name and base_url in [model], or take {name} out"
            )
            raise ConfigError(msg)
        return PromptedInducer(name=name, prompting=means.prompting)

    return make


def _learned(name: LearnedName) -> Callable[[_Means], Inducer]:
    def make(means: _Means) -> Inducer:
        if name not in means.learned:
            msg = (
                f"synthesis.inducers: {name} asks a model that learned from fixes, and "
                f"none is open; train one with [bug_models], or take {name} out"
            )
            raise ConfigError(msg)
        return means.learned[name]

    return make


_MAKERS: Mapping[str, Callable[[_Means], Inducer]] = MappingProxyType(
    {
        "mutation": _mutation,
        "mined": _mined,
        "llm_modify": _prompted("llm_modify"),
        "llm_rewrite": _prompted("llm_rewrite"),
        "model": _learned("model"),
        "pattern": _learned("pattern"),
    }
)


def inducers_named(
    names: Sequence[str],
    *,
    library: PatternLibrary | None = None,
    prompting: Prompting | None = None,
    learned: Mapping[str, LearnedInducer] = MappingProxyType({}),
) -> tuple[Inducer, ...]:
    """Make the inducers, in the order of `names`.

    `mined` takes its patterns from `library`; where there are none, those that ship.
    `llm_modify` and `llm_rewrite` ask the model of `prompting`; `model` and `pattern`
    are those of `learned`.

    Raises:
        ConfigError: a name is unknown; lists those there are. Or one needs a model.
        TemplateError: a row of `library` is no pattern; names it.
    """
    unknown = sorted(set(names) - _MAKERS.keys())
    if unknown:
        known = ", ".join(sorted(_MAKERS))
        msg = f"synthesis.inducers: no inducer {unknown[0]!r}; there are: {known}"
        raise ConfigError(msg)
    means = _Means(library=library, prompting=prompting, learned=learned)
    return tuple(_MAKERS[name](means) for name in names)
