"""The gate's checks, one file each; every one returns a `CheckResult`.

What a check needs (gradings, an oracle's final state, mutants) is collected once in
`evidence` and `generic_mutants`; a check that can't be decided says `not_run` and why.
"""

from envplatform.grading.checks.criterion_mutants import criterion_mutants
from envplatform.grading.checks.determinism import determinism
from envplatform.grading.checks.generic_mutants import generic_mutants, grade_mutants
from envplatform.grading.checks.impossible_variant import impossible_variant
from envplatform.grading.checks.leak_scan import leak_scan
from envplatform.grading.checks.monotone_credit import monotone_credit
from envplatform.grading.checks.nop_floor import nop_floor
from envplatform.grading.checks.oracle_max import oracle_max
from envplatform.grading.checks.portability import portability
from envplatform.grading.checks.replay import replay
from envplatform.grading.checks.reset import reset
from envplatform.grading.checks.stuffing import stuffing
from envplatform.grading.checks.unrelated_files import unrelated_files

__all__ = [
    "criterion_mutants",
    "determinism",
    "generic_mutants",
    "grade_mutants",
    "impossible_variant",
    "leak_scan",
    "monotone_credit",
    "nop_floor",
    "oracle_max",
    "portability",
    "replay",
    "reset",
    "stuffing",
    "unrelated_files",
]
