"""JSON that any reader takes: no NaN, no lone surrogates. What agents wrote has both."""

import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = dict[str, Json]


def json_text(value: Json, *, indent: int | None = None) -> str:
    """Return a value as JSON; a lone surrogate becomes U+FFFD.

    Raises:
        ValueError: a number is not finite, or it is nested too deeply.
    """
    try:
        return json.dumps(
            _sound(value), indent=indent, ensure_ascii=False, allow_nan=False
        )
    except RecursionError as error:
        msg = "it is nested too deeply"
        raise ValueError(msg) from error


def json_object(text: str) -> JsonObject | None:
    """Read an object; None where the text is none, or holds NaN."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(name: str) -> None:
    raise ValueError(name)


def _sound(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {str(_sound(key)): _sound(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_sound(item) for item in value]
    return value
