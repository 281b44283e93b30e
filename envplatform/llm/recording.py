"""Record answers and replay them: equal requests get equal answers, on any machine.

One JSON file per answer, named by a digest of the request and the model's name.
Errors are never recorded. No prompts are stored, only what was answered.
"""

import hashlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse

Mode = Literal["record", "replay"]
"""`record`: replay what is known, ask and record the rest. `replay`: never ask."""

_FORMAT = 1
_RESPONSE = TypeAdapter(ChatResponse)


def request_digest(request: ChatRequest, *, model: str) -> str:
    """SHA-256 (hex) over everything that shapes the answer."""
    content = {"format": _FORMAT, "model": model, "request": asdict(request)}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class RecordedModel(ChatModel):
    """Answers from `folder` where it can."""

    def __init__(self, inner: ChatModel, folder: Path, *, mode: Mode) -> None:
        self.name = inner.name
        self._inner = inner
        self._folder = folder
        self._mode = mode

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Replay the answer to `request`, or ask and record it.

        Raises:
            ModelError: `replay` and no recording; a damaged recording; as the inner
                model otherwise.
        """
        digest = request_digest(request, model=self.name)
        path = self._folder / digest[:2] / f"{digest}.json"
        known = self._read(path)
        if known is not None:
            return known
        if self._mode == "replay":
            msg = (
                f"model {self.name!r}: no recording {digest[:12]} in {self._folder}; "
                f'set record = "record" to ask the model'
            )
            raise ModelError(msg)
        response = await self._inner.complete(request)
        if _publish(path, _RESPONSE.dump_json(response)):
            return response
        # Somebody asked the same at the same time and was first: theirs counts, so
        # that both rollouts and every later replay see one answer.
        return self._read(path) or response

    def _read(self, path: Path) -> ChatResponse | None:
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            response = _RESPONSE.validate_json(content, strict=True)
        except ValidationError as error:
            msg = f"{path}: damaged recording; delete it to ask the model again"
            raise ModelError(msg) from error
        return replace(response, cached=True, retries=0)


def _publish(path: Path, content: bytes) -> bool:
    """Write `path` as a whole, unless it exists. Whether this call wrote it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.stem}.{uuid4().hex}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return False
    finally:
        draft.unlink(missing_ok=True)
    return True
