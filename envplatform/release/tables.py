"""The two tables of a release, one Parquet file a split, as `datasets` reads them.

An environment's row has its whole folder as an uncompressed tar in `archive`; the
file itself is compressed. A trajectory's row is a conversation in the OpenAI form.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from envplatform.interop.json_text import Json, json_text
from envplatform.release.members import SPLITS, Kind, Split
from envplatform.store.values import text_size

FOLDERS: Mapping[Kind, str] = {
    "environment": "environments",
    "trajectory": "trajectories",
}
_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()
_TEXTS = pa.list_(_TEXT)
_CALL = pa.struct(
    [
        ("id", _TEXT),
        ("type", _TEXT),
        ("function", pa.struct([("name", _TEXT), ("arguments", _TEXT)])),
    ]
)
_MESSAGE = pa.struct(
    [
        ("role", _TEXT),
        ("content", _TEXT),
        ("tool_calls", pa.list_(_CALL)),
        ("tool_call_id", _TEXT),
    ]
)
ENVIRONMENTS = pa.schema(
    [
        ("environment_id", _TEXT),
        ("digest", _TEXT),
        ("pillar", _TEXT),
        ("repository", _TEXT),
        ("family", _TEXT),
        ("scenario", _TEXT),
        ("capabilities", _TEXTS),
        ("has_user", pa.bool_()),
        ("licence", _TEXT),
        ("instruction", _TEXT),
        ("criteria", _TEXTS),
        ("checks", _TEXTS),
        ("kill_rate_criteria", _NUMBER),
        ("kill_rate_generic", _NUMBER),
        ("python", _TEXT),
        ("requirements", _TEXTS),
        ("producer", _TEXT),
        ("operator", _TEXT),
        ("parent", _TEXT),
        ("writers", _TEXTS),
        ("archive", pa.binary()),
    ]
)
TRAJECTORIES = pa.schema(
    [
        ("trajectory_id", _TEXT),
        ("batch", _TEXT),
        ("experiments", _TEXTS),
        ("environment_id", _TEXT),
        ("environment_digest", _TEXT),
        ("harness", _TEXT),
        ("policy", _TEXT),
        ("seed", _WHOLE),
        ("ending", _TEXT),
        ("reward", _NUMBER),
        ("prompt_tokens", _WHOLE),
        ("completion_tokens", _WHOLE),
        ("messages", pa.list_(_MESSAGE)),
        ("tools", _TEXT),
    ]
)
"""`tools` is JSON: each tool has a schema of its own."""
_SCHEMAS: Mapping[Kind, pa.Schema] = {
    "environment": ENVIRONMENTS,
    "trajectory": TRAJECTORIES,
}
_PORTION_BYTES = 16_000_000
_PORTION_ROWS = 500


class Tables:
    """Parquet files under way; one for each kind and split that has a row.

    A file without its footer is none: use it in a `with` statement.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[tuple[Kind, Split], _File] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files.values():
            file.close()

    def add(self, kind: Kind, split: Split, row: Mapping[str, Any]) -> None:
        """Add a row of the kind's columns."""
        file = self._files.get((kind, split))
        if file is None:
            path = self._folder / FOLDERS[kind] / f"{split}.parquet"
            path.parent.mkdir(exist_ok=True)
            file = self._files[kind, split] = _File(path, _SCHEMAS[kind])
        file.add(row)


def row_digest(row: Mapping[str, Json]) -> str:
    """SHA-256 (hex) of a row without bytes.

    Raises:
        ValueError: it holds a number that is not finite.
    """
    return hashlib.sha256(json_text(dict(sorted(row.items()))).encode()).hexdigest()


def table_paths(folder: Path, kind: Kind) -> dict[Split, Path]:
    """Files of a kind that are there, by split."""
    found = {one: folder / FOLDERS[kind] / f"{one}.parquet" for one in SPLITS}
    return {one: path for one, path in found.items() if path.is_file()}


class _File:
    """One file; rows go out in portions, which are row groups."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._rows: list[Mapping[str, Any]] = []
        self._bytes = 0

    def add(self, row: Mapping[str, Any]) -> None:
        self._rows.append(row)
        self._bytes += len(row.get("archive") or b"") + text_size(row)
        if self._bytes >= _PORTION_BYTES or len(self._rows) >= _PORTION_ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            rows = [dict(row) for row in self._rows]
            self._writer.write_table(pa.Table.from_pylist(rows, schema=self._schema))
        self._rows, self._bytes = [], 0
