"""Names of harnesses and of ways to spoil a reference, in this one place.

What they do is in `rollout`; here nothing is run.
"""

from typing import Literal, get_args

HarnessName = Literal[
    "tool_loop",  # a model, through the API's tool calls
    "tool_loop_fenced",  # a model without tool calls: fenced commands in plain text
    "mini_swe_agent",  # the package of this name, in the sandbox; tool calls
    "mini_swe_agent_text",  # the same, for a model without tool calls
    "oracle",
    "nop",
    "explorer",
    "reference",
]
Perturbation = Literal[
    "none",
    "skip_step",  # leaves out one call that writes what is graded
    "ignore_patch",  # reads nothing again after the user changed something
    "false_claim",
    "truncate",  # is cut off in the middle of an answer, and never submits
    "wrong_tool",  # calls one tool by a name that does not exist
    "broken_call",  # makes one call whose arguments are no JSON
    "give_up",  # ends after a command that failed, without another try
    "overfill",  # leaves more than a grader takes
    "lose_reply",  # has one call without an answer in its record
    "misled",  # has a user inside who says wrong things
]
PERTURBATIONS: tuple[Perturbation, ...] = get_args(Perturbation)
ASKS_A_MODEL: frozenset[HarnessName] = frozenset(
    {"tool_loop", "tool_loop_fenced", "mini_swe_agent", "mini_swe_agent_text"}
)
