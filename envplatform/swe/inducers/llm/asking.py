"""Ask a model about one function, and once more if its answer will not do.

What came of it is kept at once, so that the same question is paid for once: also when
a run is killed, or its table is made anew.
"""

import hashlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from envplatform.errors import ContextLengthError, ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse, Usage
from envplatform.llm.recording import request_digest
from envplatform.store import NOT_IDENTITY, ResultCache, result_key
from envplatform.swe.candidate import Cost
from envplatform.swe.inducers.answers import NOT_KEPT, all_of
from envplatform.swe.inducers.llm.entities import Entity
from envplatform.swe.inducers.llm.fault import Fault, FaultName
from envplatform.swe.inducers.llm.judge import Judge
from envplatform.swe.inducers.llm.prompts import repaired

REVISION = 1
"""Grows whenever the same answers can lead to another outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """A model, how it is asked, and where its answers are kept."""

    model: ChatModel
    run: Callable[[Coroutine[Any, Any, Any]], Any]
    """Runs a coroutine in the event loop that the model was opened in."""
    results: ResultCache
    clock: Callable[[], float]
    """Seconds since some moment."""
    server: str = ""
    """Tells two servers apart that call their models the same."""
    temperature: float = 0.8
    answer_tokens: int = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of asking about one function."""

    code: str | None
    """The body as it goes into the file; None if no answer will do."""
    fault: FaultName | None
    """What was wrong with the last answer; None where there is code."""
    detail: str
    prompt_hash: str
    """SHA-256 (hex) of the first request and the model's name."""
    repaired: bool
    """Whether the model was told what was wrong, and asked again."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)
    """Of both questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One function of one file, as a model is asked about it."""

    judge: Judge
    entity: Entity
    request: ChatRequest
    repairs_same: bool
    """Whether a function that is the same as before is a fault to be told."""


async def ask_all(
    prompting: Prompting, questions: Sequence[Question]
) -> tuple[Outcome, ...]:
    """Ask all at once; the outcomes in order.

    Raises:
        ModelError: the server failed or the budget is spent; outcomes so far are kept.
    """
    return await all_of(_remembered(prompting, question) for question in questions)


async def _remembered(prompting: Prompting, question: Question) -> Outcome:
    digest = request_digest(question.request, model=prompting.model.name)
    data = question.judge.source.data
    key = result_key(
        revision=REVISION,
        inputs={
            "request": digest,
            "file": hashlib.sha256(data).hexdigest(),
            "function": f"{question.entity.name}:{question.entity.node.lineno}",
        },
        config={"server": prompting.server, "repairs_same": question.repairs_same},
        tools={},
    )
    known = prompting.results.get_row(key, Outcome)
    if known is not None:
        return known
    outcome = await _ask(prompting, question, digest)
    if outcome.fault not in NOT_KEPT:
        prompting.results.put_row(key, outcome)
    return outcome


async def _ask(prompting: Prompting, question: Question, digest: str) -> Outcome:
    began = prompting.clock()
    first = await _turn(prompting, question, question.request)
    turns = [first]
    if first.answer is not None and _is_repairable(first.fault, question):
        request = repaired(question.request, first.answer, first.fault)
        turns.append(await _turn(prompting, question, request))
    last = turns[-1]
    usage = sum((turn.usage for turn in turns), start=Usage())
    return Outcome(
        code=last.code,
        fault=last.fault.name if last.fault else None,
        detail=last.fault.detail if last.fault else "",
        prompt_hash=digest,
        repaired=len(turns) > 1,
        cost=Cost(
            tokens=usage.prompt_tokens + usage.completion_tokens,
            seconds=prompting.clock() - began,
            usd=usage.usd,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """One question and what came back: an answer with code, or with a fault."""

    answer: ChatResponse | None
    code: str | None
    fault: Fault | None

    @property
    def usage(self) -> Usage:
        """Of the answer; nothing where there was none."""
        return self.answer.usage if self.answer else Usage()


async def _turn(
    prompting: Prompting, question: Question, request: ChatRequest
) -> _Turn:
    try:
        answer = await prompting.model.complete(request)
    except ContextLengthError:
        return _Turn(answer=None, code=None, fault=Fault("context_length"))
    except ModelAnswerError:
        return _Turn(answer=None, code=None, fault=Fault("no_answer"))
    changed = question.judge.change(answer, question.entity)
    if isinstance(changed, Fault):
        return _Turn(answer=answer, code=None, fault=changed)
    span, healthy = question.entity.body, question.judge.source.data
    end = len(changed) - (len(healthy) - span.end)
    code = changed[span.start : end].decode("utf-8")
    return _Turn(answer=answer, code=code, fault=None)


def _is_repairable(fault: Fault | None, question: Question) -> TypeGuard[Fault]:
    """Tell whether the model could mend it: not what is right, only no bug."""
    if fault is None:
        return False
    return fault.name != "same_ast" or question.repairs_same
