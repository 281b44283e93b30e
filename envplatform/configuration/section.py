"""What all sections of `envplatform.toml` are made of. No section stands here."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Base of all sections: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def with_tables(said: object, section: type[Section], what: str) -> object:
    """Refuse a key that is neither known nor a table: it is misspelt.

    Raises:
        ValueError: names the key; `what` says what a table there would be.
    """
    items = said.items() if isinstance(said, dict) else ()
    for key, value in items:
        if key not in section.model_fields and not isinstance(value, dict | Section):
            msg = f"no such key: {key}; {what}"
            raise ValueError(msg)
    return said


def check_names(names: Mapping[str, object]) -> None:
    """Refuse names of tables that can't be keys of partitions.

    Raises:
        ValueError: names the first.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            msg = f"{name!r} must be of lower-case letters, digits, - and _"
            raise ValueError(msg)
