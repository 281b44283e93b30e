"""Read the runner's result line: from a sandbox, so nothing in it is taken on trust."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from envplatform.errors import EnvPlatformError
from envplatform.swe.candidate import RunEnding, TestOutcome
from envplatform.tree import TreeError, checked_path

Cause = Literal["import", "memory", "disk", "processes"]
"""Why a test broke before it could judge: never counted as a failed assertion."""
Lines = Mapping[str, tuple[int, ...]]
"""Path to sorted line numbers, from 1."""
_MAX_TESTS = 100_000
_MAX_EXECUTIONS = 1_000_000
_MAX_FILES = 20_000
_TEST = "test:"

Id = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
Number = Annotated[int, Field(ge=0, le=10_000_000)]
Seconds = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
LineNumbers = Annotated[tuple[Number, ...], Field(max_length=1_000_000)]


class ForgedResultError(EnvPlatformError):
    """What came on standard output is not the one line that our runner prints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which lines of the code ran when."""

    by_test: Mapping[str, Lines]
    """Test id to the lines it ran, its set-up and tear-down included."""
    imported: Lines
    """Run at start and collection."""
    shared: Lines
    """Run in fixtures wider than one test."""
    statements: Lines
    """Where statements start, in every file that was imported at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One execution of a suite, as the runner witnessed it."""

    ending: RunEnding
    detail: str
    """One line for a person; empty if completed."""
    running: str | None = None
    """The test during which the run ended, if it did not complete."""
    outcomes: Mapping[str, TestOutcome]
    """First round, in order of execution; what was not reported is `missing`."""
    repeats: tuple[Mapping[str, TestOutcome], ...] = ()
    """The rounds after the first."""
    causes: Mapping[str, Cause]
    reports: Mapping[str, str]
    """Why tests did not pass: failing lines of the test, never the code under test."""
    seconds_by_test: Mapping[str, float]
    broken: Mapping[str, str]
    """Files that can't be collected, to the reason."""
    coverage: Coverage | None = None
    output: str = ""
    """The end of what was printed. Written by the code under test: never a verdict."""
    output_bytes: int = 0
    seconds: float


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Execution(_Model):
    id: Id
    round: Number
    outcome: TestOutcome
    cause: Cause | None
    seconds: Seconds
    report: Annotated[str, StringConstraints(max_length=100_000)]


class _Broken(_Model):
    id: Annotated[str, StringConstraints(max_length=4096)]
    report: Annotated[str, StringConstraints(max_length=100_000)]


class _Lines(_Model):
    path: Id
    statements: LineNumbers
    contexts: dict[str, LineNumbers]


class _Result(_Model):
    format: Literal[1]
    nonce: str
    hidden: bool
    ending: RunEnding | Literal["unusable"]
    detail: Annotated[str, StringConstraints(max_length=20_000)]
    running: Id | None
    rounds: Annotated[int, Field(ge=1, le=1000)]
    collected: Annotated[tuple[Id, ...], Field(max_length=_MAX_TESTS)]
    executions: Annotated[tuple[_Execution, ...], Field(max_length=_MAX_EXECUTIONS)]
    broken: Annotated[tuple[_Broken, ...], Field(max_length=100)]
    lines: Annotated[tuple[_Lines, ...], Field(max_length=_MAX_FILES)]
    output: Annotated[str, StringConstraints(max_length=100_000)]
    output_bytes: Annotated[int, Field(ge=0)]
    seconds: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """A genuine result line."""

    run: SuiteRun
    is_usable: bool
    """Whether the image has pytest and coverage."""
    is_hidden: bool
    """Whether the runner could shut its memory to the code under test."""


def parse_result(
    stdout: bytes, *, nonce: str, wanted: tuple[str, ...] | None
) -> Witnessed:
    """Read the one line that `stdout` must consist of.

    `wanted` are the tests that were asked for: those without a report are missing.

    Raises:
        ForgedResultError: no line, more than one, a wrong nonce or a wrong shape.
    """
    if stdout.count(b"\n") != 1 or not stdout.endswith(b"\n"):
        msg = "the runner's output is not one line: something else wrote to it"
        raise ForgedResultError(msg)
    try:
        result = _Result.model_validate_json(stdout)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"the runner's result has a wrong shape at {place}: {first['msg']}"
        raise ForgedResultError(msg) from error
    if result.nonce != nonce:
        msg = "the result line does not carry the nonce of this run"
        raise ForgedResultError(msg)
    return Witnessed(
        run=_suite_run(result, wanted),
        is_usable=result.ending != "unusable",
        is_hidden=result.hidden,
    )


def _suite_run(result: _Result, wanted: tuple[str, ...] | None) -> SuiteRun:
    expected = dict.fromkeys([*result.collected, *(wanted or ())])
    rounds = [_round(result, number, expected) for number in range(result.rounds)]
    first = [execution for execution in result.executions if execution.round == 0]
    return SuiteRun(
        ending="crashed" if result.ending == "unusable" else result.ending,
        detail=result.detail,
        running=result.running,
        outcomes=rounds[0],
        repeats=tuple(rounds[1:]),
        causes={e.id: e.cause for e in first if e.cause is not None},
        reports={e.id: e.report for e in first if e.report},
        seconds_by_test={e.id: e.seconds for e in first},
        broken={item.id: item.report for item in result.broken},
        coverage=_coverage(result) if result.lines else None,
        output=result.output,
        output_bytes=result.output_bytes,
        seconds=result.seconds,
    )


def _round(
    result: _Result, number: int, expected: Mapping[str, None]
) -> dict[str, TestOutcome]:
    done: dict[str, TestOutcome] = {}
    for execution in result.executions:
        if execution.round == number:
            done[execution.id] = execution.outcome
    lost: dict[str, TestOutcome] = {t: "missing" for t in expected if t not in done}
    return {**done, **lost}


def _coverage(result: _Result) -> Coverage:
    by_test: dict[str, dict[str, tuple[int, ...]]] = {}
    for file in result.lines:
        for context, lines in file.contexts.items():
            if context.startswith(_TEST):
                test = context.removeprefix(_TEST)
                by_test.setdefault(test, {})[_path(file.path)] = lines
    return Coverage(
        by_test=by_test,
        imported=_of_context(result, "import"),
        shared=_of_context(result, "shared"),
        statements={_path(file.path): file.statements for file in result.lines},
    )


def _of_context(result: _Result, context: str) -> Lines:
    return {
        _path(file.path): file.contexts[context]
        for file in result.lines
        if context in file.contexts
    }


def _path(path: str) -> str:
    try:
        return checked_path(path)
    except TreeError as error:
        raise ForgedResultError(str(error)) from error
