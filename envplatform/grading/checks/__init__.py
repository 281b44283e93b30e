"""The gate's checks, one file each; every one returns a `CheckResult`.

What a check needs (gradings, an oracle's final state) is collected once in
`evidence`; a check that can't be decided from it says `not_run` and why.
"""

from envplatform.grading.checks.determinism import determinism
from envplatform.grading.checks.leak_scan import leak_scan
from envplatform.grading.checks.nop_floor import nop_floor
from envplatform.grading.checks.oracle_max import oracle_max
from envplatform.grading.checks.reset import reset

__all__ = ["determinism", "leak_scan", "nop_floor", "oracle_max", "reset"]
