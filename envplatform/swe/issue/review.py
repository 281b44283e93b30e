"""Look over an issue that a model wrote, by what the gate and the leak check forbid.

A fault names a class of things, never the thing: who is told it learns nothing of the
patch that it did not write itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from envplatform.llm.chat import ChatResponse
from envplatform.swe.issue.facts import IssueFacts
from envplatform.swe.issue.hidden import HiddenTests
from envplatform.swe.issue.leaks import find_leaks
from envplatform.swe.issue.prompt import shown_facts
from envplatform.swe.issue.safe import clean

IssueFault = Literal[
    "no_answer",  # empty, withheld, or not in the chat format
    "context_length",
    "cut_off",
    "no_title",
    "too_long",
    "unterminated_fence",
    "quotes_tests",
    "names_tests",
    "leak_path",
    "leak_identifier",
    "leak_passage",
]

REMEDIES: Mapping[IssueFault, str] = MappingProxyType(
    {
        "no_answer": "There was no text.",
        "cut_off": "The text was cut off at its length limit. Be shorter.",
        "no_title": "The first line must be `# ` and a title, with text below it.",
        "too_long": "That is too long.",
        "unterminated_fence": "A code block was never closed.",
        "quotes_tests": "It quotes code of the checks, which are not public.",
        "names_tests": "It names a check or its file, which are not public.",
        "leak_path": "It names a file or module that you were not shown.",
        "leak_identifier": "It names something in code that you were not shown.",
        "leak_passage": "It holds a piece of code that you were not shown.",
    }
)

_LONGEST = 6_000
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_WHOLE = re.compile(r"(`{3,})(?:markdown|md)?\n(.*)\n\1", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What issues of one bug are held against."""

    facts: IssueFacts
    patch: str

    def read(self, answer: ChatResponse) -> tuple[str, IssueFault | None]:
        """Return the text made harmless, and what is wrong with it."""
        text = _unwrapped(clean(answer.message.content).strip())
        if not text or answer.finish_reason == "content_filter":
            return "", "no_answer"
        if answer.finish_reason == "length":
            return "", "cut_off"
        return f"{text}\n", _misshapen(text) or self._secret(text)

    def _secret(self, text: str) -> IssueFault | None:
        hidden = HiddenTests.of(self.facts.tests)
        if hidden.are_quoted_in(text):
            return "quotes_tests"
        if hidden.are_in(text) or any(name in text for name in self._names()):
            return "names_tests"
        leaks = find_leaks(text, patch=self.patch, seen=shown_facts(self.facts))
        kinds = {leak.kind for leak in leaks}
        if "path" in kinds:
            return "leak_path"
        if "identifier" in kinds:
            return "leak_identifier"
        return "leak_passage" if kinds else None

    def _names(self) -> set[str]:
        """Names of failing tests that are no word of English, and of their files."""
        names = {test.names[-1] for test in self.facts.tests if test.names}
        return {name for name in names if "_" in name} | {
            test.path for test in self.facts.tests
        }


def _unwrapped(text: str) -> str:
    """Take away a fence around all of it."""
    match = _WHOLE.fullmatch(text)
    return match[2].strip() if match else text


def _misshapen(text: str) -> IssueFault | None:
    title, _, rest = text.partition("\n")
    if not re.fullmatch(r"# \S.*", title) or not rest.strip():
        return "no_title"
    if len(text) > _LONGEST:
        return "too_long"
    fence = ""
    for match in _FENCE.finditer(text):
        if not fence:
            fence = match[1]
        elif match[1].startswith(fence) and not match[2].strip():
            fence = ""
    return "unterminated_fence" if fence else None
