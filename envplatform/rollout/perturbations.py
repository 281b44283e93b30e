"""Ways to spoil a script, one for each way in which a trajectory can be unfit.

Pure: a script, a generator of chance, and what comes out. They are how it is known that
validity finds what it is for.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.rollout.script import Said, Script
from envplatform.rollout.tools import SUBMIT

Perturbation = Literal[
    "none",
    "skip_step",  # leaves out one call that writes what is graded
    "ignore_patch",  # reads nothing again after the user changed something
    "false_claim",
    "truncate",  # is cut off in the middle of an answer, and never submits
    "wrong_tool",  # calls one tool by a name that does not exist
]
PERTURBATIONS: tuple[Perturbation, ...] = (
    "none",
    "skip_step",
    "ignore_patch",
    "false_claim",
    "truncate",
    "wrong_tool",
)
_READING = frozenset({"ws_read", "ws_search", "ws_query", "ws_list"})
_WRONG_NAME = "apply_changes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    """A script, and whether its last answer breaks off."""

    script: Script
    is_cut: bool = False


def perturbed(
    script: Script, perturbation: Perturbation, rng: random.Random
) -> Spoilt | None:
    """Spoil a script; None where there is nothing in it to spoil so."""
    if perturbation == "none":
        return Spoilt(script=script)
    if perturbation == "truncate":
        keep = max(1, len(script.calls) // 2)
        return Spoilt(script=_with(script, script.calls[:keep]), is_cut=True)
    calls = _WAYS[perturbation](script, rng)
    return None if calls is None else Spoilt(script=_with(script, calls))


def _skip_step(script: Script, rng: random.Random) -> tuple[Said, ...] | None:
    deliveries = [n for n, one in enumerate(script.calls) if one.is_delivery]
    if not deliveries:
        return None
    left_out = rng.choice(deliveries)
    return (*script.calls[:left_out], *script.calls[left_out + 1 :])


def _ignore_patch(script: Script, _: random.Random) -> tuple[Said, ...] | None:
    if script.patched_at is None:
        return None
    later = script.calls[script.patched_at :]
    unread = [one for one in later if one.tool not in _READING]
    return (*script.calls[: script.patched_at], *unread)


def _false_claim(script: Script, rng: random.Random) -> tuple[Said, ...] | None:
    *others, submit = script.calls
    claims = json.loads(submit.arguments)["claims"]
    if not claims:
        claims = [{"path": "result.json", "field": "/done", "value": True}]
    wrong = rng.randrange(len(claims))
    claims[wrong] = {**claims[wrong], "value": f"not {claims[wrong]['value']}"}
    return (*others, replace(submit, arguments=json.dumps({"claims": claims})))


def _wrong_tool(script: Script, rng: random.Random) -> tuple[Said, ...] | None:
    named = [n for n, one in enumerate(script.calls) if one.tool != SUBMIT]
    if not named:
        return None
    chosen = rng.choice(named)
    wrong = replace(script.calls[chosen], tool=_WRONG_NAME)
    return (*script.calls[:chosen], wrong, *script.calls[chosen + 1 :])


def _with(script: Script, calls: tuple[Said, ...]) -> Script:
    return replace(script, calls=calls)


_WAYS: Mapping[str, Callable[[Script, random.Random], tuple[Said, ...] | None]] = {
    "skip_step": _skip_step,
    "ignore_patch": _ignore_patch,
    "false_claim": _false_claim,
    "wrong_tool": _wrong_tool,
}
