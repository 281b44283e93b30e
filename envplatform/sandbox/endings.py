"""How both sandboxes read an end, so that their verdicts agree.

Neither bubblewrap nor a shell tells `exit 137` from a death by signal 9. The figure
is read as the shell's users do: 129 to 192 are signals.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.sandbox.base import Ending, ExecResult

NOT_RUN = 126
"""Exit code where the command exists and can't be run, or `cwd` is missing."""
NOT_FOUND = 127
"""Exit code where there is no such command."""

_SIGNALS = range(129, 193)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a sandbox reports of one execution."""

    breach: Ending | None
    """The limit that ended it, if one did."""
    shell_code: int | None
    """Exit code, or 128 and the signal; without meaning after a breach."""
    stdout: bytes
    stderr: bytes
    truncated: bool
    seconds: float


def result_of(finished: Finished) -> ExecResult:
    """Say how it ended, a breach first."""
    number = _signal_of(finished.shell_code) if finished.breach is None else None
    ended: Ending = "exited" if number is None else "signaled"
    exited = finished.breach is None and number is None
    return ExecResult(
        ending=finished.breach or ended,
        exit_code=finished.shell_code if exited else None,
        signal=number,
        stdout=finished.stdout,
        stderr=finished.stderr,
        truncated=finished.truncated,
        seconds=finished.seconds,
    )


def refusal(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> str | None:
    """Why no system could run this, if so; the command's failure, not the sandbox's."""
    if not argv:
        return "there is no command"
    for name in env:
        if not name or "=" in name:
            return f"{name!r} can't name a variable"
    for word in (*argv, cwd, *env, *env.values()):
        if "\0" in word:
            return f"{word[:100]!r} holds a NUL byte"
        try:
            os.fsencode(word)
        except UnicodeEncodeError:
            return f"{word[:100]!r} is not text that can be encoded"
    return None


def refused(why: str) -> ExecResult:
    """The end of a command that could not be started."""
    return result_of(
        Finished(
            breach=None,
            shell_code=NOT_RUN,
            stdout=b"",
            stderr=f"envplatform: {why}\n".encode(),
            truncated=False,
            seconds=0.0,
        )
    )


def _signal_of(shell_code: int | None) -> int | None:
    if shell_code is None or shell_code not in _SIGNALS:
        return None
    return shell_code - 128
