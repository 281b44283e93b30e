"""The part of `benchmarks.bug_model` about likelihood: rows, training, held-out answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from benchmarks.report import progress, refuse
from envplatform.learning.likelihood.held_out import HeldOut, held_out, likelihoods
from envplatform.learning.serving.orders import ServingOrder
from envplatform.learning.training.messages import Event, words_of
from envplatform.learning.training.order import LoraSettings, TrainingOrder
from envplatform.learning.training.rows import CompletionRow, write_completions
from envplatform.learning.training.supervise import train
from envplatform.llm.embedded import embedded_gguf
from envplatform.swe.fixes.reverse_patch import TrainingRow
from envplatform.swe.inducers.learned.supervision import Supervision, SupervisionRow

MAX_LENGTH = 4_096
"""Tokens of a row; those that are chosen are far shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Rows of two sets of repositories."""

    train: tuple[SupervisionRow, ...]
    held_out: tuple[SupervisionRow, ...]

    @property
    def repositories(self) -> tuple[int, int]:
        """How many give the rows of each set."""
        sets = [
            {row.repository for row in rows} for rows in (self.train, self.held_out)
        ]
        return len(sets[0]), len(sets[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihoods:
    """Nats a token of held-out right answers, and of answers to other files."""

    true: HeldOut
    shuffled: HeldOut

    @property
    def fall(self) -> float:
        """How much training took away, of what there was."""
        return 1 - self.true.after / self.true.before


def split_rows(
    rows: Iterable[TrainingRow], *, shown: int, train: int, kept_back: int
) -> Split:
    """Choose short rows; whole repositories are held back, drawn by their names.

    Ends the benchmark if there are too few.
    """
    made = sorted(
        Supervision(shown).of_bugs(rows),
        key=lambda row: (len(row.prompt) + len(row.completion), row.row_id),
    )
    names = sorted({row.repository for row in made}, key=_drawn)
    held: set[str] = set()
    while sum(row.repository in held for row in made) < kept_back and names:
        held.add(names.pop(0))
    others = [row for row in made if row.repository not in held]
    mine = [row for row in made if row.repository in held]
    if len(others) < train or len(mine) < kept_back:
        refuse(f"{len(made)} rows are too few; draw more or ask for fewer")
    return Split(train=tuple(others[:train]), held_out=tuple(mine[:kept_back]))


def trained(
    split: Split, folder: Path, *, steps: int, base: Path | None = None
) -> ServingOrder:
    """Train an adapter over SmolLM2 (or `base`) on the CPU; how it is served."""
    rows = folder / "rows.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    write_completions(rows, map(completion_of, split.train))
    base = base or embedded_gguf()
    order = TrainingOrder(
        kind="sft_completion",
        base=base,
        rows=rows,
        lora=LoraSettings(),
        learning_rate=1e-3,
        steps=steps,
        batch=max(1, len(split.train) // steps),
        max_length=MAX_LENGTH,
        dtype="float32",
        checkpoint_every=max(1, steps // 2),
    )
    checkpoint = train(order, folder / "work", _tell)
    return ServingOrder(name="trained", base=base, checkpoint=checkpoint)


def measure(split: Split, order: ServingOrder) -> Likelihoods:
    """Ask the model of held-out answers, and of the same answers shuffled over files."""
    given = [completion_of(row) for row in split.held_out]
    found = likelihoods(order, [*given, *shuffled(given)], max_length=MAX_LENGTH)
    names = {row.row_id for row in given}
    return Likelihoods(
        true=held_out(one for one in found if one.row_id in names),
        shuffled=held_out(one for one in found if one.row_id not in names),
    )


def shuffled(rows: Sequence[CompletionRow]) -> list[CompletionRow]:
    """Each question with the answer to the next one; as many, none with its own."""
    ring = [*rows, rows[0]]
    return [
        replace(one, row_id=f"{one.row_id} shuffled", completion=other.completion)
        for one, other in pairwise(ring)
    ]


def completion_of(row: SupervisionRow) -> CompletionRow:
    """Return a row as trainers take it."""
    return CompletionRow(
        row_id=row.row_id,
        prompt=row.prompt,
        completion=row.completion,
        system=row.system,
    )


def _drawn(name: str) -> str:
    return sha256(name.encode()).hexdigest()


def _tell(event: Event) -> None:
    progress(words_of(event))
