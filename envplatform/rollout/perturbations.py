"""Ways to spoil a script, one for each way in which a trajectory can be unfit.

Pure: a script, a generator of chance, and what comes out. They are how it is known that
validity finds what it is for.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from envplatform.configuration.harnesses import Perturbation
from envplatform.rollout.script import Said, Script
from envplatform.rollout.tools import SHELL, SUBMIT

_READING = frozenset({"ws_read", "ws_search", "ws_query", "ws_list"})
_SAYING = "ws_say"
_WRONG_NAME = "apply_changes"
_BROKEN = '{"command": "ls'
_FAILS = "test -s /workspace/no-such-report.txt"
_DEEP = 'p=$(printf "deep/%.0s" $(seq 120)); mkdir -p $p && touch ${p}x'
"""More levels of folders than a grader takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    """A script, and what is wrong about it beside its calls."""

    script: Script
    is_cut: bool = False
    """Whether its last answer breaks off."""
    loses: bool = False
    """Whether the record lacks the reply to the first call."""


def perturbed(
    script: Script, perturbation: Perturbation, rng: random.Random
) -> Spoilt | None:
    """Spoil a script; None where there is nothing in it to spoil so."""
    if perturbation == "none":
        return Spoilt(script=script)
    if perturbation == "truncate":
        keep = max(1, len(script.calls) // 2)
        return Spoilt(script=_with(script, script.calls[:keep]), is_cut=True)
    if perturbation == "lose_reply":
        return Spoilt(script=script, loses=True)
    if perturbation == "misled":
        speaks = any(one.tool == _SAYING for one in script.calls)
        return Spoilt(script=script) if speaks else None
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


def _broken_call(script: Script, rng: random.Random) -> tuple[Said, ...] | None:
    chosen = rng.randrange(len(script.calls))
    broken = replace(script.calls[chosen], arguments=_BROKEN)
    return (*script.calls[:chosen], broken, *script.calls[chosen:])


def _give_up(script: Script, _: random.Random) -> tuple[Said, ...] | None:
    return _before_the_end(script, _FAILS)


def _overfill(script: Script, _: random.Random) -> tuple[Said, ...] | None:
    return _before_the_end(script, _DEEP)


def _before_the_end(script: Script, command: str) -> tuple[Said, ...]:
    ran = Said(tool=SHELL, arguments=json.dumps({"command": command}))
    return (*script.calls[:-1], ran, script.calls[-1])


def _with(script: Script, calls: tuple[Said, ...]) -> Script:
    return replace(script, calls=calls)


_WAYS: Mapping[str, Callable[[Script, random.Random], tuple[Said, ...] | None]] = {
    "skip_step": _skip_step,
    "ignore_patch": _ignore_patch,
    "false_claim": _false_claim,
    "wrong_tool": _wrong_tool,
    "broken_call": _broken_call,
    "give_up": _give_up,
    "overfill": _overfill,
}
