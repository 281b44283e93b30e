"""Likelihood of rows that were held out, from a process of its own: nats a token.

`python -m envplatform.learning.likelihood.held_out` reads an order and then rows from
its standard input and says one line a row. `likelihoods` starts it; it loads no torch.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from envplatform.errors import StudentError, TrainingError
from envplatform.learning.serving.orders import SERVING_ORDER, ServingOrder
from envplatform.learning.training.rows import COMPLETION, CompletionRow

_SAID = 2000
_NO_MODEL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """What a model thinks of one right answer."""

    row_id: str
    tokens: int
    """Of the answer; 0: the row was not looked at."""
    before: float
    """Surprisal of the whole answer in nats, by the base alone."""
    after: float
    """The same with the adapter; equal to `before` where there is none."""
    skipped: str = ""
    """Why the row was not looked at; empty: it was."""


LIKELIHOOD = TypeAdapter(Likelihood)


def likelihoods(
    order: ServingOrder, rows: Sequence[CompletionRow], *, max_length: int
) -> tuple[Likelihood, ...]:
    """Look at each row in a process of its own; in order, those skipped last.

    Raises:
        StudentError: the model can't be used, or the process died.
    """
    lines = [SERVING_ORDER.dump_json(order), str(max_length).encode()]
    lines += [COMPLETION.dump_json(row) for row in rows]
    with tempfile.TemporaryFile() as given:
        given.write(b"\n".join([*lines, b""]))
        given.seek(0)
        done = subprocess.run(
            [sys.executable, "-P", "-m", __spec__.name],
            stdin=given,
            capture_output=True,
            check=False,
        )
    if done.returncode != 0:
        said = done.stderr[-_SAID:].decode("utf-8", "replace").strip()
        msg = f"likelihoods can't be computed: {said or 'nothing was said'}"
        raise StudentError(msg)
    return tuple(LIKELIHOOD.validate_json(line) for line in done.stdout.splitlines())


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Over all rows that were looked at."""

    rows: int
    before: float
    """Nats a token; NaN without rows."""
    after: float


def held_out(found: Iterable[Likelihood]) -> HeldOut:
    """Sum up: a ratio of sums, so that long answers count as long ones."""
    seen = [one for one in found if not one.skipped]
    tokens = sum(one.tokens for one in seen)
    if not tokens:
        return HeldOut(0, float("nan"), float("nan"))
    return HeldOut(
        len(seen),
        sum(one.before for one in seen) / tokens,
        sum(one.after for one in seen) / tokens,
    )


def main() -> None:
    """Read standard input, say one line a row."""
    order = SERVING_ORDER.validate_json(sys.stdin.readline())
    max_length = int(sys.stdin.readline())
    os.environ["OMP_NUM_THREADS"] = str(order.threads)  # before torch is there
    import torch  # noqa: PLC0415  as above
    import transformers  # noqa: PLC0415

    torch.set_num_threads(order.threads)
    transformers.utils.logging.disable_progress_bar()
    try:
        for one in _found(order, _rows(), max_length):
            sys.stdout.buffer.write(LIKELIHOOD.dump_json(one) + b"\n")
    except (StudentError, TrainingError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_NO_MODEL)


def _rows() -> Iterator[CompletionRow]:
    for line in sys.stdin:
        yield COMPLETION.validate_json(line)


def _found(
    order: ServingOrder, rows: Iterable[CompletionRow], max_length: int
) -> Iterator[Likelihood]:
    from envplatform.learning.likelihood.measure import Measure  # noqa: PLC0415  torch

    measure = Measure.load(order, max_length)
    yield from measure.look(rows)


if __name__ == "__main__":
    main()
