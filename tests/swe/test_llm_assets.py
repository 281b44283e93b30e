"""From a configured model to verified bugs and environments: the assets, on real parts."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from assets.bug_models import prompting, proposers, publishers
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import SynthesisSettings, load_configuration
from envplatform.errors import BudgetExceededError, ConfigError
from envplatform.llm.chat import ChatRequest, Message
from envplatform.llm.ledger import Ledger
from envplatform.sandbox.base import SandboxProvider
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.inducers.base import REFUSED_ANSWERS, RefusedAnswer
from envplatform.swe.report import ALL, InducerRow
from resources.configuration import ConfigurationResource
from resources.models import ChatModelResource
from resources.store import StoreResource
from tests.made_project import BROKEN, REPOSITORY, make, write_project
from tests.model_server import Reply, Request, answer, model_server
from tests.swe.prompting import block

ISSUE = (
    "# Intervals\n\nA value at the end of an interval is not handled as it should be."
)
_BUGS = {
    "inside": "def inside(value, low, high):\n    return low <= value < high\n",
    "total": "def total(values):\n    return 0\n",
}
_SETTINGS = """\
inducers = ["llm_modify"]
issue_writer = "llm"
[model]
kind = "openai"
name = "proposer"
base_url = "{url}"
record = "off"
[issue_model]
kind = "openai"
name = "writer"
base_url = "{url}"
record = "off"
"""


def reply(request: Request) -> Reply:
    """Put a bug into `inside`; of `total`, change the signature; write issues."""
    if request["model"] == "writer":
        return answer(ISSUE)
    asked = re.findall(r"The function is `(\w+)`", str(request["messages"][1]))
    (name,) = asked
    return block(_BUGS[name].replace("total(values", "total(numbers"))


@pytest.mark.slow
def test_a_model_s_bug_is_proved_and_described(
    bubblewrap: SandboxProvider, cache_folder: Path, tmp_path: Path
) -> None:
    """Proposed, executed in bubblewrap, gated; what it cost is in the report."""
    del bubblewrap  # needed: skips where there is none
    project = write_project(tmp_path, images=cache_folder / "images")
    with model_server(reply) as server:
        text = project.file.read_text().replace("repository = 5", "repository = 2")
        project.file.write_text(text + _SETTINGS.format(url=server.base_url))
        finished = make(project)
    assert f"failed: {BROKEN}" in finished.output
    store = Store(project.home)
    (bug,) = store.rows(BugCandidate, "bug_candidates", REPOSITORY)
    assert (bug.inducer, bug.model, bug.cost.tokens) == ("llm_modify", "proposer", 15)
    (verdict,) = store.rows(Verdict, "verified_bugs", REPOSITORY)
    assert verdict.candidate_id == bug.candidate_id
    assert verdict.fail_to_pass == ("tests/test_inside.py::test_ends_count[3]",)
    (row,) = store.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    assert (row.issue_writer, row.issue_model) == ("llm", "writer")
    refused = store.rows(RefusedAnswer, REFUSED_ANSWERS, REPOSITORY)
    assert {(each.function, each.reason) for each in refused} >= {
        ("total", "other_signature")
    }
    report = store.rows(InducerRow, "synthesis_report")
    whole = next(each for each in report if each.operator == ALL)
    spent = bug.cost.tokens + sum(each.cost.tokens for each in refused)
    assert (whole.verified, whole.refused_answers) == (1, len(refused))
    assert whole.tokens_per_verified == spent
    ledger = Ledger(project.home / "models" / "ledger.jsonl").rows()
    assert {(each.model, each.asset) for each in ledger} == {
        ("proposer", "bug_candidates"),
        ("writer", "swe_environments"),
    }


HELLO = ChatRequest(messages=(Message(role="user", content="hello"),), max_tokens=9)


def resource_of(folder: Path, url: str, *more: str) -> ChatModelResource:
    """The resource of a file that asks models for everything."""
    file = folder / "envplatform.toml"
    text = _SETTINGS.format(url=url).replace("record", "\n".join([*more, "record"]))
    file.write_text(f"[synthesis]\n{text}")
    return ChatModelResource(path=str(file), home=str(folder / "home"))


def test_a_missing_key_is_named_before_any_work(tmp_path: Path) -> None:
    """A server elsewhere needs one; its variable is said, and nothing is sent."""
    url = "https://models.example.org/v1"
    resource = resource_of(tmp_path, url, 'api_key_env = "NO_SUCH_KEY"')
    synthesis = load_configuration(Path(resource.path)).synthesis
    opening = prompting(Store(tmp_path), resource, synthesis)
    with pytest.raises(ConfigError, match="NO_SUCH_KEY"), opening:
        pass


def test_no_inducer_that_asks_opens_no_model(tmp_path: Path) -> None:
    """So `mutation` needs no key and no server."""
    resource = resource_of(tmp_path, "https://models.example.org/v1")
    with prompting(Store(tmp_path), resource, SynthesisSettings()) as opened:
        assert opened is None


def test_all_openings_of_an_asset_share_a_budget(tmp_path: Path) -> None:
    """A partition that fails opens the model anew, and must not begin to count anew."""

    async def ask(resource: ChatModelResource, asset: str) -> str:
        async with resource.open(asset=asset, purpose="bug") as model:
            return (await model.complete(HELLO)).message.content

    with model_server(lambda _: answer("hi", prompt_tokens=50)) as server:
        resource = resource_of(tmp_path, server.base_url, "max_total_tokens = 60")
        assert asyncio.run(ask(resource, "one")) == "hi"
        with pytest.raises(BudgetExceededError):
            asyncio.run(ask(resource, "one"))
        assert asyncio.run(ask(resource, "two")) == "hi"


def test_the_model_decides_rows_only_where_it_is_asked(tmp_path: Path) -> None:
    """Another model makes anew what it proposed; procedural tables stay."""

    def tools(*changes: tuple[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        resource = resource_of(tmp_path, "http://127.0.0.1:1/v1")
        file = Path(resource.path)
        text = file.read_text()
        for old, new in changes:
            text = text.replace(old, new)
        file.write_text(text)
        resources = SimpleNamespace(
            configuration=ConfigurationResource(path=str(file)),
            store=StoreResource(home=str(tmp_path)),
        )
        return proposers(resources), publishers(resources)

    first, second = tools(), tools(("proposer", "another"))
    assert first[0] != second[0]
    assert first[1] == second[1]
    assert tools(('"writer"', '"scribe"'))[1] != first[1]
    assert tools(("llm_modify", "mutation"), ('"llm"', '"template"'))[0] == {}
