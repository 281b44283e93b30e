"""The child of `benchmarks.catalogue`: run, check and weigh one configured project."""

import json
import os
import random
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from assets.definitions import build_definitions
from assets.fix_keys import CORPUS
from assets.home import open_instance, prepare_home
from assets.jobs import SUPERVISION
from assets.run import REVERSAL, register_fix_repositories
from assets.terminal_run import Terminal, run_job
from benchmarks.report import progress, refuse
from envplatform.configuration import load_configuration
from envplatform.store import Store
from envplatform.swe.fixes.curation.sampling import sample
from envplatform.swe.fixes.reverse_patch import CuratedPatch

CURATED, TRAINING = "curated_reverse_patches", "bug_training_set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a run over a catalogue costs."""

    repositories: int
    corpus_s: float
    reverse_s: float
    """One run over all repositories, mirrors included."""
    reverse_overhead_s: float
    """Of it, what no partition accounts for."""
    curate_s: float
    sample_s: float
    cached_s: float
    """All four again, with everything up to date."""
    reversed: int
    refused: int
    kept: int
    drawn: int
    peak_mb: int
    tables_mb: int
    results_mb: int
    draw_is_deterministic: bool


def main() -> None:
    """Run the project of the environment and print its figures as JSON."""
    folder = prepare_home()
    with open_instance() as instance:
        terminal = Terminal(
            instance=instance,
            definitions=build_definitions(),
            folder=folder,
            out=sys.stderr,
        )
        figures = measure(terminal, Store(Path(os.environ["ENVPLATFORM_HOME"])))
    sys.stdout.write(json.dumps(asdict(figures)) + "\n")


def measure(terminal: Terminal, store: Store) -> Figures:
    """Run everything, then everything again, and add up."""
    corpus_s = _timed(terminal, [CORPUS])
    keys = register_fix_repositories(terminal)
    whole = keys[0], keys[-1]
    reverse_s = _timed(terminal, [REVERSAL], partition_range=whole)
    curate_s = _timed(terminal, [CURATED])
    sample_s = _timed(terminal, [TRAINING])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    manifests = store.manifests(REVERSAL)
    work_s = sum(one.cost.seconds for one in manifests)
    cached_s = sum(
        _timed(terminal, [name], partition_range=whole if name == REVERSAL else None)
        for name in (CORPUS, REVERSAL, CURATED, TRAINING)
    )
    return Figures(
        repositories=len(keys),
        corpus_s=corpus_s,
        reverse_s=reverse_s,
        reverse_overhead_s=round(reverse_s - work_s, 1),
        curate_s=curate_s,
        sample_s=sample_s,
        cached_s=round(cached_s, 1),
        reversed=sum(int(one.facts["reversed"]) for one in manifests),
        refused=sum(int(one.facts["refused"]) for one in manifests),
        kept=int(_facts(store, CURATED)["kept"]),
        drawn=_rows(store, TRAINING),
        peak_mb=peak,
        tables_mb=_megabytes(store.home / "tables"),
        results_mb=_megabytes(store.home / "results"),
        draw_is_deterministic=_is_deterministic(store),
    )


def _timed(
    terminal: Terminal,
    assets: list[str],
    *,
    partition_range: tuple[str, str] | None = None,
) -> float:
    started = monotonic()
    if not run_job(terminal, SUPERVISION, assets, partition_range=partition_range):
        refuse(f"{', '.join(assets)} failed")
    seconds = round(monotonic() - started, 1)
    progress(f"{', '.join(assets)}: {seconds} s")
    return seconds


def _is_deterministic(store: Store) -> bool:
    """Draw again from the same rows in another order."""
    settings = load_configuration(Path(os.environ["ENVPLATFORM_CONFIG"])).fixes
    rows = [row for row in store.rows(CuratedPatch, CURATED) if not row.rejection]
    first = sample(rows, settings.sampling)
    random.Random(1).shuffle(rows)  # noqa: S311  no secret
    return set(sample(rows, settings.sampling)) == set(first)


def _facts(store: Store, asset: str) -> dict[str, int]:
    manifest = store.manifest(asset)
    facts = manifest.facts if manifest else {}
    return {name: int(value) for name, value in facts.items()}


def _rows(store: Store, asset: str) -> int:
    manifest = store.manifest(asset)
    return manifest.rows if manifest else 0


def _megabytes(folder: Path) -> int:
    return (
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) >> 20
    )


if __name__ == "__main__":
    main()
