"""An issue, and who wrote it."""

from dataclasses import dataclass, field
from typing import Literal

from envplatform.store import NOT_IDENTITY
from envplatform.swe.candidate import Cost
from envplatform.swe.issue.leaks import Leak

WriterName = Literal["template", "llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """What the agent is told."""

    text: str
    """Markdown; the first line is the title."""
    writer: WriterName
    model: str = ""
    """Name of the model that wrote it, which must never solve it; empty for `template`."""
    fallback: str = ""
    """Why the template wrote what a model was asked for; empty if it did not."""
    leaks: tuple[Leak, ...] = ()
    """What it can only know from the patch; an issue with leaks is not used."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)
    """Of the model, also where its text is not used."""
