"""Removing a container while it ends by itself: the engine is asked again."""

from collections.abc import Iterator

import pytest
import requests
from docker.errors import APIError, NotFound
from docker.models.containers import Container

from envplatform.errors import SandboxError
from envplatform.sandbox.docker_sandbox import remove_container


def refusal(status: int, words: str) -> APIError:
    """What docker-py raises for an answer of the engine."""
    response = requests.Response()
    response.status_code = status
    return APIError(words, response=response, explanation=words)


BUSY = refusal(409, "removal of container abc is already in progress")
KILLING = refusal(
    500, 'cannot remove container "abc": could not kill: tried to kill container'
)
GONE = NotFound("no such container")


class Ending(Container):
    """A container whose removal is answered as told, and then well."""

    def __init__(self, answers: list[Exception]) -> None:
        super().__init__(attrs={"Id": "abcdef"})
        self.asked = 0
        self._answers: Iterator[Exception] = iter(answers)

    def remove(self, **_: object) -> None:
        """Answer the next."""
        self.asked += 1
        for answer in self._answers:
            raise answer


@pytest.mark.parametrize(
    ("answers", "asked"),
    [([], 1), ([KILLING], 2), ([BUSY, KILLING, BUSY], 4), ([KILLING, GONE], 2)],
)
def test_a_container_that_is_ending_is_removed_once_it_can_be(
    answers: list[Exception], asked: int
) -> None:
    """Pauses grow, and that somebody else removed it is well too."""
    container, slept = Ending(answers), list[float]()
    remove_container(container, sleep=slept.append)
    assert container.asked == asked
    assert len(slept) == asked - 1
    assert slept == sorted(slept)


def test_an_engine_that_is_never_ready_is_told_in_the_end() -> None:
    """The last answer stands in the error."""
    container, slept = Ending([KILLING] * 100), list[float]()
    with pytest.raises(SandboxError, match="could not kill"):
        remove_container(container, sleep=slept.append)
    assert container.asked == len(slept) + 1 < 100


@pytest.mark.parametrize(
    "error",
    [
        refusal(500, "driver failed to remove root filesystem"),
        requests.ConnectionError("the engine is gone"),
    ],
)
def test_what_would_come_again_is_told_at_once(error: Exception) -> None:
    """A refusal, or no engine at all."""
    container, slept = Ending([error]), list[float]()
    with pytest.raises(SandboxError, match="can't be removed"):
        remove_container(container, sleep=slept.append)
    assert container.asked == 1
    assert not slept
