"""One side of `benchmarks.scoring` in a process of its own; prints one JSON object."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Literal

import torch
import transformers
from pydantic import TypeAdapter

from benchmarks.memory import forget_peak, peak_bytes
from envplatform.learning.conversion import save_as_safetensors
from envplatform.learning.head import Head
from envplatform.learning.student import load_model, load_tokenizer
from envplatform.learning.surprisal import TokenFigures, chunked_figures

Variant = Literal["body", "chunked", "full"]
"""`body` gives hidden states and no score: what both others need before they begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the process is to do; the first one writes `model`, the others read it."""

    kind: Literal["convert", "memory", "time"]
    gguf: Path
    model: Path
    text: Path
    """What is scored, cut to `tokens`."""
    tokens: int = 0
    variant: Variant = "chunked"
    """Of `memory`; `time` runs chunked and full in turn."""
    repeats: int = 1
    chunk_rows: int = 128
    figures: Path | None = None
    """Of `memory`: each token's figures are written here, if there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Of one pass."""

    over_loaded_bytes: int
    """Peak resident size less that after loading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Processor seconds of one pass each way, one after the other.

    With one thread that is how long it takes, whatever else the machine does.
    """

    chunked_s: float
    full_s: float


JOB = TypeAdapter(Job)


@dataclass(frozen=True, slots=True)
class _Bench:
    """A loaded model and what it is to read."""

    model: transformers.PreTrainedModel
    head: Head
    token_ids: torch.Tensor
    chunk_rows: int

    def body(self) -> torch.Tensor:
        """Last hidden states [tokens, width]."""
        return self.head.hidden(self.token_ids.unsqueeze(0))[0]

    def chunked(self) -> TokenFigures:
        """As the product does it; each token but the first is an agent's."""
        return chunked_figures(
            self.body(),
            self.token_ids,
            range(1, len(self.token_ids)),
            self.head.logits,
            chunk_rows=self.chunk_rows,
        )

    def full(self) -> TokenFigures:
        """As a script would: all logits, their softmax, and what is higher."""
        ids = self.token_ids
        logits = self.model(input_ids=ids.unsqueeze(0), use_cache=False).logits[0]
        chances = logits[:-1].float().log_softmax(dim=-1)
        surprisal = -chances.gather(1, ids[1:, None]).squeeze(1)
        given = logits[:-1].gather(1, ids[1:, None])
        rank = 1 + (logits[:-1] > given).sum(dim=1)
        return TokenFigures(surprisal=surprisal, rank=rank)

    def run(self, variant: Variant) -> TokenFigures | None:
        """One pass; the body alone gives no figures."""
        match variant:
            case "body":
                self.body()
                return None
            case "chunked":
                return self.chunked()
            case "full":
                return self.full()


def _bench(job: Job) -> _Bench:
    model = load_model(job.model, "float32")
    for parameter in model.parameters():
        # Pages of a mapped file come and go with what else the machine does, and would
        # be counted as the pass's own when they come back.
        parameter.data = parameter.data.clone()
    ids = load_tokenizer(job.model)(job.text.read_text(), verbose=False)["input_ids"]
    if len(ids) < job.tokens:
        sys.exit(f"the text has {len(ids)} tokens, {job.tokens} are asked for")
    return _Bench(
        model, Head.of(model), torch.tensor(ids[: job.tokens]), job.chunk_rows
    )


def measure_memory(job: Job) -> Memory:
    """Peak over one pass, from where loading ended."""
    bench = _bench(job)
    loaded = forget_peak()
    figures = bench.run(job.variant)
    over_loaded = peak_bytes() - loaded
    if job.figures is not None and figures is not None:
        whole = [figures.surprisal.tolist(), figures.rank.tolist()]
        job.figures.write_text(json.dumps(whole))
    return Memory(over_loaded_bytes=over_loaded)


def measure_time(job: Job) -> list[Pair]:
    """Both ways in turn, the first one changing places."""
    bench = _bench(job)
    pairs: list[Pair] = []
    for number in range(job.repeats):
        order: tuple[Variant, Variant] = ("chunked", "full")
        seconds: dict[Variant, float] = {}
        for variant in order if number % 2 else reversed(order):
            started = process_time()
            bench.run(variant)
            seconds[variant] = process_time() - started
        pairs.append(Pair(chunked_s=seconds["chunked"], full_s=seconds["full"]))
    return pairs


@torch.inference_mode()
def main() -> None:
    """Do the job that standard input holds."""
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    job = JOB.validate_json(sys.stdin.read())
    sys.stdout.write(json.dumps(_answer(job)) + "\n")


def _answer(job: Job) -> object:
    match job.kind:
        case "convert":
            save_as_safetensors(job.gguf, job.model, "float32")
            return None
        case "memory":
            return asdict(measure_memory(job))
        case "time":
            return [asdict(pair) for pair in measure_time(job)]


if __name__ == "__main__":
    main()
