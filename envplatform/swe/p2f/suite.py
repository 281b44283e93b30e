"""Run a suite in an open sandbox and say how it went.

The tree must lie in the workspace already. What the code under test does can end in
any class of `RunEnding`, never in an exception; an exception says that the sandbox or
the image failed.
"""

import json
import secrets
from dataclasses import replace

from envplatform.errors import SandboxError, TargetError
from envplatform.sandbox.base import ExecResult, Image, Sandbox, SandboxProvider
from envplatform.swe.candidate import RunEnding
from envplatform.swe.p2f.request import (
    RUNNER_FOLDER,
    WORKSPACE,
    RunRequest,
    job_bytes,
    limits_of,
    runner_argv,
    runner_tree,
)
from envplatform.swe.p2f.result import ForgedResultError, SuiteRun, parse_result
from envplatform.swe.targets.target import Target
from envplatform.tree import Tree

_MAX_ID = 4096


async def run_suite(sandbox: Sandbox, target: Target, request: RunRequest) -> SuiteRun:
    """Run what `request` asks for.

    Raises:
        SandboxError: the sandbox failed, or could not hide the runner.
        TargetError: the image lacks pytest or coverage.
    """
    nonce = secrets.token_hex(16)
    await sandbox.upload(runner_tree(), RUNNER_FOLDER)
    done = await sandbox.exec(
        runner_argv(),
        cwd=WORKSPACE,
        stdin=job_bytes(target, request, nonce=nonce),
        limits=limits_of(target, request),
    )
    return _witness(done, target, request, nonce)


async def run_fresh(
    provider: SandboxProvider,
    image: Image,
    tree: Tree,
    target: Target,
    request: RunRequest,
) -> SuiteRun:
    """Run in a sandbox of its own that holds nothing but `tree`.

    Raises:
        SandboxError: as `run_suite`.
        TargetError: as `run_suite`.
    """
    async with provider.open(image, limits_of(target, request)) as sandbox:
        await sandbox.upload(tree, WORKSPACE)
        return await run_suite(sandbox, target, request)


def _witness(
    done: ExecResult, target: Target, request: RunRequest, nonce: str
) -> SuiteRun:
    if not done.stdout:
        return _without_result(done, request)
    try:
        witnessed = parse_result(done.stdout, nonce=nonce, wanted=request.ids)
    except ForgedResultError as error:
        return _nothing("inconsistent", str(error), done, request)
    if not witnessed.is_hidden:
        msg = "the kernel refused to hide the runner from the code under test"
        raise SandboxError(msg)
    if not witnessed.is_usable:
        msg = (
            f"{target.name}: the image can't run a suite ({witnessed.run.output.strip()}"
            "); pin pytest, coverage and what they need in `requirements`, or install "
            "them in the image that [image] names"
        )
        raise TargetError(msg)
    ending = _sandbox_ending(done)
    if ending is not None:
        running = witnessed.run.running
        detail = _limit_detail(ending) + (f" in {running}" if running else "")
        return replace(witnessed.run, ending=ending, detail=detail)
    return witnessed.run


def _without_result(done: ExecResult, request: RunRequest) -> SuiteRun:
    """Judge a run whose runner was killed before it could print."""
    ending = _sandbox_ending(done)
    if ending is not None:
        return _nothing(ending, _limit_detail(ending), done, request)
    how = f"signal {done.signal}" if done.signal else f"status {done.exit_code}"
    return _nothing("crashed", f"the runner was ended ({how})", done, request)


def _sandbox_ending(done: ExecResult) -> RunEnding | None:
    if done.ending in {"exited", "signaled"}:
        return None
    return done.ending  # type: ignore[return-value]  # the four limits are in both


def _limit_detail(ending: RunEnding) -> str:
    return {
        "timeout": "the sandbox's time was used up",
        "out_of_memory": "the sandbox's memory was used up",
        "process_limit": "the sandbox's number of processes was used up",
        "disk_limit": "the sandbox's disk space was used up",
    }.get(ending, "")


def _nothing(
    ending: RunEnding, detail: str, done: ExecResult, request: RunRequest
) -> SuiteRun:
    running = _last_test(done.stderr)
    where = f" in {running}" if running else ""
    return SuiteRun(
        ending=ending,
        detail=(detail + where)[:500],
        running=running,
        outcomes=dict.fromkeys(request.ids or (), "missing"),
        causes={},
        reports={},
        seconds_by_test={},
        broken={},
        seconds=done.seconds,
    )


def _last_test(stderr: bytes) -> str | None:
    """Return the test that the runner last saw begin, for a person; proves nothing."""
    lines = stderr[-20_000:].decode("utf-8", "replace").splitlines()
    for line in reversed(lines):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        running = said.get("running") if isinstance(said, dict) else None
        if isinstance(running, str) and 0 < len(running) <= _MAX_ID:
            return running
    return None
