"""What one issue is made of, chosen and checked before a word is written."""

from dataclasses import dataclass

from envplatform.swe.issue.examples import Example
from envplatform.swe.issue.facts import IssueFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What one issue is made of."""

    facts: IssueFacts
    examples: tuple[Example, ...]
    """The first is shown in full; may be empty."""
    outputs: tuple[str, ...] = ()
    """Error output to show where there is no example."""
    topic: str = ""
    """What the failing check was about, in words; for where there is no example."""
    error: str = ""
    """Name of the exception it ended in, if it was one."""
    subjects: tuple[str, ...] = ()
    """Public names that it used."""
