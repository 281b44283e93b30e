"""What one level does to its parent: operators, names and options. Data of strangers too."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import PlanError
from envplatform.res.primitives import primitive_names
from envplatform.ws.wire import canonical

MAX_STEPS = 60
_MAX_NAME = 1000
"""Characters, of a name wherever it stands."""
_MAX_SIZE = 1_000_000
"""Of a number; no option takes one near it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operator on one name."""

    operator: str
    name: str
    """Public name at which a content is read plainly when it is this step's turn."""
    options: Mapping[str, Any] = field(default_factory=dict)

    def said(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "operator": self.operator,
            "name": self.name,
            "options": dict(self.options),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformPlan:
    """Steps in the order in which they are applied; a later one may take what an earlier made."""

    steps: tuple[Step, ...]

    def text(self) -> str:
        """Return the one spelling."""
        return canonical([step.said() for step in self.steps])


_Name = Annotated[str, Field(min_length=1, max_length=_MAX_NAME)]
_Option = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
_Size = Annotated[int, Field(ge=-_MAX_SIZE, le=_MAX_SIZE)]


def _known_operators(schema: dict[str, Any]) -> None:
    """Name all operators to servers that hold a model to a schema."""
    schema["enum"] = list(primitive_names())


class StepAnswer(BaseModel):
    """A step as JSON has it, before anything is known of what it is applied to."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    operator: str = Field(max_length=100, json_schema_extra=_known_operators)
    name: _Name
    options: dict[_Option, _Size | _Name] = Field(default={}, max_length=10)


class PlanAnswer(BaseModel):
    """A plan as JSON has it; also the schema that models are asked to answer by."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    steps: list[StepAnswer] = Field(min_length=1, max_length=MAX_STEPS)

    def plan(self) -> TransformPlan:
        """Return it as a value of ours."""
        return TransformPlan(
            steps=tuple(
                Step(operator=one.operator, name=one.name, options=one.options)
                for one in self.steps
            )
        )


def read_plan(text: str) -> TransformPlan:
    """Parse `{"steps": [...]}`, or the list of steps alone, as a proposer gave it.

    Raises:
        PlanError: it is no plan; names the step and the field.
    """
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"the plan is not JSON: {error}"
        raise PlanError(msg) from error
    try:
        answer = PlanAnswer.model_validate(
            {"steps": said} if isinstance(said, list) else said
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the plan"
        msg = f"{where}: {first['msg']}"
        raise PlanError(msg) from error
    return answer.plan()


def plan_of(bindings: Mapping[str, str]) -> TransformPlan:
    """Return the plan that an accepted child was made by, out of its lineage's bindings.

    Raises:
        PlanError: they hold none; names the step.
    """
    steps: list[Step] = []
    for number in sorted(bindings):
        try:
            steps += read_plan(bindings[number]).steps
        except PlanError as error:
            msg = f"step {number}: {error}"
            raise PlanError(msg) from error
    if not steps:
        msg = "the lineage holds no plan"
        raise PlanError(msg)
    return TransformPlan(steps=tuple(steps))
