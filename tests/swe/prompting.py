"""Prompted inducers on a scripted model server, and what their tests share."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from envplatform.store import ResultCache
from envplatform.swe.inducers.base import Proposal, SourceFile
from envplatform.swe.inducers.llm import PromptedInducer, Prompting
from envplatform.swe.inducers.llm.prompts import PromptName
from tests.llm.serving import model_for
from tests.model_server import ModelServer, Reply, Script, answer, model_server

CODE = b'''"""Intervals."""

from math import inf


def inside(value, low, high=inf):
    """Whether a value lies in an interval."""
    # both ends count
    return low <= value <= high
'''
HEADER = "def inside(value, low, high=inf):\n"
BUG = f"{HEADER}    return low <= value < high\n"
SAME = f"{HEADER}    return (low <= value <= high)\n"


def file_of(code: bytes, path: str = "spans/core.py") -> SourceFile:
    return SourceFile(repository="made__spans", commit="0" * 40, path=path, data=code)


def block(code: str, *, language: str = "python") -> Reply:
    """Answer with one fenced block."""
    return answer(f"```{language}\n{code}```")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was proposed, and what the server saw."""

    proposal: Proposal
    server: ModelServer

    @property
    def changed(self) -> list[str]:
        """The patches."""
        return [candidate.bug_patch for candidate in self.proposal.candidates]

    @property
    def reasons(self) -> list[str]:
        """Why answers were refused."""
        return [row.reason for row in self.proposal.refused]

    def said(self, request: int) -> str:
        """The last message of a request."""
        return str(self.server.requests[request]["messages"][-1]["content"])


@contextmanager
def prompting(
    server: ModelServer, results: Path, *, attempts: int = 2, timeout_s: float = 30.0
) -> Iterator[Prompting]:
    """Open a model on the server in an event loop of its own."""
    model = model_for(server, attempts=attempts, timeout_s=timeout_s)
    ticks = iter(range(10**6))
    with asyncio.Runner() as runner:
        runner.run(model.__aenter__())
        try:
            yield Prompting(
                model=model,
                run=runner.run,
                results=ResultCache(results),
                clock=lambda: float(next(ticks)),
            )
        finally:
            runner.run(model.__aexit__(None, None, None))


def ask(
    name: PromptName,
    script: Script,
    results: Path,
    *,
    file: SourceFile | None = None,
    budget: int = 1,
    seed: int = 0,
) -> Asked:
    """Propose bugs of one file with scripted answers."""
    with model_server(script) as server, prompting(server, results) as opened:
        inducer = PromptedInducer(name=name, prompting=opened)
        proposal = inducer.propose(file or file_of(CODE), budget, seed)
    return Asked(proposal=proposal, server=server)
