"""Environments of targets that need more than an interpreter and pins."""

from dataclasses import replace

from envplatform.bundle import all_passed
from envplatform.grading import run_gate
from envplatform.patches import diff_trees
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.environment import assemble_environment
from envplatform.swe.targets import HealthyRepository, Service, Target
from envplatform.tree import File
from tests.swe.small_repository import (
    BUGGY,
    CANDIDATE,
    FAIL_TO_PASS,
    HEALTHY,
    ISSUE,
    TARGET,
    VERDICT,
    small_repository,
)

SERVER = b"""import os, socket
from spans import inside
PATH = "/tmp/spans.sock"
server = socket.socket(socket.AF_UNIX)
server.bind(PATH)
server.listen()
while True:
    connection, _ = server.accept()
    connection.sendall(str(inside(3, 1, 3)).encode())
    connection.close()
"""
ASK = b"""import socket
def test_served():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("/tmp/spans.sock")
        assert client.recv(9) == b"True"
"""
READY = """import socket
with socket.socket(socket.AF_UNIX) as client:
    client.connect("/tmp/spans.sock")
    client.recv(9)
"""
SPANS = Service(
    name="spans",
    command=("python3", "serve.py"),
    ready=("python3", "-c", READY),
)
MORE = {"serve.py": File(SERVER), "tests/test_served.py": File(ASK)}


def with_target(image: Image, target: Target) -> HealthyRepository:
    """The small repository, run in another way."""
    return replace(small_repository(image), target=target)


async def test_services_run_while_an_environment_is_graded(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    """The test that asks a service which runs the code passes for the oracle alone."""
    healthy, buggy = {**HEALTHY, **MORE}, {**BUGGY, **MORE}
    repository = replace(
        with_target(suite_image, replace(TARGET, services=(SPANS,))), tree=healthy
    )
    verdict = replace(
        VERDICT, fail_to_pass=(*FAIL_TO_PASS, "tests/test_served.py::test_served")
    )
    candidate = replace(CANDIDATE, bug_patch=diff_trees(healthy, buggy))
    environment = assemble_environment(repository, candidate, verdict, issue=ISSUE)
    assert environment.allowance.verifier_timeout_s == 20 + 30 + 60
    audit = await run_gate(bubblewrap, environment, image=suite_image)
    assert all_passed(audit), audit
