"""reset: an environment opens the same way again, whatever was done in it before."""

from envplatform.bundle import CheckResult, Environment
from envplatform.grading.sessions import open_environment
from envplatform.sandbox.base import WRITABLE, Image, Sandbox, SandboxProvider
from envplatform.tree import tree_digest

NAME = "reset"

_MESS = """
for place in "$@"; do echo left > "$place/left-over"; mkdir -p "$place/d/e"; done
rm -rf /workspace/*; ln -s /etc/passwd /workspace/link; chmod 700 /tmp
(sleep 600 &) ; exit 0
"""
"""What a careless or a hostile session may leave behind."""

_ENTRIES = ("-type", "d", "-printf", "%y %m %p\\n", "-o", "-printf", "%y %m %s %p\\n")
"""Folders without their size, which is the file system's own affair."""


async def reset(
    provider: SandboxProvider, environment: Environment, *, image: Image
) -> CheckResult:
    """Passed if two openings look alike, the second after a session made a mess.

    Also failed if an opening shows anything in /tests or /solution.

    Raises:
        SandboxError: a sandbox failed; nothing is concluded.
    """
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        first = await _look(sandbox)
        await sandbox.exec(["sh", "-c", _MESS, "sh", *WRITABLE])
        messed = await _look(sandbox)
    async with open_environment(provider, environment, image=image) as opened:
        second = await _look(opened.sandbox)
    if messed == first:
        what = "the session could not change anything, so nothing was proven"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    problem = _difference(first, second) or _hidden(first)
    if problem:
        return CheckResult(name=NAME, status="failed", evidence=problem)
    what = f"two openings show the same {len(first)} entries, one after a messy session"
    return CheckResult(name=NAME, status="passed", evidence=what)


async def _look(sandbox: Sandbox) -> frozenset[str]:
    """Every entry of the writable places with type, mode, size and content digest."""
    listing = await sandbox.exec(["find", *WRITABLE, *_ENTRIES])
    contents = [
        f"the content of {place} is {tree_digest(await sandbox.download(place))[:12]}"
        for place in WRITABLE
    ]
    return frozenset(
        [*listing.stdout.decode("utf-8", "replace").splitlines(), *contents]
    )


def _difference(first: frozenset[str], second: frozenset[str]) -> str:
    changes = [f"- {line}" for line in sorted(first - second)]
    changes += [f"+ {line}" for line in sorted(second - first)]
    if not changes:
        return ""
    # One content line goes with every change; the entries say more.
    shown = [line for line in changes if " the content of " not in line] or changes
    return f"the second opening differs: {'; '.join(shown[:5])}"


def _hidden(seen: frozenset[str]) -> str:
    shown = [
        line for line in sorted(seen) if " /tests/" in line or " /solution/" in line
    ]
    return f"the agent can see {shown[0]}" if shown else ""
