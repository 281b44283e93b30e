"""Bug model and pattern model as assets: trained on real fixes, served, sampled."""

import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from assets.bug_training_recipes import all_experiment_keys, shortest
from assets.definitions import build_definitions
from assets.learned import adapters_of, learned_inducers
from assets.learning_run import train_bug_models
from assets.run import supervise
from assets.terminal_run import Terminal
from envplatform.configuration import load_configuration
from envplatform.errors import ConfigError
from envplatform.learning.training.published import CheckpointRow, kept_checkpoint
from envplatform.store import Store
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.learned.supervision import SupervisionRow
from resources.models import ChatModelResource
from tests.learning.made_elsewhere import student
from tests.made_fixes import SPANS, make_fixes
from tests.swe.inducers_learned.made_samplers import source_file

_MODELS = """\
[bug_models.tiny]
base = "{base}"
base_licence = "Apache-2.0"
dtype = "float32"
max_length = 3000
steps = 2
batch = 2
rank = 4
[synthesis]
inducers = ["model"]
[synthesis.sampling]
experiment = "tiny"
samples = 2
answer_tokens = 20
"""


_UNEXECUTED = """\
[bug_models.a]
[synthesis]
inducers = ["pattern"]
[synthesis.sampling]
experiment = "a"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A project whose models were trained."""

    file: Path
    home: Path
    failed: list[str]
    terminal: Terminal
    out: io.StringIO

    @property
    def said(self) -> str:
        """What the terminal was told."""
        return self.out.getvalue()

    @property
    def store(self) -> Store:
        """Of the home."""
        return Store(self.home)


def wide_student(folder: Path) -> Path:
    """The tiny model, said to read more: its positions are rotations, not weights."""
    shutil.copytree(student(), folder)
    config = folder / "config.json"
    plain = json.loads(config.read_text())
    config.write_text(json.dumps({**plain, "max_position_embeddings": 4096}))
    return folder


@pytest.fixture
def trained(
    instance: dg.DagsterInstance,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Trained:
    """Two repositories of fixes, one of them held back."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    made = make_fixes(tmp_path, with_gone=False)
    base = wide_student(tmp_path / "base")
    file.write_text(made.toml + _MODELS.format(base=base))
    out = io.StringIO()
    terminal = Terminal(
        instance=instance,
        definitions=build_definitions(),
        folder=home / "dagster",
        out=out,
    )
    supervise(terminal)
    failed = train_bug_models(terminal)
    return Trained(file=file, home=home, failed=failed, terminal=terminal, out=out)


@pytest.mark.slow
def test_adapters_learn_from_one_repository_are_measured_on_the_other_and_sampled(
    trained: Trained,
) -> None:
    """One test, since each training and each server is a process of seconds."""
    assert trained.failed == [], trained.said
    store = trained.store
    rows = store.rows(TrainingRow, "bug_training_set")
    expected = {row.instance_id for row in rows if row.split == "train"}
    for asset in ("bug_model", "pattern_model"):
        (row,) = store.rows(CheckpointRow, asset, "tiny")
        record = kept_checkpoint(store, row.checkpoint).record
        assert set(record.row_ids) == expected
        assert record.facts["repositories"] == "1"
        manifest = store.manifest(asset, "tiny")
        assert manifest is not None
        facts = manifest.facts
        assert facts["held-out rows"] == len(rows) - len(expected)
        assert facts["held-out nats a token, before"] != 0
        assert "loss" in manifest.markdown["loss curve"]
    _a_second_run_trains_nothing(trained)
    _its_samples_are_rows_with_their_reasons(trained)


def _a_second_run_trains_nothing(trained: Trained) -> None:
    before = trained.store.manifest("bug_model", "tiny")
    assert train_bug_models(trained.terminal) == []
    after = trained.store.manifest("bug_model", "tiny")
    assert before is not None
    assert after is not None
    assert after.run_id == before.run_id


def _its_samples_are_rows_with_their_reasons(trained: Trained) -> None:
    configuration = load_configuration(trained.file)
    (row,) = trained.store.rows(CheckpointRow, "bug_model", "tiny")
    assert adapters_of("model")(configuration, "") == ("tiny",)
    assert adapters_of("pattern")(configuration, "") == (), "nobody asks it"
    chat_model = ChatModelResource(path=str(trained.file), home=str(trained.home))
    with learned_inducers(trained.store, chat_model, configuration) as opened:
        proposal = opened["model"].propose(source_file(), 1, seed=0)
    assert len(proposal.candidates) + len(proposal.refused) == 2
    models = {each.model or "" for each in proposal.refused}
    models |= {each.model or "" for each in proposal.candidates}
    assert models == {f"bug_model:tiny@{row.checkpoint[:12]}"}
    assert all(each.cost.tokens > 0 for each in proposal.refused)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[synthesis]\ninducers = ["model"]\n', "[bug_model]"),
        ('[synthesis]\ninducers = ["pattern"]\n', "[pattern_model]"),
        ('[synthesis.sampling]\nexperiment = "none"\n', "no [bug_models.none]"),
        ("[synthesis.sampling]\ntemperatures = []\n", "temperatures"),
        ("[synthesis.sampling]\ntemperatures = [nan]\n", "temperatures"),
        ("[synthesis.sampling]\nsamples = 0\n", "samples"),
        ("[bug_models]\nsteps = 3\n", "[bug_models.NAME]"),
        ('[bug_models."../x"]\n', "lower-case letters"),
        ("[bug_models.a]\nlearning_rate = nan\n", "learning_rate"),
        ("[bug_models.a]\nlearning_rate = inf\n", "learning_rate"),
        ("[bug_models.a]\nmicro_batch = 3\n", "must divide"),
        ("[bug_models.a]\nrows = -1\n", "rows"),
        ("[bug_models.a.sft]\n", "sft"),
        (_UNEXECUTED, "executor"),
        ('[fixes.patterns]\nannotator = "model"\n', "[annotator_model]"),
    ],
)
def test_settings_that_can_t_work_are_refused_by_name(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_configuration(file)
    assert said in str(refused.value)


def test_experiments_of_bug_models_are_partitions_too(tmp_path: Path) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text("[bug_models.tiny]\n[selection.other]\nmetric = 'random'\n")
    assert set(all_experiment_keys(load_configuration(file))) == {"tiny", "other"}


def test_the_shortest_rows_come_first_whatever_order_they_had() -> None:
    rows = [
        SupervisionRow(
            row_id=f"{SPANS}-{number}",
            repository=SPANS,
            split="train",
            system="",
            prompt="x" * (number % 3),
            completion="y",
        )
        for number in range(6)
    ]
    few = shortest(rows, 3)
    assert few == shortest(reversed(rows), 3)
    assert [len(row.prompt) for row in few] == [0, 0, 1]
    assert len(shortest(rows, None)) == 6
