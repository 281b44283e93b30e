"""What the screen asks and answers; its lines come from a sandbox and are not trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Said = Literal[
    "survives",  # some selected test failed or takes long: to be confirmed
    "no_failure",
    "only_errors",
    "does_not_compile",
    "cold",  # a fork can't tell: to be verified without the screen
]
_Detail = Annotated[str, StringConstraints(max_length=20_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One candidate that a fork can judge."""

    files: Mapping[str, bytes]
    """Changed paths to their defective content."""
    stages: Sequence[Sequence[str]]
    """What to run: a stage of tests only if none before it decides; none is empty."""

    @property
    def tests(self) -> tuple[str, ...]:
        """All of it."""
        return tuple(test for stage in self.stages for test in stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a fork showed of one candidate."""

    said: Said
    detail: str
    """One line for a person; for `survives` the test that failed or took long."""
    seconds: float = 0.0
    """Time of the fork alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What one sandbox answered before it ended."""

    answers: Mapping[int, Answer]
    """By place of the question. What is missing was not asked."""
    is_usable: bool
    """Whether it makes sense to ask the rest elsewhere."""
    is_done: bool
    """Whether the watch lived to say that it was done."""
    detail: str
    """Why it is not usable; empty if it is."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    nonce: str
    kind: Literal["ready", "begin", "answer", "done", "unusable"]
    detail: _Detail = ""
    place: Annotated[int, Field(ge=0)] = 0
    said: Said = "cold"
    seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] = 0.0
    unfit: Annotated[tuple[str, ...], Field(max_length=100_000)] = ()


def read_sitting(stdout: bytes, *, nonce: str, asked: Sequence[int]) -> Sitting:
    """Read what the watch printed; a cut last line is left out.

    A candidate that had begun and got no answer took the watch or the worker with it:
    its answer is `cold`. Nothing is believed of output that the watch can't have made.
    """
    *whole, _rest = stdout.split(b"\n")
    lines: list[_Line] = []
    for line in whole:
        try:
            lines.append(_Line.model_validate_json(line))
        except ValidationError:
            return _nothing("the screen printed what is no answer")
    expected = [*asked]
    begun = [line.place for line in lines if line.kind == "begin"]
    answered = [line.place for line in lines if line.kind == "answer"]
    in_order = begun == expected[: len(begun)] and answered == begun[: len(answered)]
    if any(line.nonce != nonce for line in lines) or not in_order:
        return _nothing("the screen's answers are not those of this run")
    answers = {
        line.place: Answer(said=line.said, detail=line.detail, seconds=line.seconds)
        for line in lines
        if line.kind == "answer"
    }
    said = next((line.detail for line in lines if line.kind == "unusable"), "")
    for place in begun[len(answered) :]:
        answers[place] = Answer(said="cold", detail=said or "it ended the screen")
    usable = any(line.kind == "ready" for line in lines)
    return Sitting(
        answers=answers,
        is_usable=usable,
        is_done=any(line.kind == "done" for line in lines),
        detail="" if usable else said or "the screen did not start",
    )


def _nothing(detail: str) -> Sitting:
    return Sitting(answers={}, is_usable=False, is_done=False, detail=detail)
