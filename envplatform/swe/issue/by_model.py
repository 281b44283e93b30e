"""Let a model write an issue, blind; where its text will not do twice, the template's.

The patch is shown to the review alone. What a model wrote is kept, so that the same
question is paid for once.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from envplatform.errors import ContextLengthError, ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, Usage
from envplatform.llm.recording import request_digest
from envplatform.store import ResultCache, result_key
from envplatform.swe.candidate import BugCandidate, Cost, Verdict
from envplatform.swe.issue.facts import IssueFacts
from envplatform.swe.issue.gather import gather_facts
from envplatform.swe.issue.issue import Issue
from envplatform.swe.issue.prompt import REVISION as PROMPTING
from envplatform.swe.issue.prompt import issue_request, repaired
from envplatform.swe.issue.review import REMEDIES, IssueFault, Review
from envplatform.swe.issue.write import issue_for
from envplatform.swe.targets import HealthyRepository

REVISION = 1 + PROMPTING
"""Grows whenever the same facts and answers can give another issue."""

_NOT_KEPT = frozenset({"no_answer", "context_length"})
"""Faults that the server may be to blame for: another time they may be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWriter:
    """A model that writes issues, how it is asked, and where its texts are kept."""

    model: ChatModel
    results: ResultCache
    clock: Callable[[], float]
    """Seconds since some moment."""
    server: str = ""
    """Tells two servers apart that call their models the same."""
    temperature: float = 0.8
    answer_tokens: int = 4_096


async def issue_with(
    writer: ModelWriter | None,
    repository: HealthyRepository,
    candidate: BugCandidate,
    verdict: Verdict,
    *,
    seed: int,
) -> Issue:
    """Write the issue of a proven bug, with a model if there is one.

    Raises:
        ModelError: the server failed, or the budget is spent.
    """
    template = issue_for(repository, candidate, verdict, seed=seed)
    if writer is None:
        return template
    facts = gather_facts(repository, verdict)
    request = _request(writer, facts, seed)
    key = result_key(
        revision=REVISION,
        inputs={
            "request": request_digest(request, model=writer.model.name),
            "patch": candidate.bug_patch,
            "tests": sha256(facts.seen().encode("utf-8", "replace")).hexdigest(),
        },
        config={"server": writer.server},
        tools={},
    )
    written = writer.results.get_row(key, Issue)
    if written is None:
        written = await _write(
            writer, request, Review(facts=facts, patch=candidate.bug_patch)
        )
        if written.fallback not in _NOT_KEPT:
            writer.results.put_row(key, written)
    if not written.fallback:
        return written
    return replace(template, fallback=written.fallback, cost=written.cost)


def _request(writer: ModelWriter, facts: IssueFacts, seed: int) -> ChatRequest:
    name = f"{seed}:{facts.package}:{facts.tests[0].test_id}"
    return issue_request(
        facts,
        temperature=writer.temperature,
        max_tokens=writer.answer_tokens,
        seed=int.from_bytes(sha256(name.encode("utf-8", "replace")).digest()[:4]) >> 1,
    )


async def _write(writer: ModelWriter, request: ChatRequest, review: Review) -> Issue:
    """Ask, and ask once more with the class of what was wrong; `fallback` if in vain."""
    began = writer.clock()
    usage = Usage()
    fault: IssueFault | None = None
    text, asked = "", request
    for attempt in range(2):
        try:
            answer = await writer.model.complete(asked)
        except ContextLengthError:
            fault = "context_length"
            break
        except ModelAnswerError:
            fault = "no_answer"
            break
        usage = usage + answer.usage
        text, fault = review.read(answer)
        if fault is None:
            break
        if attempt == 0:
            asked = repaired(request, answer, REMEDIES[fault])
    return Issue(
        text=text if fault is None else "",
        writer="llm",
        model=writer.model.name,
        fallback=fault or "",
        cost=Cost(
            tokens=usage.prompt_tokens + usage.completion_tokens,
            seconds=writer.clock() - began,
            usd=usage.usd,
        ),
    )
