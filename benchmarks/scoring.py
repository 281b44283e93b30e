"""Scoring by chunks against full logits: `python -m benchmarks.scoring`.

The embedded model reads this checkout's documentation, and every token counts as the
agent's, which is the most that chunks can have to do.

Extra memory is what a way of scoring takes beyond the body's own pass over the same
tokens: peak resident size of a process that scores, less that of a process that only
computes hidden states. `memory_ratio` compares the two extras. What the body takes
besides the loaded weights is in both and has nothing to do with logits;
`memory_ratio_with_body` counts it on both sides. Each pass whose memory is measured has a
fresh process. Times are processor seconds of alternating passes in one, over body and
head; one thread each. Figures at the top are the worst over all lengths.
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
class Peaks:
    """Of one pass each, in processes of their own: megabytes over the loaded weights."""

    body_mb: float
    """Hidden states alone."""
    chunked_mb: float
    full_mb: float

    @property
    def ratio(self) -> float:
        """Of what both take beyond the body; 0: chunks stay below the body's peak."""
        return max(0.0, self.chunked_mb - self.body_mb) / (self.full_mb - self.body_mb)

    @property
    def ratio_with_body(self) -> float:
        """Of what both take beyond the weights."""
        return self.chunked_mb / self.full_mb


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """At one length; memory in the order of the repeats, the rest medians."""

    tokens: int
    peaks: tuple[Peaks, ...]
    memory_ratio: float
    memory_ratio_with_body: float
    chunked_s: float
    """Of one pass over body and head."""
    full_s: float
    time_ratio: float
    """Of the ratios of pairs."""
    max_difference: float
    """Of one token's surprisal, relative to it where it is above 1 nat."""
    max_difference_nats: float
    rank_differences: int
    """Tokens ranked otherwise."""


def measure(job: Job) -> Figures:
    """Everything at the length of `job`."""
    peaks = tuple(_peaks(job, number) for number in range(job.repeats))
    progress(f"{job.tokens} tokens: time")
    pairs = _run(replace(job, kind="time"))
    chunked, full = _tokens(job, "chunked"), _tokens(job, "full")
    surprisals = list(zip(chunked[0], full[0], strict=True))
    return Figures(
        tokens=job.tokens,
        peaks=peaks,
        memory_ratio=round(median(one.ratio for one in peaks), 4),
        memory_ratio_with_body=round(median(one.ratio_with_body for one in peaks), 4),
        chunked_s=round(median(pair["chunked_s"] for pair in pairs), 2),
        full_s=round(median(pair["full_s"] for pair in pairs), 2),
        time_ratio=round(median(p["chunked_s"] / p["full_s"] for p in pairs), 4),
        max_difference=max(abs(a - b) / max(1.0, b) for a, b in surprisals),
        max_difference_nats=max(abs(a - b) for a, b in surprisals),
        rank_differences=sum(a != b for a, b in zip(chunked[1], full[1], strict=True)),
    )


def _peaks(job: Job, number: int) -> Peaks:
    """Three processes, one after the other."""
    peaks = Peaks(
        body_mb=_peak_mb(job, "body"),
        chunked_mb=_peak_mb(job, "chunked"),
        full_mb=_peak_mb(job, "full"),
    )
    progress(f"{job.tokens} tokens, {number + 1} of {job.repeats}: {peaks}")
    if peaks.full_mb <= peaks.body_mb:
        refuse(f"{job.tokens} tokens are too few: logits do not show beside the body")
    return peaks


def _peak_mb(job: Job, variant: Variant) -> float:
    written = _figures(job, variant)
    found = _run(replace(job, kind="memory", variant=variant, figures=written))
    return round(float(found["over_loaded_bytes"]) / 1e6, 1)


def _tokens(job: Job, variant: Variant) -> list[list[float]]:
    """Surprisals and ranks of all tokens, as the last pass wrote them."""
    whole: list[list[float]] = json.loads(_figures(job, variant).read_text())
    return whole


def _figures(job: Job, variant: Variant) -> Path:
    return job.text.with_name(f"{variant}-{job.tokens}.json")


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
        "memory_ratio_with_body": max(one.memory_ratio_with_body for one in found),
        "time_ratio": max(one.time_ratio for one in found),
        "max_difference": max(one.max_difference for one in found),
        "tokens": max(one.tokens for one in found),
        "per_length": [asdict(one) for one in found],
    }


if __name__ == "__main__":
    main()
