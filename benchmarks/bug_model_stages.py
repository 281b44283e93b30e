"""How far samples of a bug model come: parsed, applied, compiled, proven."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

STAGES = ("samples", "parse", "apply", "compile", "proven")
UNPARSED = frozenset(
    {
        *("no_answer", "context_length", "cut_off", "too_long", "template_marks"),
        *("no_diff", "several_diffs", "unparsable", "other_file"),
    }
)
UNAPPLIED = frozenset({"does_not_apply", "ambiguous"})
UNCOMPILED = frozenset({"does_not_compile", "too_deep", "undefined_name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """One sample, and how far it came."""

    temperature: float
    reason: str
    """Why it is no candidate; empty: it is one."""
    candidate_id: str = ""

    def reaches(self, stage: str, proven: frozenset[str]) -> bool:
        """Whether it came as far as a stage."""
        match stage:
            case "samples":
                return True
            case "parse":
                return self.reason not in UNPARSED
            case "apply":
                return self.reason not in UNPARSED | UNAPPLIED
            case "compile":
                return self.reason not in UNPARSED | UNAPPLIED | UNCOMPILED
            case _:
                return self.candidate_id in proven


def table(found: Sequence[Sampled], proven: frozenset[str]) -> dict[str, object]:
    """Count samples by stage, over all and by temperature; reasons beside."""
    temperatures = sorted({one.temperature for one in found})
    return {
        **_counts(found, proven),
        "by_temperature": {
            str(one): _counts([s for s in found if s.temperature == one], proven)
            for one in temperatures
        },
        "reasons": dict(Counter(one.reason for one in found if one.reason)),
    }


def _counts(found: Sequence[Sampled], proven: frozenset[str]) -> dict[str, int]:
    return {stage: sum(one.reaches(stage, proven) for one in found) for stage in STAGES}
