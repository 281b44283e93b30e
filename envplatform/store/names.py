"""Partition and asset names as file names, and back. No file access here."""

import hashlib
from urllib.parse import quote

WHOLE = "@"
"""File name of the only table of an unpartitioned asset; no encoded name equals it."""

_LONGEST = 150
"""Encoded names beyond this many characters are cut; file systems allow 255 bytes."""


def encode_name(name: str) -> str:
    """Return a file name for any text, distinct for distinct texts.

    Letters, digits, `_`, `-` and inner dots stay; all else, lone surrogates included,
    is percent-encoded. A long name is cut and ends in `~` and its SHA-256, so the
    text itself must be kept elsewhere (the manifest does).
    """
    encoded = quote(name, safe="", errors="surrogatepass").replace("~", "%7E")
    if encoded.startswith("."):
        encoded = "%2E" + encoded[1:]
    if not encoded:
        return "%"
    if len(encoded) <= _LONGEST:
        return encoded
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{encoded[: _LONGEST - 65]}~{digest}"


def encode_partition(partition: str | None) -> str:
    """Return the folder name of a partition, None being an unpartitioned asset."""
    return WHOLE if partition is None else encode_name(partition)
