"""git, run so that a remote can neither ask, nor run anything here, nor hang.

Of the user's own settings those count that a remote can't reach: proxies,
certificates, credential helpers, `url.*.insteadOf`. Settings for one call go through
the environment, so that no URL with a password stands in a list of processes.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from envplatform.errors import FixSourceError

_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.askPass": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "http.lowSpeedLimit": "100",
    "http.lowSpeedTime": "120",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_ASKPASS": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS": "",
}
_OF_ANOTHER = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""Variables that a git sets for its hooks, us among them: they name its repository, and
ours would be written into that one.
"""
_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=30"
_SHOWN_CHARACTERS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How a git command ended."""

    status: int
    output: bytes
    """Standard output, without its last line end."""
    complaint: str
    """Standard error, as git wrote it: may hold a URL, and what a remote likes."""

    def reason(self) -> str:
        """Tell the end of the complaint in one line of printable characters."""
        lines = [line.strip() for line in self.complaint.splitlines() if line.strip()]
        text = re.sub(r"[^ -~]+", "?", "; ".join(lines[-3:]))
        return text[-_SHOWN_CHARACTERS:] or f"git ended with {self.status}"


def run_git(
    *arguments: str,
    timeout_s: float,
    settings: Mapping[str, str] | None = None,
    stdin: BinaryIO | None = None,
) -> Answer:
    """Run git to its end; after `timeout_s` it is killed, and the status is not 0.

    Raises:
        FixSourceError: there is no git on this machine.
    """
    try:
        # Looks for git as it is imported; who reads no history needs none.
        from git.cmd import Git  # noqa: PLC0415  it asks for git when imported
    except ImportError as error:
        msg = "reading histories needs git; install it, or take sources without one"
        raise FixSourceError(msg) from error
    answer = Git().execute(
        [*_unset(), "git", *arguments],
        istream=stdin,
        env=environment(settings or {}),
        with_extended_output=True,
        with_exceptions=False,
        stdout_as_string=False,
        kill_after_timeout=timeout_s,
    )
    status, output, complaint = answer
    return Answer(status=status, output=output, complaint=complaint)


class RunningGit:
    """A git with a pipe on either side."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is None or process.stdout is None:
            msg = "needs pipes"
            raise ValueError(msg)
        self._process = process
        self._asked = cast("BinaryIO", process.stdin)
        self.answers = cast("BufferedReader", process.stdout)

    def ask(self, lines: str) -> None:
        """Send lines; a git that is gone shows in its answers."""
        with suppress(BrokenPipeError):
            self._asked.write(lines.encode("ascii"))
            self._asked.flush()

    def status(self) -> int:
        """Wait for its end; all answers must have been read."""
        return self._process.wait()


@contextmanager
def started_git(*arguments: str) -> Iterator[RunningGit]:
    """Start a git that answers as it is asked; it is killed at the end.

    Not through GitPython, which keeps what git complains about in a pipe that nobody
    reads: a damaged repository fills it, and git then waits for ever.
    """
    with subprocess.Popen(
        ["git", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_inherited() | {"LC_ALL": "C"} | environment({}),
    ) as process:
        try:
            yield RunningGit(process)
        finally:
            process.kill()
            # What a git that died was asked in vain is still to be written.
            with suppress(BrokenPipeError):
                cast("BinaryIO", process.stdin).close()


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return what to add to the environment of a git that runs with `settings`."""
    found = dict(_ENVIRONMENT)
    if "GIT_SSH" not in os.environ:
        found["GIT_SSH_COMMAND"] = os.environ.get("GIT_SSH_COMMAND", _SSH)
    every = {**_SETTINGS, **settings}
    found["GIT_CONFIG_COUNT"] = str(len(every))
    for number, (key, value) in enumerate(every.items()):
        found[f"GIT_CONFIG_KEY_{number}"] = key
        found[f"GIT_CONFIG_VALUE_{number}"] = value
    return found


def _inherited() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in _OF_ANOTHER}


def _unset() -> tuple[str, ...]:
    """GitPython adds to the environment and takes nothing out of it."""
    return ("env", *(f"--unset={name}" for name in _OF_ANOTHER if name in os.environ))


def at(folder: Path) -> str:
    """Name the repository, whatever GIT_DIR says: git runs inside hooks, too."""
    return f"--git-dir={folder}"
