"""Scoring by chunks against full logits: `python -m benchmarks.scoring`.

The embedded model reads this checkout's documentation, and every token counts as the
agent's, which is the most that chunks can have to do. Each measurement of memory has a
process of its own, times are processor seconds of alternating passes in one; one thread
each. Figures at the top are the worst over all lengths.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.report import print_result, progress, refuse
from benchmarks.scoring_run import JOB, Job, Variant
from envplatform.errors import ModelError
from envplatform.llm.embedded import EMBEDDED_NAME, embedded_gguf

DOCUMENTS = Path(__file__).parents[1] / "docs"
LENGTHS = (4096, 8192)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """At one length."""

    tokens: int
    chunked_mb: float
    """Extra peak memory over that after loading."""
    full_mb: float
    memory_ratio: float
    chunked_s: float
    """Median, of one pass over body and head."""
    full_s: float
    time_ratio: float
    """Median of the ratios of pairs."""
    max_difference: float
    """Of one token's surprisal, relative to it where it is above 1 nat."""
    max_difference_nats: float
    rank_differences: int
    """Tokens ranked otherwise."""


def measure(job: Job) -> Figures:
    """Everything at the length of `job`."""
    progress(f"{job.tokens} tokens: memory")
    chunked_mb, chunked = _memory(job, "chunked")
    full_mb, full = _memory(job, "full")
    progress(f"{job.tokens} tokens: {chunked_mb} MB against {full_mb} MB; time")
    pairs = _run(replace(job, kind="time"))
    surprisals = list(zip(chunked[0], full[0], strict=True))
    return Figures(
        tokens=job.tokens,
        chunked_mb=chunked_mb,
        full_mb=full_mb,
        memory_ratio=round(chunked_mb / full_mb, 4),
        chunked_s=round(median(pair["chunked_s"] for pair in pairs), 2),
        full_s=round(median(pair["full_s"] for pair in pairs), 2),
        time_ratio=round(median(p["chunked_s"] / p["full_s"] for p in pairs), 4),
        max_difference=max(abs(a - b) / max(1.0, b) for a, b in surprisals),
        max_difference_nats=max(abs(a - b) for a, b in surprisals),
        rank_differences=sum(a != b for a, b in zip(chunked[1], full[1], strict=True)),
    )


def _memory(job: Job, variant: Variant) -> tuple[float, list[list[float]]]:
    """Extra megabytes, and surprisals and ranks of all tokens."""
    figures = job.text.with_name(f"{variant}.json")
    found = _run(replace(job, kind="memory", variant=variant, figures=figures))
    return round(found["extra_bytes"] / 1e6, 1), json.loads(figures.read_text())


def _run(job: Job) -> Any:  # noqa: ANN401  JSON
    """What a process of its own answers."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scoring_run"],
        input=JOB.dump_json(job),
        stdout=subprocess.PIPE,
        env={**os.environ, "TQDM_DISABLE": "1"},
        check=False,
    )
    if done.returncode != 0:
        refuse(f"the measured process ended with code {done.returncode}")
    return json.loads(done.stdout)


def _documentation(path: Path) -> str:
    """Write what is read; says what it is."""
    pages = sorted(DOCUMENTS.glob("*.md"))
    path.write_text("\n\n".join(page.read_text() for page in pages))
    return f"{len(pages)} pages of docs/, read by {EMBEDDED_NAME}, float32, one thread"


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--chunk-rows", type=int, default=128)
    options = parser.parse_args()
    try:
        gguf = embedded_gguf()
    except ModelError as error:
        refuse(str(error))
    with tempfile.TemporaryDirectory(prefix="scoring-") as scratch:
        folder = Path(scratch)
        job = Job(
            kind="convert",
            gguf=gguf,
            model=folder / "model",
            text=folder / "text",
            repeats=options.repeats,
            chunk_rows=options.chunk_rows,
        )
        made_from = _documentation(job.text)
        progress("converting the embedded model")
        _run(job)
        found = [measure(replace(job, tokens=tokens)) for tokens in options.tokens]
    print_result(_worst(found), made_from=made_from, repeats=options.repeats)


def _worst(found: Sequence[Figures]) -> dict[str, object]:
    return {
        "memory_ratio": max(one.memory_ratio for one in found),
        "time_ratio": max(one.time_ratio for one in found),
        "max_difference": max(one.max_difference for one in found),
        "tokens": max(one.tokens for one in found),
        "per_length": [asdict(one) for one in found],
    }


if __name__ == "__main__":
    main()
