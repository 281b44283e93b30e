"""What a task is about, as typed resources, and how they are shown.

Here: tasks written by hand (`seed`), and what ships with their verifiers and oracles
(`inside`). Not here: serving (`ws`), running and judging (`grading`), transformations.
"""

from envplatform.workspace.fault import Fault
from envplatform.workspace.seed import Seed, builtin_seeds, read_seed, seed_environment

__all__ = ["Fault", "Seed", "builtin_seeds", "read_seed", "seed_environment"]
