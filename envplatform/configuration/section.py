"""What all sections of `envplatform.toml` are made of. No section stands here."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Base of all sections: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Table = TypeVar("Table", bound=Section)


class Tables(Section, Generic[Table]):
    """A section whose further keys are tables by name, such as `[rollouts.NAME]`."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, Table] = Field(init=False)

    table_is: ClassVar[str]
    """What a table there is, for whoever misspelt a key."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables below it, by name."""
        return self.__pydantic_extra__

    @model_validator(mode="before")
    @classmethod
    def _is_known_or_a_table(cls, said: object) -> object:
        """Refuse a key that is neither known nor a table: it is misspelt."""
        items = said.items() if isinstance(said, dict) else ()
        for key, value in items:
            if key not in cls.model_fields and not isinstance(value, dict | Section):
                msg = f"no such key: {key}; {cls.table_is}"
                raise ValueError(msg)
        return said

    @model_validator(mode="after")
    def _names_are_keys(self) -> Self:
        check_names(self.tables)
        return self


class Experiments(Tables[Table], Generic[Table]):
    """A section whose tables are experiments."""

    @property
    def experiments(self) -> Mapping[str, Table]:
        """The tables below it, by name."""
        return self.tables


def check_names(names: Mapping[str, object]) -> None:
    """Refuse names of tables that can't be keys of partitions.

    Raises:
        ValueError: names the first.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            msg = f"{name!r} must be of lower-case letters, digits, - and _"
            raise ValueError(msg)
