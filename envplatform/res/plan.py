"""What one level does to its parent: operators, names and options. Data of strangers too."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import PlanError
from envplatform.ws.wire import canonical

MAX_STEPS = 60


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


class _Step(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    operator: str = Field(max_length=100)
    name: str = Field(min_length=1, max_length=1000)
    options: dict[str, int | str] = {}


class _Plan(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    steps: list[_Step] = Field(min_length=1, max_length=MAX_STEPS)


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
        plan = _Plan.model_validate({"steps": said} if isinstance(said, list) else said)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the plan"
        msg = f"{where}: {first['msg']}"
        raise PlanError(msg) from error
    return TransformPlan(
        steps=tuple(
            Step(operator=one.operator, name=one.name, options=one.options)
            for one in plan.steps
        )
    )
