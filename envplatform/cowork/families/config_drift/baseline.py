"""What is drawn: the baseline, a line for each key."""

import random
from dataclasses import dataclass
from typing import Literal

ENVIRONMENTS = ("dev", "staging", "prod")
Rule = Literal["at most", "at least", "one of", "exactly", "absent", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One line of the baseline."""

    key: str
    old: str
    """Its name of before."""
    default: str
    wanted: dict[str, tuple[Rule, tuple[str, ...]]]
    """Rule and values by environment."""

    def shown(self, environment: str) -> str:
        """Return what is wanted as the baseline has it."""
        rule, values = self.wanted[environment]
        if rule in {"absent", "any"}:
            return rule
        return (
            " or ".join(values)
            if rule in {"one of", "exactly"}
            else f"{rule} {values[0]}"
        )


def draw_baseline(chance: random.Random) -> tuple[Setting, ...]:
    """Draw the lines of a baseline, in a drawn order."""

    def steps(rule: Rule, *values: int) -> dict[str, tuple[Rule, tuple[str, ...]]]:
        return {
            name: (rule, (str(value),))
            for name, value in zip(ENVIRONMENTS, values, strict=True)
        }

    region = chance.choice(("eu-north", "eu-west", "eu-central"))
    timeout, pool = chance.choice((20, 30, 40)), chance.choice((8, 10, 12))
    same: dict[str, tuple[Rule, tuple[str, ...]]] = dict.fromkeys(
        ENVIRONMENTS, ("exactly", (region,))
    )
    settings = (
        Setting(
            key="timeout_s",
            old="request_timeout",
            default="60",
            wanted=steps("at most", 120, 2 * timeout, timeout),
        ),
        Setting(
            key="cache_ttl_s",
            old="cache_ttl",
            default="120",
            wanted=steps("at least", 60, 300, 600),
        ),
        Setting(
            key="pool_size",
            old="pool",
            default="5",
            wanted=steps("at least", 2, pool // 2, pool),
        ),
        Setting(
            key="retries", old="retry", default="3", wanted=steps("at most", 9, 5, 3)
        ),
        Setting(
            key="log_level",
            old="loglevel",
            default="info",
            wanted={
                "dev": ("one of", ("debug", "info")),
                "staging": ("one of", ("info", "warn")),
                "prod": ("one of", ("warn", "error")),
            },
        ),
        Setting(
            key="tls",
            old="ssl",
            default="true",
            wanted=dict.fromkeys(ENVIRONMENTS, ("exactly", ("true",))),
        ),
        Setting(
            key="audit",
            old="audit_log",
            default="false",
            wanted={
                "dev": ("exactly", ("false",)),
                "staging": ("exactly", ("true",)),
                "prod": ("exactly", ("true",)),
            },
        ),
        Setting(key="region", old="zone", default="-", wanted=same),
        Setting(
            key="debug_toolbar",
            old="toolbar",
            default="false",
            wanted={
                "dev": ("any", ()),
                "staging": ("absent", ()),
                "prod": ("absent", ()),
            },
        ),
        Setting(
            key="max_upload_mb",
            old="upload_limit",
            default="25",
            wanted=steps("at most", 50, 25, 25),
        ),
    )
    return tuple(chance.sample(settings, len(settings)))


def fitting(chance: random.Random, one: Setting, environment: str) -> str:
    """Draw a value that is what is wanted."""
    rule, values = one.wanted[environment]
    if rule == "at most":
        return str(int(values[0]) * chance.choice((5, 5, 4)) // 5)
    if rule == "at least":
        return str(int(values[0]) * chance.choice((2, 2, 3)) // 2)
    return chance.choice(values)
