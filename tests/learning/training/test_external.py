"""Trainers of others, and a checkpoint merged into its base."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs envplatform[learning]")

import torch
from safetensors.torch import load_file, save_file

from envplatform.errors import TrainingError
from envplatform.learning.student import load_model
from envplatform.learning.training.base import adapted, load_base
from envplatform.learning.training.checkpoint import (
    ADAPTER,
    Checkpoint,
    read_checkpoint,
)
from envplatform.learning.training.fit import fit
from envplatform.learning.training.merging import check_base, merge_elsewhere
from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.rows import CompletionRow
from envplatform.learning.training.workfolder import WorkFolder
from tests.learning.made_elsewhere import policy, student
from tests.learning.training.made_orders import ROWS, order

_COPY = (
    "import pathlib, shutil, sys; "
    "rows, given, out = map(pathlib.Path, sys.argv[1:]); "
    "assert given.is_file(); "
    "(out / 'rows').write_text(str(len(rows.read_text().splitlines()))); "
    "[shutil.copy(one, out) for one in pathlib.Path({folder!r}).iterdir()]"
)


def trained(given: TrainingOrder, folder: Path) -> Checkpoint:
    return read_checkpoint(fit(given, WorkFolder(folder), lambda _: None))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    folder = tmp_path_factory.mktemp("made")
    return trained(order(folder, steps=1, learning_rate=0.5), folder / "w")


def command(adapter: Path) -> tuple[str, ...]:
    code = _COPY.format(folder=str(adapter))
    return (sys.executable, "-c", code, "{rows}", "{order}", "{out}")


def test_what_another_trainer_leaves_is_published_as_ours(
    made: Checkpoint, tmp_path: Path
) -> None:
    long = CompletionRow(row_id="long", prompt="x" * 500, completion="y")
    external = command(made.folder / ADAPTER)
    found = trained(order(tmp_path, (*ROWS, long), external=external), tmp_path / "w")
    assert found.record.row_ids == tuple(row.row_id for row in ROWS)
    assert found.record.losses == ()
    assert found.record.arguments["external"] == list(external)
    ours = load_file(made.folder / ADAPTER / "adapter_model.safetensors")
    theirs = load_file(found.folder / ADAPTER / "adapter_model.safetensors")
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    seen = tmp_path / "w" / "external" / "out" / "rows"
    assert seen.read_text() == str(len(ROWS))


def test_a_pickle_of_another_trainer_is_never_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "adapter_model.bin").write_bytes(b"cos\nsystem\n")
    given = order(tmp_path, external=command(folder))
    with pytest.raises(TrainingError, match="pickles run code"):
        trained(given, tmp_path / "w")


def test_numbers_that_are_none_are_refused(made: Checkpoint, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    weights = load_file(made.folder / ADAPTER / "adapter_model.safetensors")
    spoilt = {name: one.fill_(float("nan")) for name, one in weights.items()}
    save_file(spoilt, folder / "adapter_model.safetensors")
    config = (made.folder / ADAPTER / "adapter_config.json").read_text()
    (folder / "adapter_config.json").write_text(config)
    with pytest.raises(TrainingError, match="holds what is no number"):
        trained(order(tmp_path, external=command(folder)), tmp_path / "w")


@pytest.mark.parametrize(
    ("external", "told"),
    [
        (("no-such-trainer", "{out}"), "'no-such-trainer' can't be started"),
        (
            (sys.executable, "-c", "raise SystemExit('no rows')"),
            "ended with 1: no rows",
        ),
        ((sys.executable, "-c", "pass"), "holds no adapter"),
    ],
)
def test_a_command_that_fails_is_told(
    tmp_path: Path, external: tuple[str, ...], told: str
) -> None:
    with pytest.raises(TrainingError, match=told):
        trained(order(tmp_path, external=external), tmp_path / "w")


def test_base_and_adapter_merged_give_the_logits_of_both(
    made: Checkpoint, tmp_path: Path
) -> None:
    folder = tmp_path / "merged"
    folder.mkdir()
    merge_elsewhere(made, student(), folder)
    names = {path.suffix for path in folder.iterdir()}
    assert names <= {".safetensors", ".json", ".jinja"}
    base = load_base(order(tmp_path))
    ids = torch.tensor([[5, 6, 7, 8]])
    plain = base(input_ids=ids).logits
    both = adapted(base, made.folder / ADAPTER, trainable=False).eval()
    together = both(input_ids=ids).logits
    merged = load_model(folder, "float32")(input_ids=ids).logits
    assert torch.allclose(merged, together, atol=1e-3)
    assert not torch.allclose(merged, plain, atol=1e-3)


def test_an_adapter_is_merged_into_no_other_base(made: Checkpoint) -> None:
    with pytest.raises(TrainingError, match=r"policy .* is not student"):
        check_base(made, policy())


def test_the_record_of_a_checkpoint_is_plain_json(made: Checkpoint) -> None:
    assert json.loads((made.folder / "record.json").read_text())["kind"]
