"""How many tokens the correct files are for a model, lines numbered. An estimate."""

from collections.abc import Iterable

_BYTES_PER_TOKEN = 3.2
_TOKENS_PER_LINE = 2
"""For the number, its separator and the digits' own tokens, on top of the text."""


def context_tokens(files: Iterable[bytes]) -> int:
    """Estimate from bytes and lines alone, so that it never changes with a model."""
    return sum(_tokens(data) for data in files)


def _tokens(data: bytes) -> int:
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    digits = len(str(lines))
    return round(len(data) / _BYTES_PER_TOKEN) + lines * (_TOKENS_PER_LINE + digits)
