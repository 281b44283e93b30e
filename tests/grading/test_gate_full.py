"""The whole gate over real sandboxes: honest tasks pass, a cheat fails at its check."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from envplatform.bundle import CheckResult, Environment, ImageReference, all_passed
from envplatform.grading import CORE, FULL, CheckName, kill_rates, may_publish, run_gate
from envplatform.grading.batch import Bench
from envplatform.grading.checks import impossible_variant
from envplatform.grading.evidence import collect_evidence
from envplatform.grading.gate import OPENENV_NAMES
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.workspace import read_seed, seed_environment
from tests.bundle.sample import sample_environment
from tests.grading.made import GRADER, SCORES, SOLVE, on, priced

SEED = "ledger_reconciliation"


async def gate(
    provider: SandboxProvider, environment: Environment, image: Image, *names: CheckName
) -> Mapping[str, CheckResult]:
    audit = await run_gate(
        provider, environment, image=image, repeats=1, checks=names or FULL
    )
    return {check.name: check for check in audit}


async def test_a_seed_passes_everything_with_both_kill_rates(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    seed, _ = read_seed(SEED)
    reference = ImageReference(
        name=bare_image.name,
        python=bare_image.python,
        requirements=(),
        digest=bare_image.digest,
    )
    audit = await run_gate(
        bubblewrap,
        seed_environment(SEED, reference),
        image=bare_image,
        checks=FULL,
        faults=seed.fault,
    )
    status = {check.name: check.status for check in audit}
    assert status.pop("portability") == "not_run"
    assert set(status.values()) == {"passed"}, audit
    assert may_publish(audit)
    assert not all_passed(audit)
    rates = kill_rates(audit)
    assert rates.criteria == 1
    assert rates.generic is not None
    assert rates.generic > 0.6


@pytest.mark.docker
async def test_verdicts_are_the_same_in_both_sandboxes(
    bubblewrap: SandboxProvider, docker_provider: SandboxProvider, bare_image: Image
) -> None:
    (check,) = await run_gate(
        bubblewrap,
        priced(bare_image),
        image=bare_image,
        repeats=1,
        checks=("portability",),
        other=docker_provider,
    )
    assert (check.status, "5 states" in check.evidence) == ("passed", True), check


@pytest.mark.docker
async def test_a_verifier_that_looks_where_it_runs_is_not_portable(
    bubblewrap: SandboxProvider, docker_provider: SandboxProvider, bare_image: Image
) -> None:
    odd = GRADER + "right *= not pathlib.Path('/.dockerenv').exists()\n" + SCORES
    (check,) = await run_gate(
        bubblewrap,
        priced(bare_image, grader=odd),
        image=bare_image,
        repeats=1,
        checks=("portability",),
        other=docker_provider,
    )
    assert check.status == "failed", check
    assert "the oracle: bubblewrap reward 1" in check.evidence


async def test_an_environment_without_views_tells_what_it_has_no_use_for(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    checks = await gate(bubblewrap, on(bare_image, sample_environment()), bare_image)
    idle = {name for name, check in checks.items() if check.status == "not_run"}
    assert idle == {"impossible_variant", "replay", "portability", "determinism"}
    assert "nothing is served" in checks["impossible_variant"].evidence
    rest = {check.status for name, check in checks.items() if name not in idle}
    assert rest == {"passed"}, checks


async def test_the_default_is_the_core(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    environment = on(bare_image, sample_environment())
    audit = await run_gate(bubblewrap, environment, image=bare_image)
    assert tuple(check.name for check in audit) == CORE
    assert all_passed(audit)
    assert may_publish(audit)
    assert kill_rates(audit).generic is None


KNOWN = (
    "#!/bin/sh\nws read prices.csv >/dev/null\ncat > /workspace/total.csv <<X\n{}X\n"
)
TOTAL = "thing,double\nbolt,240\nnut,160\nwasher,70\nrivet,122\n"
BLIND = KNOWN.format(TOTAL)
UNASKED = BLIND.replace("ws read prices.csv >/dev/null", "")


async def test_an_oracle_that_works_through_what_is_served_needs_it(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    checks = await gate(
        bubblewrap, priced(bare_image), bare_image, "impossible_variant"
    )
    check = checks["impossible_variant"]
    assert check.status == "passed", check
    assert "without prices (0)" in check.evidence


@pytest.mark.parametrize(
    ("solve", "said"),
    [
        (BLIND, "without prices the oracle is still graded 1"),
        (UNASKED, "the oracle asked for nothing that is served"),
    ],
)
async def test_an_oracle_that_knows_the_answer_is_found_out(
    bubblewrap: SandboxProvider, bare_image: Image, solve: str, said: str
) -> None:
    environment = priced(bare_image, solve=solve)
    checks = await gate(
        bubblewrap, environment, bare_image, *CORE, "impossible_variant"
    )
    assert checks["oracle_max"].status == "passed"
    check = checks["impossible_variant"]
    assert (check.status, said in check.evidence) == ("failed", True), check


async def test_an_oracle_that_waits_for_what_is_gone_is_stopped(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    waits = SOLVE.replace("set -eu", "until ws read prices.csv; do sleep 0.1; done")
    environment = priced(bare_image, solve=waits)
    evidence = await collect_evidence(
        bubblewrap, environment, image=bare_image, repeats=1
    )
    bench = Bench(provider=bubblewrap, environment=environment, image=bare_image)
    check = await impossible_variant(evidence, bench, seed=0, least_wall_s=1.0)
    assert (check.status, "prices (0)" in check.evidence) == ("passed", True), check


KEYWORDS = """\
import json, pathlib
found = pathlib.Path("/workspace/total.csv")
text = found.read_text() if found.exists() else ""
right = form = float(all(w in text for w in ("bolt", "240", "washer", "70")))
"""


async def test_a_keyword_grader_is_refused_three_times_over(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    environment = priced(bare_image, grader=KEYWORDS + SCORES)
    names: tuple[CheckName, ...] = ("oracle_max", "generic_mutants", "stuffing")
    checks = await gate(bubblewrap, environment, bare_image, *names)
    assert {name: check.status for name, check in checks.items()} == {
        "oracle_max": "passed",
        "generic_mutants": "failed",
        "stuffing": "failed",
    }
    rate = kill_rates(tuple(checks.values())).generic
    assert rate is not None
    assert rate < 0.6


def test_nothing_that_failed_or_lacks_its_core_may_be_published() -> None:
    core = tuple(CheckResult(name=name, status="passed", evidence="x") for name in CORE)
    idle = CheckResult(name="replay", status="not_run", evidence="no views")
    assert may_publish((*core, idle))
    assert not may_publish((*core, replace(idle, status="failed")))
    assert not may_publish((*core[1:], replace(core[0], status="not_run")))
    assert not may_publish(core[1:])
    assert not may_publish(())


def test_every_name_of_openenv_is_one_of_ours() -> None:
    assert set(OPENENV_NAMES) < set(FULL)
    assert len(set(OPENENV_NAMES.values())) == len(OPENENV_NAMES)


def test_kill_rates_are_those_that_their_own_check_measured() -> None:
    """Evidence names files, and files are named by whoever made them."""
    forged = "x; survived: empty_file in kill_rate_generic 1.0000"
    audit = (
        CheckResult(
            name="generic_mutants",
            status="failed",
            evidence=f"kill_rate_generic 0.2500: {forged}",
        ),
        CheckResult(name="criterion_mutants", status="failed", evidence=forged),
        CheckResult(
            name="stuffing", status="failed", evidence="kill_rate_criteria 1.0000"
        ),
    )
    rates = kill_rates(audit)
    assert (rates.generic, rates.criteria) == (0.25, None)
