"""Which licences are taken: SPDX expressions against a policy.

`A OR B` is taken if either is, `A AND B` if both are, `A WITH exception` if `A` is, as
an exception only adds permissions; `A+` like `A`. Names are those of SPDX, in any case.
What is no SPDX name counts as unknown, and `unknown_licences` decides. Not here: where
a licence comes from, and what its text says.
"""

from enum import IntEnum
from functools import cache, lru_cache
from typing import Literal

from license_expression import (  # type: ignore[import-untyped]  # ships no types
    ExpressionError,
    Licensing,
    get_spdx_licensing,
)

from envplatform.configuration import CurationSettings

PERMISSIVE: frozenset[str] = frozenset(
    {
        "0BSD",
        "AFL-2.1",
        "AFL-3.0",
        "Apache-1.1",
        "Apache-2.0",
        "BlueOak-1.0.0",
        "BSD-1-Clause",
        "BSD-2-Clause",
        "BSD-2-Clause-Patent",
        "BSD-3-Clause",
        "BSD-3-Clause-Clear",
        "BSL-1.0",
        "CC0-1.0",
        "CNRI-Python",
        "HPND",
        "ICU",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MIT-Modern-Variant",
        "NCSA",
        "PostgreSQL",
        "PSF-2.0",
        "Python-2.0",
        "Python-2.0.1",
        "Unicode-3.0",
        "Unicode-DFS-2016",
        "Unlicense",
        "UPL-1.0",
        "W3C",
        "WTFPL",
        "X11",
        "Zlib",
        "ZPL-2.1",
    }
)
"""Attribution at most. No copyleft, not even by file: MPL-2.0 and EPL-2.0 are left out,
and so is BSD-4-Clause, whose advertising clause binds those who train on it.
"""

_NO_NAMES = frozenset({"", "noassertion", "none", "other", "unknown"})
_MAX_CHARACTERS = 500


class _Answer(IntEnum):
    """Ordered, so that OR is the greatest and AND the least of its parts."""

    REFUSED = 0
    UNKNOWN = 1
    TAKEN = 2


def licence_verdict(licence: str, settings: CurationSettings) -> str | None:
    """Say why a licence is not taken; None if it is.

    The policy `any` asks nothing, so that unknown licences are taken as well.
    """
    if settings.licences == "any":
        return None
    answer = _answer(licence.strip(), settings.licences)
    if answer is _Answer.TAKEN:
        return None
    if answer is _Answer.REFUSED:
        policy = settings.licences
        wanted = policy if isinstance(policy, str) else "listed"
        return f"{licence[:100]!r} is not {wanted}"
    if settings.unknown_licences == "keep":
        return None
    return (
        f"{licence[:100]!r} is no known licence" if licence else "no licence is known"
    )


@lru_cache(maxsize=4096)
def _answer(licence: str, policy: Literal["permissive"] | tuple[str, ...]) -> _Answer:
    taken = PERMISSIVE if policy == "permissive" else frozenset(policy)
    names = frozenset(name.lower() for name in taken)
    if licence.lower() in names:
        return _Answer.TAKEN
    if licence.lower() in _NO_NAMES or len(licence) > _MAX_CHARACTERS:
        return _Answer.UNKNOWN
    try:
        expression = _licensing().parse(licence)
    except (ExpressionError, AssertionError, IndexError):
        # The last two are the parser's own slips, on `( OR MIT` and on `()`.
        return _Answer.UNKNOWN
    return _judge(expression, names)


def _judge(expression: object, names: frozenset[str]) -> _Answer:
    """Walk an expression; its depth is bounded by its length."""
    parts = getattr(expression, "args", ())
    if parts:
        answers = [_judge(part, names) for part in parts]
        either = isinstance(expression, _licensing().OR)
        return max(answers) if either else min(answers)
    if str(expression).lower() in names:
        return _Answer.TAKEN
    licence = getattr(expression, "license_symbol", expression)
    key = str(getattr(licence, "key", licence)).lower()
    plain = key.removesuffix("+")
    if key in names or plain in names:
        return _Answer.TAKEN
    known = _licensing_keys()
    return _Answer.REFUSED if {key, plain} & known else _Answer.UNKNOWN


@cache
def _licensing() -> Licensing:
    return get_spdx_licensing()


@cache
def _licensing_keys() -> frozenset[str]:
    return frozenset(key.lower() for key in _licensing().known_symbols)
