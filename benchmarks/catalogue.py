"""Stage 1 over a whole catalogue of fixes: `python -m benchmarks.catalogue`.

From a file of published rows to a training set, through Dagster, in a process of its
own whose peak memory is read afterwards. The rows are those of `--fixes`, or mined
from a history that is made on the spot, repeated under other ids and repositories until
there are `--rows` of them in `--repositories`. So analyses are made once for each
distinct fix and then come from the result cache; everything else is done for each row.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_history import make_history
from benchmarks.report import print_result, progress, refuse
from envplatform.configuration import FixSourceSettings
from envplatform.swe.fixes.histories.mining import GitSource
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.opening import open_source

REPOSITORY = Path(__file__).parents[1]
MADE_FIXES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """One real fix and the folder of its history."""

    instance: FixInstance
    history: Path


def made_fixes(folder: Path) -> list[Real]:
    """Fixes of one made history."""
    history = folder / "made.git"
    make_history(history, fixes=MADE_FIXES)
    source = GitSource(name="made", url=str(history), cache=folder / "mining")
    return [
        Real(instance=row, history=history)
        for row in source.read()
        if isinstance(row, FixInstance)
    ]


def real_fixes(files: Sequence[Path], histories: Path, folder: Path) -> list[Real]:
    """Fixes of files, as far as `histories` holds an `OWNER+NAME/repo` of theirs."""
    found = []
    for file in files:
        source = open_source(FixSourceSettings(path=str(file)), cache=folder)
        for row in source.read():
            if isinstance(row, FixInstance) and row.patch:
                history = histories / row.repository.replace("__", "+", 1) / "repo"
                if history.is_dir():
                    found.append(Real(instance=row, history=history))
    return found


def write_catalogue(
    real: Sequence[Real], folder: Path, *, rows: int, repositories: int
) -> dict[str, str]:
    """Write `fixes.jsonl`; returns `owner/name` to the folder of its history.

    Each history stands for several repositories, as many as its share of the fixes,
    and each repository has as many rows as every other.
    """
    groups: dict[Path, list[Real]] = {}
    for one in real:
        groups.setdefault(one.history, []).append(one)
    shares = _shares([len(group) for group in groups.values()], repositories)
    names = [
        (f"made-{number}/copy-{copy}", group)
        for number, (group, share) in enumerate(
            zip(groups.values(), shares, strict=True)
        )
        for copy in range(share)
    ]
    with (folder / "fixes.jsonl").open("w", encoding="ascii") as file:
        for number in range(rows):
            turn, place = divmod(number, len(names))
            name, group = names[place]
            one = group[turn % len(group)]
            file.write(json.dumps(_row(one.instance, name, number)) + "\n")
    return {name: str(group[0].history) for name, group in names[:rows]}


def _shares(sizes: Sequence[int], whole: int) -> list[int]:
    """Divide `whole` in proportion to `sizes`; each gets one at least."""
    total, given, shares = sum(sizes), 0, list[int]()
    done = 0
    for size in sizes:
        done += size
        share = max(1, round(whole * done / total) - given)
        shares.append(share)
        given += share
    return shares


def _row(instance: FixInstance, name: str, number: int) -> dict[str, object]:
    """In SWE-bench's layout; a line before the first header makes each patch its own."""
    return {
        "repo": name,
        "instance_id": f"{instance.instance_id}-{number}",
        "base_commit": instance.base_commit,
        "patch": f"Row {number}\n{instance.patch}",
        "test_patch": instance.test_patch,
        "problem_statement": instance.problem_statement,
        "created_at": instance.created_at,
        "FAIL_TO_PASS": list(instance.fail_to_pass),
        "PASS_TO_PASS": list(instance.pass_to_pass),
        "license": "MIT",
    }


def write_configuration(folder: Path, places: dict[str, str], *, sampled: int) -> Path:
    """Write the project's `envplatform.toml`."""
    lines = [
        "[targets]\nbuiltin = []",
        f"[[fixes.sources]]\npath = '{folder / 'fixes.jsonl'}'",
        "[fixes.curation]\nduplicates = 'mark'\nheld_out = []",
        f"[fixes.sampling]\nrows = {sampled}",
        "[fixes.histories]",
        *(f"'{name}' = '{place}'" for name, place in places.items()),
    ]
    path = folder / "envplatform.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run_child(folder: Path, configuration: Path) -> dict[str, object]:
    """Materialise everything in a fresh process; its figures."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.catalogue_run"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "ENVPLATFORM_HOME": str(folder / "home"),
            "ENVPLATFORM_CONFIG": str(configuration),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        refuse(f"the run ended with {done.returncode}; its reason stands above")
    figures: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--sampled", type=int, default=500, help="training rows")
    parser.add_argument("--fixes", type=Path, nargs="*", default=[])
    parser.add_argument("--histories", type=Path, help="of --fixes: OWNER+NAME/repo")
    parser.add_argument(
        "--folder", type=Path, help="where to work; else a temporary one"
    )
    options = parser.parse_args()
    if min(options.rows, options.repositories, options.sampled) < 1:
        parser.error("--rows, --repositories and --sampled must be at least 1")
    if bool(options.fixes) != bool(options.histories):
        parser.error("--fixes and --histories go together")
    with tempfile.TemporaryDirectory(prefix="catalogue-") as name:
        folder = (options.folder or Path(name)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        _run(options, folder)


def _run(options: argparse.Namespace, folder: Path) -> None:
    real = (
        real_fixes(options.fixes, options.histories.absolute(), folder)
        if options.fixes
        else made_fixes(folder)
    )
    if not real:
        refuse("no fix of these files has its history in --histories")
    places = write_catalogue(
        real, folder, rows=options.rows, repositories=options.repositories
    )
    progress(f"{options.rows} rows of {len(places)} repositories")
    configuration = write_configuration(folder, places, sampled=options.sampled)
    figures = run_child(folder, configuration)
    distinct = len(real)
    source = ", ".join(file.name for file in options.fixes) or "a made history"
    print_result(
        {"rows": options.rows, "distinct_fixes": distinct, **figures},
        made_from=f"{source}, repeated under other ids and repositories",
        repeats=1,
    )


if __name__ == "__main__":
    main()
