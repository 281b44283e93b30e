"""Lineages over environments of code: the evidence is transformed, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.res.attachments import REPORT, with_report_served
from envplatform.res.lineage import Budget, Lineage, grow
from envplatform.res.measure import measure
from envplatform.res.proposers import Planned
from envplatform.res.replay import Replayer
from envplatform.res.verifier import Verifier, score_of_nothing
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.images import build_image
from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS
from envplatform.workspace import Interface
from tests.swe.small_repository import small_environment


@pytest.fixture(scope="module")
def image(cache_folder: Path) -> Image:
    return build_image("pytest", "3.11", DEFAULT_REQUIREMENTS, cache_folder / "images")


@pytest.fixture(scope="module")
def environment(image: Image) -> Environment:
    return small_environment(image)


async def test_a_lineage_over_code_keeps_tests_code_and_oracle(
    bubblewrap: BubblewrapProvider, image: Image, environment: Environment
) -> None:
    title, body = environment.instruction.split("\n\n", 1)
    log = "".join(f"run {n}: inside({n}, 1, 3) was false\n" for n in range(3, 43))
    reported = replace(environment, instruction=f"{title}\n\n{log}\n{body}")
    root = with_report_served(reported)
    assert root.instruction.startswith("# The upper end is left out\n\nThe report is")
    assert "the docs say true" not in root.instruction
    assert "the docs say true" in Interface(root).read(REPORT).decode()
    floor = await score_of_nothing(bubblewrap, root, image)
    assert floor is not None
    assert floor < 1
    root_bytes = measure(root).served_bytes
    child = root
    with Replayer() as replayer:
        verifier = Verifier(
            provider=bubblewrap,
            image=image,
            replayer=replayer,
            root_bytes=root_bytes,
            floor=floor,
        )
        async for grown in grow(
            Lineage(root=root, root_bytes=root_bytes),
            Planned(),
            verifier,
            seed=1,
            budget=Budget(depth=1),
        ):
            told = [attempt.diagnostics for attempt in grown.children[-1].attempts]
            assert grown.children[-1].is_accepted, told
            child = grown.tip
    assert child != root
    assert (child.tests, child.workspace) == (environment.tests, environment.workspace)
    assert child.core.facts == environment.core.facts
    assert Interface(child).ask("read", name=REPORT).content is None


def test_what_has_no_report_to_serve_is_refused(environment: Environment) -> None:
    root = with_report_served(environment)
    with pytest.raises(BundleError, match="serves its evidence already"):
        with_report_served(root)
    titled = replace(environment, instruction="# Broken\n\n---\n\nMend it.\n")
    with pytest.raises(BundleError, match="the report is a title alone"):
        with_report_served(titled)
