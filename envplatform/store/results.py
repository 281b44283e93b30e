"""A cache of finished pieces of work, by the digest of all that decided them.

The key holds inputs, configuration, revision and tools. Only values that were
computed are kept: an exception, above all one about the sandbox or the model server,
leaves no entry. A damaged entry counts as absent. Rows and partitions are elsewhere.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from envplatform.store.files import UNFINISHED, locked
from envplatform.store.names import encode_name
from envplatform.store.shapes import record_of
from envplatform.store.values import Plain, decode, digest_json, encode

Row = TypeVar("Row")


def result_key(
    *,
    revision: int,
    inputs: Mapping[str, str],
    config: object,
    tools: Mapping[str, str],
) -> str:
    """SHA-256 (hex) of all that decides a result.

    Args:
        revision: the stage's REVISION.
        inputs: name of each input to its digest, or to its text if short.
        config: JSON-like settings that the stage reads.
        tools: name to version of each tool that shapes the output.
    """
    return digest_json(
        {
            "revision": revision,
            "inputs": dict(inputs),
            "config": config,
            "tools": dict(tools),
        }
    )


@dataclass(frozen=True, slots=True)
class ResultCache:
    """Results of one stage, below one folder. Safe for any number of processes."""

    folder: Path

    def get(self, key: str) -> bytes | None:
        """Return what was put under `key`, None if nothing intact was."""
        try:
            stored = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        checksum, _, value = stored.partition(b"\n")
        intact = checksum == hashlib.sha256(value).hexdigest().encode()
        return value if intact else None

    def put(self, key: str, value: bytes) -> None:
        """Keep `value`; the last writer of a key wins, a reader never sees half."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        checksum = hashlib.sha256(value).hexdigest().encode()
        with (
            locked(self.folder, shared=True),
            tempfile.NamedTemporaryFile(
                dir=path.parent, prefix=".", suffix=UNFINISHED, delete=False
            ) as beside,
        ):
            beside.write(checksum + b"\n" + value)
            beside.flush()
            # Not forced to the disk: an entry lost to a power cut fails its checksum.
            Path(beside.name).replace(path)

    def remember(self, key: str, compute: Callable[[], bytes]) -> bytes:
        """Return the result under `key`, computing and keeping it if need be.

        What `compute` raises passes through and nothing is kept.
        """
        known = self.get(key)
        if known is None:
            known = compute()
            self.put(key, known)
        return known

    def get_row(self, key: str, row_type: type[Row]) -> Row | None:
        """Return the row under `key`, None if nothing intact is there.

        Raises:
            StoreError: the row type changed; its stage must raise its revision.
        """
        known = self.get(key)
        if known is None:
            return None
        plain: dict[str, Plain] = json.loads(known)
        return cast("Row", decode(plain, record_of(row_type), f"cached result {key}"))

    def put_row(self, key: str, row: object) -> None:
        """Keep a row of any type that tables take."""
        row_type: type[Any] = type(row)
        plain = encode(row, record_of(row_type), f"result {key}")
        self.put(key, json.dumps(plain).encode("ascii"))

    def _path(self, key: str) -> Path:
        name = encode_name(key)
        return self.folder / name[:2] / name
