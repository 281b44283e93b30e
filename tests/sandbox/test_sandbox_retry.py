"""What is tried again, and what is not."""

import pytest

from envplatform.errors import (
    DownloadTooLargeError,
    PatchError,
    SandboxError,
    SandboxUnavailableError,
)
from envplatform.sandbox.retry import with_retries


class Work:
    """Fails as often as it is told, then gives 7."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.calls = 0
        self.pauses: list[float] = []

    async def run(self) -> int:
        """Fail or give 7."""
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return 7

    async def sleep(self, pause_s: float) -> None:
        """Note the pause instead of making it."""
        self.pauses.append(pause_s)


async def test_a_failed_sandbox_is_tried_again_after_growing_pauses() -> None:
    work = Work(SandboxError("1"), SandboxError("2"))
    assert await with_retries(work.run, attempts=3, pause_s=1, sleep=work.sleep) == 7
    assert (work.calls, work.pauses) == (3, [1, 2])


async def test_the_last_failure_is_told() -> None:
    work = Work(*(SandboxError(str(number)) for number in range(5)))
    with pytest.raises(SandboxError, match="2"):
        await with_retries(work.run, attempts=3, sleep=work.sleep)
    assert work.calls == 3


@pytest.mark.parametrize(
    "error",
    [SandboxUnavailableError("x"), DownloadTooLargeError("x"), PatchError("x")],
)
async def test_what_would_come_again_is_not_tried_again(error: Exception) -> None:
    work = Work(error)
    with pytest.raises(type(error)):
        await with_retries(work.run, sleep=work.sleep)
    assert (work.calls, work.pauses) == (1, [])
