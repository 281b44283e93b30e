"""Token n-grams: how much of one text stands in another, whatever its layout."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(r"\w+|[^\w\s]")

Shingle = tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Words and single signs; blanks and line ends carry no meaning."""
    return _TOKEN.findall(text)


def shingles(words: list[str], length: int) -> Iterator[Shingle]:
    """Every run of `length` tokens, in order; none where the text is shorter."""
    for start in range(len(words) - length + 1):
        yield tuple(words[start : start + length])


def text_of(data: bytes) -> str:
    """Bytes as text for scanning; what is no UTF-8 stays recognisable."""
    return data.decode("utf-8", "surrogateescape")
