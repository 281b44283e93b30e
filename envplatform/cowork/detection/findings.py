"""An audit turned into findings: what each failed check says, and who has to mend it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from envplatform.bundle import CheckResult
from envplatform.cowork.roles import Finding, FindingKind, Role
from envplatform.grading.gate import CORE

_OF_CHECKS: Mapping[str, tuple[FindingKind, Role]] = MappingProxyType(
    {
        "oracle_max": ("oracle_not_full", "builder"),
        "nop_floor": ("floor_not_met", "verifier"),
        "determinism": ("nondeterministic", "verifier"),
        "leak_scan": ("leak", "builder"),
        "reset": ("not_reset", "builder"),
        "criterion_mutants": ("mutant_survives", "verifier"),
        "generic_mutants": ("blind_spots", "verifier"),
        "stuffing": ("stuffing_scores", "verifier"),
        "monotone_credit": ("credit_not_monotone", "verifier"),
        "unrelated_files": ("unrelated_scores", "verifier"),
        "impossible_variant": ("evidence_not_needed", "builder"),
        "replay": ("not_replayed", "builder"),
        "portability": ("not_portable", "verifier"),
        "controlled_failures": ("failure_passes", "verifier"),
        "other_spellings": ("spelling_costs", "verifier"),
        "user_matters": ("user_not_needed", "builder"),
    }
)


def findings_of(audit: Sequence[CheckResult]) -> tuple[Finding, ...]:
    """Return one finding for each check that failed or, of the core, did not run.

    A reference work that falls short may be the verifier's mistake as well: both roles
    get that finding, since none sees the other's part.
    """
    found = []
    for check in audit:
        if check.status == "passed":
            continue
        if check.status == "not_run" and check.name not in CORE:
            continue
        kind, role = _OF_CHECKS[check.name]
        roles: tuple[Role, ...] = (role,)
        if kind == "oracle_not_full":
            roles = ("builder", "verifier")
        found += [
            Finding(kind=kind, role=one, check=check.name, evidence=check.evidence)
            for one in roles
        ]
    return tuple(found)
