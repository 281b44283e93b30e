"""What one inbox is made of: facets, queues, customers, mails."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from envplatform.cowork.family import Json

Step = Literal["first", "after", "never"]
"""Whether a rule comes before the words, after them, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Variants of this family."""

    same: Literal["subject", "text", "both"]
    """What makes a mail a duplicate of one before it."""
    replies: Literal["thread", "own", "thread_without_files"]
    premium: Step
    files: Step
    """Of attached invoices."""
    foreign: Literal["first", "after"]
    where: Literal["subject", "all"]
    """Where words are looked for."""
    several: Literal["table", "most"]
    """Which of several queues gets a mail."""
    due: Literal["contract", "urgent", "queue"]
    mails_in: Literal["folder", "service"]
    customers_in: Literal["csv", "store"]
    listed: Literal["all", "routed"]
    rows: Literal["mail", "queue", "newest"]
    counts: Literal["queue", "customer", "due"]
    nobody: Literal["csv", "json", "txt"]
    extra: Literal["none", "digest", "duplicates"]
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Who answers what."""

    name: str
    words: tuple[str, ...]
    hours: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer, known by the domain of its mails."""

    name: str
    domain: str
    contract: Literal["premium", "standard", "basic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail."""

    number: str
    sender: str
    date: str
    subject: str
    text: str
    language: str = "en"
    answers: str = ""
    """The number of the mail that it replies to."""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """All that this one is about."""

    facets: Facets
    team: str
    queues: tuple[Queue, ...]
    """In the order of the table."""
    blocked: tuple[str, ...]
    """Domains of which nothing is read."""
    hours: tuple[int, int, int, int]
    """For premium, standard and basic contracts, and for whom we don't know."""
    customers: tuple[Customer, ...]
    mails: tuple[Mail, ...]

    def parameters(self) -> Mapping[str, Json]:
        """Return the rules for the verifier."""
        return {
            "facets": dict(asdict(self.facets)),
            "queues": [[o.name, list(o.words), o.hours] for o in self.queues],
            "blocked": list(self.blocked),
            "hours": list(self.hours),
        }
