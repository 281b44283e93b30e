"""Rows of the SWE pillar: what was proposed, and what execution said of it."""

from dataclasses import dataclass, field
from typing import Literal

from envplatform.store import NOT_IDENTITY
from envplatform.swe.fixes.bug_type import BugType


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Tokens and seconds spent on one row."""

    tokens: int = 0
    seconds: float = field(default=0.0, metadata=NOT_IDENTITY)
    usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BugCandidate:
    """A proposed defect in one healthy repository, not yet executed."""

    candidate_id: str
    """`<owner>__<repo>.<commit8>.<inducer>.<patch8>`; safe as a file name."""
    repository: str
    """`owner__name`, the partition key."""
    commit: str
    """Identity of the healthy tree: git commit, or tree digest of an sdist."""
    inducer: str
    operator: str
    """The inducer's own name for the kind of change, `comparison_swap`."""
    path: str
    """The changed file."""
    line: int
    """First changed line in the healthy file, from 1."""
    bug_patch: str
    """Unified diff from the healthy tree to the defective one. Its reverse is the oracle.

    Text is the file's bytes decoded as UTF-8 with `surrogateescape`.
    """
    seed: int
    model: str | None = None
    """Name of the model that took part; None for procedural inducers."""
    prompt_hash: str = ""
    """SHA-256 (hex) of the request and the model's name; empty without a model."""
    temperature: float | None = None
    """Of the model's sampling; None without a model."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)
    bug_type: BugType | None = None
    """Kind of bug, by rules; None: nothing that parses is changed, or never asked."""
    ast_digest: str = field(default="", metadata=NOT_IDENTITY)
    """SHA-256 (hex) of the syntax trees of the defective files: equal where two
    candidates of one tree differ in layout only. Empty where `bug_type` is None; depends
    on the Python that runs us.
    """


RunEnding = Literal[
    "completed",  # pytest ran to its end and reported every selected test
    "collection_error",  # some file could not be imported or collected
    "no_tests",
    "crashed",  # the interpreter ended without a final record: os._exit, signal, abort
    "timeout",
    "out_of_memory",
    "process_limit",
    "disk_limit",
    "service_failed",  # a service did not get ready, or ended before the suite did
    "inconsistent",  # exit code and records contradict each other: forged or broken
]

TestOutcome = Literal[  # one test in one run
    "passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout", "missing"
]
"""`failed` is a failed call phase; `error` a broken set-up or tear-down, or a call that
broke on an import, or for want of memory, disk or processes: it judged nothing."""

Rejection = Literal[
    "does_not_apply",
    "does_not_compile",
    "touches_tests",
    "duplicate",
    "uncovered",  # no test runs the changed lines: P2F's blind spot, counted
    "no_failure",  # every stable test still passes
    "only_errors",  # tests error, none fails
    "flaky",  # fails in some runs only
    "collection_error",
    "no_tests",
    "crashed",
    "timeout",
    "out_of_memory",
    "process_limit",
    "disk_limit",
    "service_failed",
    "inconsistent",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What execution said of one candidate. Either a rejection or proven tests."""

    candidate_id: str
    repository: str
    rejection: Rejection | None
    """None: the candidate is a proven bug and `fail_to_pass` is not empty."""
    detail: str
    """One line for a person: which test, which error; no paths of the host."""
    fail_to_pass: tuple[str, ...]
    """Sorted test ids that passed in every baseline run and fail in every buggy run."""
    pass_to_pass: tuple[str, ...]
    """Sorted test ids that passed in every baseline run and in every buggy run."""
    failure_report: str
    """Assertion output of the failing tests, capped; what the issue writer may see."""
    runs: int
    """Executions of the suite behind the verdict, repetitions of tests not counted."""
    sandbox: str = field(metadata=NOT_IDENTITY)
    """Kind and version, `bubblewrap 0.8.0`."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)

    @property
    def verified(self) -> bool:
        """Whether the candidate is a proven bug."""
        return self.rejection is None
