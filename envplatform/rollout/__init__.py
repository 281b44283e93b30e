"""Agents in environments: harnesses run a policy, grade what it left, keep the record."""

from envplatform.rollout.dialects import FENCED, NATIVE, Dialect
from envplatform.rollout.harness import Harness
from envplatform.rollout.nop import NopHarness
from envplatform.rollout.oracle import OracleHarness
from envplatform.rollout.session import Policy
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.rollout.user_session import UserSession, attended, attending
from envplatform.trajectories import RolloutLimits

__all__ = [
    "FENCED",
    "NATIVE",
    "Dialect",
    "Harness",
    "NopHarness",
    "OracleHarness",
    "Policy",
    "RolloutLimits",
    "ToolLoopHarness",
    "UserSession",
    "attended",
    "attending",
]
