"""Ask a model for one sample, and keep it, so that it is drawn and paid for once.

A sample is kept under all that decides it: the model's digest and its server, the whole
request (words, temperature, seed, length) and the revision of this code. What is made of
it is not kept: judging anew costs nothing.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from envplatform.errors import ContextLengthError, ModelAnswerError
from envplatform.llm.chat import ChatModel, ChatRequest, FinishReason, Message
from envplatform.llm.recording import request_digest
from envplatform.store import NOT_IDENTITY, ResultCache, result_key
from envplatform.swe.candidate import Cost
from envplatform.swe.inducers.answers import NOT_KEPT, all_of
from envplatform.swe.inducers.learned.prompts import Asked

REVISION = 1
"""Grows whenever the same request can give other samples."""

MAX_KEPT = 200_000
"""Characters of a sample; what comes after is dropped, and it will not do anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """A model, whose answers it is, and where they are kept."""

    model: ChatModel
    digest: str
    """Of its weights, as far as they are known; else its name."""
    run: Callable[[Coroutine[Any, Any, Any]], Any]
    """Runs a coroutine in the event loop that the model was opened in."""
    results: ResultCache
    clock: Callable[[], float]
    """Seconds since some moment."""
    server: str = ""
    """Tells two servers apart that call their models the same."""

    def sample(self, requests: Sequence[ChatRequest]) -> tuple["Sample", ...]:
        """Draw samples, all at once; in order.

        Raises:
            ModelError: the server failed or the budget is spent; samples so far are kept.
        """
        asked = (_remembered(self, request) for request in requests)
        found: tuple[Sample, ...] = self.run(all_of(asked))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer of a model, or that there was none."""

    text: str
    finish: FinishReason
    missing: Literal["", "no_answer", "context_length"]
    """Why there is no text; empty: there is."""
    prompt_hash: str
    """SHA-256 (hex) of the request and the model's name."""
    cost: Cost = field(default=Cost(), metadata=NOT_IDENTITY)


def request_of(
    asked: Asked, *, temperature: float, seed: int, answer_tokens: int
) -> ChatRequest:
    """Make a request of a question: as training rows are laid out."""
    return ChatRequest(
        messages=(
            Message(role="system", content=asked.system),
            Message(role="user", content=asked.prompt),
        ),
        temperature=temperature,
        max_tokens=answer_tokens,
        seed=seed,
    )


async def _remembered(sampler: Sampler, request: ChatRequest) -> Sample:
    digest = request_digest(request, model=sampler.model.name)
    key = result_key(
        revision=REVISION,
        inputs={"request": digest, "model": sampler.digest},
        config={"server": sampler.server},
        tools={},
    )
    known = sampler.results.get_row(key, Sample)
    if known is not None:
        return known
    sample = await _draw(sampler, request, digest)
    if sample.missing not in NOT_KEPT:
        sampler.results.put_row(key, sample)
    return sample


async def _draw(sampler: Sampler, request: ChatRequest, digest: str) -> Sample:
    began = sampler.clock()
    try:
        answer = await sampler.model.complete(request)
    except ContextLengthError:
        return _none("context_length", digest)
    except ModelAnswerError:
        return _none("no_answer", digest)
    usage = answer.usage
    return Sample(
        text=_storable(answer.message.content),
        finish=answer.finish_reason,
        missing="",
        prompt_hash=digest,
        cost=Cost(
            tokens=usage.prompt_tokens + usage.completion_tokens,
            seconds=sampler.clock() - began,
            usd=usage.usd,
        ),
    )


def _none(why: Literal["no_answer", "context_length"], digest: str) -> Sample:
    return Sample(text="", finish="other", missing=why, prompt_hash=digest)


def _storable(text: str) -> str:
    """Half of a surrogate pair can be answered, and not be written."""
    return text[: MAX_KEPT + 1].encode("utf-8", "replace").decode()
