"""mini-swe-agent, the real package, in the sandbox; its model is asked from here.

`package` brings the package in, `exchange` speaks with it, `harness` keeps the record.
What runs in the sandbox is `inside`.
"""

from envplatform.rollout.mini.harness import MiniSweAgentHarness
from envplatform.rollout.mini.package import MiniPackage

__all__ = ["MiniPackage", "MiniSweAgentHarness"]
