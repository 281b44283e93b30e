"""What can be wrong with a model's answer, by name, and how the model is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

FaultName = Literal[
    "no_answer",  # empty, withheld by a filter, or not in the chat format
    "context_length",  # the model can't read that much
    "cut_off",  # the model's answer ended at the token limit
    "unterminated_fence",
    "no_code",
    "several_blocks",
    "is_a_diff",
    "too_long",
    "hidden_characters",  # controls, or signs that no editor shows
    "not_python",
    "too_deep",
    "not_the_function",  # more, less or something else: a file, a class, two functions
    "other_name",
    "other_signature",  # parameters, annotations, decorators, async
    "no_body",
    "unwritable",  # can't be put into the file without touching anything else
    "does_not_compile",
    "undefined_name",
    "same_ast",
    "duplicate",
]

REMEDIES: Mapping[FaultName, str] = MappingProxyType(
    {
        "no_answer": "The answer was empty.",
        "cut_off": "The answer was cut off at its length limit. Be shorter.",
        "unterminated_fence": "The code block was never closed.",
        "no_code": "There was no fenced code block.",
        "several_blocks": "There was more than one code block. Give exactly one.",
        "is_a_diff": "That is a diff. Give the whole function instead.",
        "too_long": "That is far longer than the function it stands for.",
        "hidden_characters": "It holds control or invisible characters.",
        "not_python": "The code is no valid Python.",
        "too_deep": "The code is nested too deeply.",
        "not_the_function": "Give the one function alone: no imports, class or file.",
        "other_name": "The function must keep its name.",
        "other_signature": (
            "Decorators, parameters, defaults, annotations and async must stay as they "
            "are."
        ),
        "no_body": "The function has no body beside its docstring.",
        "unwritable": "Put the body on lines of its own, indented as shown.",
        "does_not_compile": "The file does not compile with that function in it.",
        "undefined_name": "It uses a name that is defined nowhere.",
        "same_ast": "It does the same as before: only layout or comments differ.",
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer is of no use."""

    name: FaultName
    detail: str = ""
    """One line for a person; never text of the answer beyond a name in it."""

    @property
    def remedy(self) -> str:
        """What the model is told."""
        said = REMEDIES.get(self.name, "That can't be used.")
        return f"{said} ({self.detail})" if self.detail else said
