"""Agents in environments: harnesses run a policy, grade what it left, keep the record."""

from envplatform.configuration.harnesses import PERTURBATIONS, Perturbation
from envplatform.rollout.dialects import FENCED, NATIVE, Dialect
from envplatform.rollout.explorer_harness import ExplorerHarness
from envplatform.rollout.harness import Harness
from envplatform.rollout.mini import MiniPackage, MiniSweAgentHarness
from envplatform.rollout.nop import NopHarness
from envplatform.rollout.oracle import OracleHarness
from envplatform.rollout.recorded import RecordedHarness
from envplatform.rollout.reference import ReferenceHarness
from envplatform.rollout.session import Policy
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.rollout.user_session import UserSession, attended, attending
from envplatform.trajectories import RolloutLimits

__all__ = [
    "FENCED",
    "NATIVE",
    "PERTURBATIONS",
    "Dialect",
    "ExplorerHarness",
    "Harness",
    "MiniPackage",
    "MiniSweAgentHarness",
    "NopHarness",
    "OracleHarness",
    "Perturbation",
    "Policy",
    "RecordedHarness",
    "ReferenceHarness",
    "RolloutLimits",
    "ToolLoopHarness",
    "UserSession",
    "attended",
    "attending",
]
