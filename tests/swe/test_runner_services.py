"""Services beside a suite: there when tests run, gone after, no failure of a test."""

from dataclasses import replace

import pytest

from envplatform.errors import TargetError
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f import (
    SuiteRun,
    VerificationSettings,
    measure_baseline,
    verify_candidate,
)
from envplatform.swe.p2f.refusal import refusal_of
from envplatform.swe.p2f.request import WORKSPACE
from envplatform.swe.p2f.suite import run_suite
from envplatform.swe.targets import HealthyRepository, Service, Suite
from envplatform.tree import File
from tests.swe.made_suites import (
    CALC,
    candidate_of,
    repository_of,
    request_of,
    run_tests,
)

SERVER = """
import http.server, sys
from calc import add
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%d" % add(20, 2))
print("serving", flush=True)
http.server.HTTPServer(("127.0.0.1", 8471), Handler).serve_forever()
"""
TESTS = """
import os, signal, urllib.request
from pathlib import Path
URL = "http://127.0.0.1:8471"
def test_talk(): assert urllib.request.urlopen(URL).read() == b"22"
"""
KILLS = """
def test_kill():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        if b"server.py" in path.read_bytes():
            os.kill(int(path.parent.name), signal.SIGKILL)
"""
PING = (
    "python3",
    "-c",
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8471')",
)
WEB = Service(
    name="web", command=("python3", "server.py"), ready=PING, ready_timeout_s=15
)


def with_services(
    image: Image, *services: Service, tests: str = TESTS, suite: Suite | None = None
) -> HealthyRepository:
    """A repository with a server of its own."""
    found = repository_of(image, tests, more={"server.py": SERVER}, suite=suite)
    return replace(found, target=replace(found.target, services=services))


async def run_of(provider: SandboxProvider, repository: HealthyRepository) -> SuiteRun:
    """Run all of it."""
    return await run_tests(provider, repository, request_of())


async def test_tests_talk_to_a_service(
    provider: SandboxProvider, suite_image: Image
) -> None:
    """In one sandbox, twice: what the first run left is gone."""
    repository = with_services(suite_image, WEB)
    request = request_of()
    async with provider.open(repository.image) as sandbox:
        await sandbox.upload(repository.tree, WORKSPACE)
        for _ in range(2):
            run = await run_suite(sandbox, repository.target, request)
            assert (run.ending, run.detail) == ("completed", "")
            assert run.outcomes == {"tests/test_it.py::test_talk": "passed"}
        left = await sandbox.exec(PING)
    assert left.exit_code == 1


async def test_a_command_of_its_own_has_services_too(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """JUnit and services together."""
    suite = Suite(
        results="junit",
        command=("python3", "-m", "pytest", "-q", "--junitxml=report.xml", "tests"),
        report="report.xml",
    )
    repository = with_services(suite_image, WEB, suite=suite)
    run = await run_of(bubblewrap, repository)
    assert run.outcomes == {"tests.test_it::test_talk": "passed"}


BAD = {
    "not there": (
        replace(WEB, command=("no-such-server",)),
        ["service web can't be started", "no-such-server"],
    ),
    "ends at once": (
        replace(WEB, command=("sh", "-c", "echo no disk >&2; exit 3")),
        ["service web ended (status 3) before it was ready", "no disk"],
    ),
    "goes to the background": (
        replace(WEB, command=("sh", "-c", "python3 server.py &")),
        ["ended (status 0)", "must stay in the foreground"],
    ),
    "never ready": (
        replace(WEB, ready=("sh", "-c", "exit 7"), ready_timeout_s=1.0),
        ["service web is not ready after 1 s", "ends with status 7", "serving"],
    ),
    "a check that hangs": (
        replace(WEB, ready=("sleep", "99"), ready_timeout_s=1.0),
        ["not ready after 1 s", "does not end"],
    ),
    "a check that is not there": (
        replace(WEB, ready=("no-such-check",), ready_timeout_s=1.0),
        ["not ready", "can't be started", "no-such-check"],
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_service_that_is_not_there_is_no_failed_test(
    name: str, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """An ending of its own, with what the service said; nothing of it is left."""
    service, parts = BAD[name]
    run = await run_of(bubblewrap, with_services(suite_image, service))
    assert (run.ending, run.outcomes) == ("service_failed", {})
    for part in parts:
        assert part in run.detail


async def test_at_the_baseline_it_is_the_target_that_is_wrong(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Nothing can be measured without it."""
    service = replace(WEB, command=("false",))
    with pytest.raises(TargetError, match=r"service_failed.*service web ended"):
        await measure_baseline(bubblewrap, with_services(suite_image, service))


async def test_a_service_that_dies_under_the_tests(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """What tests said after that is nothing to go by: the candidate is refused so."""
    run = await run_of(bubblewrap, with_services(suite_image, WEB, tests=TESTS + KILLS))
    assert run.ending == "service_failed"
    assert "ended (signal 9) while the suite ran" in run.detail
    refusal = refusal_of([run], ("tests/test_it.py::test_talk",))
    assert refusal is not None
    assert refusal.reason == "service_failed"


@pytest.mark.parametrize("runs_code", [False, True])
async def test_a_bug_behind_a_service(
    *, runs_code: bool, bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """Nobody counts lines there: the target says that they are run, or they are not."""
    service = replace(WEB, runs_code=runs_code)
    repository = with_services(suite_image, service)
    baseline = await measure_baseline(bubblewrap, repository, runs=1)
    assert baseline.stable == ("tests/test_it.py::test_talk",)
    changed = CALC.replace("return a + b", "return a - b")
    tree = {**repository.tree, "calc.py": File(changed.encode())}
    candidate = candidate_of(repository, diff_trees(repository.tree, tree))
    verdict = await verify_candidate(
        bubblewrap, repository, baseline, candidate, VerificationSettings(repeats=2)
    )
    assert verdict.rejection == (None if runs_code else "uncovered")
    assert bool(verdict.fail_to_pass) == runs_code


async def test_a_bug_that_breaks_a_service_is_a_class_of_its_own(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """No test was asked, so none failed."""
    repository = with_services(suite_image, replace(WEB, runs_code=True))
    baseline = await measure_baseline(bubblewrap, repository, runs=1)
    changed = CALC.replace("def unused", "import gone\n\n\ndef unused")
    tree = {**repository.tree, "calc.py": File(changed.encode())}
    candidate = candidate_of(repository, diff_trees(repository.tree, tree))
    verdict = await verify_candidate(
        bubblewrap, repository, baseline, candidate, VerificationSettings(repeats=2)
    )
    assert verdict.rejection == "service_failed"
    assert "service web ended (status 1)" in verdict.detail
