"""One commit of a repository as an archive in the cache; nothing is checked out.

git runs so that a remote can neither ask, nor run anything here, nor hang.
"""

import hashlib
import os
import re
import subprocess
from pathlib import Path

from envplatform.cowork.library.specification import Git
from envplatform.errors import LibraryError

_TIMEOUT_S = 600
_SHOWN_CHARACTERS = 300
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=120",
    "tar.umask=0022",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_ASKPASS": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=30",
    "SSH_ASKPASS": "",
    "LC_ALL": "C",
}
_USER_INFO = re.compile(r"(\w://)[^/@\s]*@")


def fetch_commit(source: Git, cache: Path, *, name: str) -> Path:
    """Return a `.tar.gz` of the commit's files, made anew only if it is not there.

    Raises:
        LibraryError: no git, no such repository, or it has no such commit.
    """
    archive = cache / f"{source.commit}.tar.gz"
    if archive.is_file():
        return archive
    place = hashlib.sha256(source.url.encode()).hexdigest()
    mirror = cache / f"{place}.git"
    if not mirror.is_dir():
        _git(name, "init", "--bare", "--quiet", str(mirror))
    at = f"--git-dir={mirror}"
    _bring(source, at, name)
    part = archive.with_suffix(".part")
    _git(
        name, at, "archive", "--format=tar.gz", "--prefix=commit/", "-o", str(part),
        source.commit,
    )  # fmt: skip
    return part.rename(archive)


def _bring(source: Git, at: str, name: str) -> None:
    """Fetch the commit alone; from a server that does not give it so, everything."""
    complaint = ""
    for wanted in (("--depth=1", source.commit), ("+refs/*:refs/*",)):
        *options, reference = wanted
        answer = _run(
            at, "fetch", "--quiet", "--no-tags", *options, source.url, reference
        )
        if _run(at, "cat-file", "-e", f"{source.commit}^{{tree}}").returncode == 0:
            return
        complaint = _reason(answer)
    msg = (
        f"{name}: {_shown(source.url)} gives no commit {source.commit}: {complaint}; "
        "correct git or commit in [[cowork.library.sources]]"
    )
    raise LibraryError(msg)


def _git(name: str, *arguments: str) -> None:
    answer = _run(*arguments)
    if answer.returncode:
        msg = f"{name}: git failed: {_reason(answer)}"
        raise LibraryError(msg)


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    # Variables of a git that we may run inside of would name another repository.
    own = {key: value for key, value in os.environ.items() if key[:4] != "GIT_"}
    try:
        return subprocess.run(
            ["git", *settings, *arguments],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            env=own | _ENVIRONMENT,
        )
    except FileNotFoundError as error:
        msg = "a library source is a git repository, and there is no git: install it"
        raise LibraryError(msg) from error
    except subprocess.TimeoutExpired as error:
        msg = f"git did not end within {_TIMEOUT_S} s"
        raise LibraryError(msg) from error


def _reason(answer: subprocess.CompletedProcess[str]) -> str:
    """The end of the complaint in one line, without a password."""
    lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
    text = re.sub(r"[^ -~]+", "?", _shown("; ".join(lines[-2:])))
    return text[-_SHOWN_CHARACTERS:] or f"git ended with {answer.returncode}"


def _shown(text: str) -> str:
    return _USER_INFO.sub(r"\1***@", text)
