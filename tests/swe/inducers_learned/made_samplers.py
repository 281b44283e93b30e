"""Learned inducers over scripted models, and what their tests share."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from envplatform.errors import ModelError
from envplatform.llm.chat import ChatResponse
from envplatform.patches import diff_trees
from envplatform.store import ResultCache
from envplatform.swe.inducers.base import SourceFile
from envplatform.swe.inducers.learned import Sampler
from envplatform.tree import File
from tests.fakes import ScriptedChatModel

PATH = "spans/core.py"
CODE = b'''"""Intervals."""

from math import inf


def inside(value, low, high=inf):
    """Whether a value lies in an interval."""
    # both ends count
    return low <= value <= high


def total(values):
    result = 0
    for value in values:
        result += value
    return result
'''


def source_file(
    data: bytes = CODE, covered: frozenset[int] | None = None
) -> SourceFile:
    return SourceFile(
        repository="made__spans",
        commit="0" * 40,
        path=PATH,
        data=data,
        covered=covered,
    )


def diff(old: str, new: str, *, code: bytes = CODE, path: str = PATH) -> str:
    """What a model that learned well would answer."""
    changed = code.decode().replace(old, new, 1).encode()
    assert changed != code
    text = diff_trees({path: File(code)}, {path: File(changed)})
    return text[text.index("--- ") :]


EXCLUSIVE = diff("value <= high", "value < high")
"""A bug in `inside`."""
ONE = diff("result = 0", "result = 1")
"""A bug in `total`."""


class Scripted:
    """A sampler whose model answers from a script, and what the model was asked."""

    def __init__(self, sampler: Sampler, model: ScriptedChatModel) -> None:
        self.sampler = sampler
        self.model = model

    @property
    def temperatures(self) -> list[float]:
        """Of all requests, in order."""
        return [request.temperature for request in self.model.requests]

    def said(self, request: int) -> str:
        """All words of one request."""
        messages = self.model.requests[request].messages
        return "\n".join(message.content for message in messages)


@contextmanager
def scripted(
    folder: Path,
    script: Sequence[ChatResponse | ModelError],
    *,
    name: str = "scripted",
    digest: str = "d1",
) -> Iterator[Scripted]:
    """Open a sampler; samples are kept in `folder`."""
    model = ScriptedChatModel(script)
    model.name = name
    with asyncio.Runner() as runner:
        sampler = Sampler(
            model=model,
            digest=digest,
            run=runner.run,
            results=ResultCache(folder),
            clock=lambda: 0.0,
        )
        yield Scripted(sampler, model)
