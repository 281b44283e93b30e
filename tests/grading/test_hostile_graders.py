"""Graders that crash, hang or die in a real sandbox: no verdict, by name, and never 0."""

from dataclasses import replace

import pytest

from envplatform.bundle import Allowance, ImageReference
from envplatform.grading import grade
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File, tree_digest
from tests.bundle.sample import WORKSPACE, sample_environment

PAYS = "echo '{\"reward\": 1}' > /logs/verifier/reward.json\n"


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (f"{PAYS}exit 3", "verifier_failed"),
        (f"{PAYS}exec python3 -c 'import os; os.abort()'", "verifier_killed"),
        (f"{PAYS}trap '' TERM; sleep 600 & wait", "verifier_timeout"),
    ],
    ids=["crashes", "aborts", "hangs"],
)
async def test_what_it_paid_before_it_broke_down_does_not_count(
    bubblewrap: SandboxProvider, bare_image: Image, body: str, failure: str
) -> None:
    tests = {"test.sh": File(f"#!/bin/bash\n{body}\n".encode(), executable=True)}
    base = sample_environment(tests=tests)
    environment = replace(
        base,
        core=replace(base.core, grader_digest=tree_digest(tests)),
        allowance=Allowance(verifier_timeout_s=1),
        image=ImageReference(
            name=bare_image.name,
            python=bare_image.python,
            requirements=(),
            digest=bare_image.digest,
        ),
    )
    found = await grade(bubblewrap, environment, WORKSPACE, image=bare_image)
    assert (found.failure, found.reward, found.components) == (failure, None, {})
    assert found.detail
