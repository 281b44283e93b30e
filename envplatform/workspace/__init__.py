"""What a task is about, as typed resources, and how they are shown.

Here: the resource graph as a value (`graph`), the public interface over it in this
process (`interface`), ways to show a resource otherwise (`lens`), tasks written by hand
(`seed`), and what ships with their verifiers and oracles (`inside`). Not here: serving
(`ws`), running and judging (`grading`), which lens is applied when.
"""

from envplatform.workspace.fault import Fault
from envplatform.workspace.graph import Workspace, with_workspace, workspace_of
from envplatform.workspace.interface import Interface
from envplatform.workspace.lens import (
    Binding,
    Lens,
    Shown,
    check_lens,
    transform,
    transform_alike,
)
from envplatform.workspace.seed import Seed, builtin_seeds, read_seed, seed_environment

__all__ = [
    "Binding",
    "Fault",
    "Interface",
    "Lens",
    "Seed",
    "Shown",
    "Workspace",
    "builtin_seeds",
    "check_lens",
    "read_seed",
    "seed_environment",
    "transform",
    "transform_alike",
    "with_workspace",
    "workspace_of",
]
