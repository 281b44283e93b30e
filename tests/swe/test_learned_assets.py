"""From models that learned to verified bugs and environments: the assets, on real parts.

A scripted server plays the models; proof and gate are real.
"""

import threading
from pathlib import Path

import pytest

from envplatform.bundle.row import EnvironmentRow
from envplatform.llm.ledger import Ledger
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.fixes.patterns.text import PatternText, written
from envplatform.swe.inducers.base import REFUSED_ANSWERS, RefusedAnswer
from tests.made_project import BROKEN, REPOSITORY, make, write_project
from tests.model_server import Reply, Request, answer, model_server
from tests.swe.inducers_learned.made_samplers import diff
from tests.swe.small_repository import HEALTHY

CODE = HEALTHY["spans/core.py"].data
EXCLUSIVE = diff("value <= high", "value < high", code=CODE)
ONE = diff("result = 0", "result = 1", code=CODE)
LESS = diff("result += value", "result -= value", code=CODE)
PATTERN = PatternText(
    task_category="change of a step",
    target_location="`spans/core.py`, function `total`",
    current_behaviour="Values are added up.",
    exact_modification="Subtract each value instead.",
    implementation_constraints="Change one line.",
    expected_effect="The result is below zero for positive values.",
)
_SETTINGS = """\
inducers = ["model", "pattern"]
[synthesis.sampling]
samples = 4
temperatures = [0.5, 1.0]
[bug_model]
kind = "openai"
name = "learned"
base_url = "{url}"
record = "off"
[pattern_model]
kind = "openai"
name = "teller"
base_url = "{url}"
record = "off"
[executor_model]
kind = "openai"
name = "doer"
base_url = "{url}"
record = "off"
"""


class Models:
    """What each of the three models says; of one, in whatever order it is asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        counted = EXCLUSIVE.replace("@@ -1,5 +1,5 @@", "@@ -1,9 +1,2 @@")
        assert counted != EXCLUSIVE
        self._learned = iter(
            [f"```diff\n{counted}```", "no idea", ONE, f"Sure.\n{EXCLUSIVE}"]
        )

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        if request["model"] == "teller":
            return answer(written(PATTERN))
        if request["model"] == "doer":
            return answer(LESS)
        with self._lock:
            return answer(next(self._learned))


@pytest.mark.slow
def test_bugs_of_models_that_learned_are_proved_and_become_environments(
    bubblewrap: SandboxProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """Sampled, mended, executed in bubblewrap, gated; nothing is lost without a row."""
    del bubblewrap  # needed: skips where there is none
    project = write_project(tmp_path, images=cache_folder / "images")
    with model_server(Models()) as server:
        text = project.file.read_text().replace("repository = 2", "repository = 3")
        project.file.write_text(text + _SETTINGS.format(url=server.base_url))
        finished = make(project)
        asked = list(server.requests)
    assert f"failed: {BROKEN}" in finished.output
    store = Store(project.home)
    bugs = store.rows(BugCandidate, "bug_candidates", REPOSITORY)
    found = {(bug.inducer, bug.model, bug.line) for bug in bugs}
    assert found == {
        ("model", "learned", 2),
        ("model", "learned", 6),
        ("pattern", "teller + doer", 8),
    }
    assert {bug.operator for bug in bugs} <= {"raw", "extracted", "recounted"}
    assert {bug.temperature for bug in bugs} <= {0.5, 1.0}
    refused = store.rows(RefusedAnswer, REFUSED_ANSWERS, REPOSITORY)
    reasons = sorted((row.inducer, row.reason) for row in refused)
    assert reasons == [
        ("model", "duplicate"),
        ("model", "no_diff"),
        ("pattern", "duplicate"),
        ("pattern", "duplicate"),
        ("pattern", "duplicate"),
    ]
    verdicts = store.rows(Verdict, "verified_bugs", REPOSITORY)
    assert {each.candidate_id for each in verdicts} == {
        bug.candidate_id for bug in bugs
    }
    manifest = store.manifest("verified_bugs", REPOSITORY)
    assert manifest is not None
    assert "| 1.00 |" in manifest.markdown["usability by temperature"]
    rows = store.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    assert sorted(row.inducer for row in rows) == ["model", "model", "pattern"]
    executed = [str(one["messages"]) for one in asked if one["model"] == "doer"]
    assert executed
    assert not [said for said in executed if "bug" in said.lower()]
    ledger = Ledger(project.home / "models" / "ledger.jsonl").rows()
    assert {(each.model, each.purpose) for each in ledger} == {
        ("learned", "bug_model"),
        ("teller", "pattern_model"),
        ("doer", "change"),
    }
