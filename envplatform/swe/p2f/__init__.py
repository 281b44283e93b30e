"""Pass-to-fail: what execution says of a suite and of a candidate.

`inside/` is what runs in the sandbox. Everything else builds its jobs, reads its
results strictly, and turns them into baselines and verdicts.
"""

from envplatform.swe.p2f.baseline import Baseline, UnstableTest, measure_baseline
from envplatform.swe.p2f.local import local_target, verify_patch
from envplatform.swe.p2f.many import verify_candidates
from envplatform.swe.p2f.request import RunRequest
from envplatform.swe.p2f.result import Coverage, SuiteRun
from envplatform.swe.p2f.screen.fast import verify_candidates_fast
from envplatform.swe.p2f.screen.report import FastReport, FastSettings
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.suite import run_fresh, run_suite
from envplatform.swe.p2f.verify import verify_candidate

__all__ = [
    "Baseline",
    "Coverage",
    "FastReport",
    "FastSettings",
    "RunRequest",
    "SuiteRun",
    "UnstableTest",
    "VerificationSettings",
    "local_target",
    "measure_baseline",
    "run_fresh",
    "run_suite",
    "verify_candidate",
    "verify_candidates",
    "verify_candidates_fast",
    "verify_patch",
]
