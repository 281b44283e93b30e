"""TOML that a person wrote, into a strict pydantic model, with errors worth reading.

What the keys mean is in `configuration` and, for target.toml, in `swe.targets`.
"""

import re
import tomllib
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from envplatform.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)

_MAX_SHOWN = 80
_WHOLE_FILE = "(file)"
"""In place of a key where several contradict each other."""
_USER_INFO = re.compile(r"(\w://)[^/@\s]*@")


def parse_toml(model: type[Model], text: str, *, source: str) -> Model:
    """Read `text` as a `model`; TOML arrays become tuples.

    Raises:
        ConfigError: names `source`, every wrong key, what stands there and why.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{source} is not valid TOML: {error}"
        raise ConfigError(msg) from error
    try:
        return model.model_validate(_tuples(values))
    except ValidationError as error:
        raise ConfigError(_explain(error, source)) from error


def _tuples(value: object) -> object:
    """Turn TOML arrays into tuples, so that strict validation takes them."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return value


def _explain(error: ValidationError, source: str) -> str:
    lines = [f"{source}: {error.error_count()} wrong key(s)"]
    for problem in error.errors(include_url=False):
        key = ".".join(str(part) for part in problem["loc"]) or _WHOLE_FILE
        what = {
            "missing": "is missing; add it",
            "extra_forbidden": "no such key; remove it or check its spelling",
        }.get(problem["type"], problem["msg"] + _found(key, problem["input"]))
        lines.append(f"  {key}: {what}")
    return "\n".join(lines)


def _found(key: str, value: object) -> str:
    if "key" in key or key == _WHOLE_FILE:
        return ""  # what stands there may be a secret: never repeat it
    text = _USER_INFO.sub(r"\1***@", repr(value))
    shown = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
    return f" (found {shown})"
