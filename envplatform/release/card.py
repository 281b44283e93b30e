"""The data card: README.md with the front matter that hubs and `datasets` read.

Names of models, licences and repositories come from outside: none reaches the page as
mark-up, and none the front matter at all.
"""

import re
from collections.abc import Iterable, Sequence

from envplatform.release.ledger import Ledger, Rates
from envplatform.release.manifest import Release
from envplatform.release.members import SPLITS, Kind, Split
from envplatform.release.tables import FOLDERS

_MARKUP = re.compile(r"[&<>|\\`*_\[\]!#~]")
_LONGEST = 200
_SIZES = (1_000, 10_000, 100_000, 1_000_000)
_SIZE_NAMES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "n>1M")

Cell = str | int


def card(release: Release, ledger: Ledger) -> str:
    """Return the whole page."""
    total = ledger.environments + ledger.trajectories
    return "\n".join(
        [
            *_front_matter(release.name, ledger, total),
            f"# {release.name}, v{release.version}",
            "",
            (
                f"{ledger.environments} environments and {ledger.trajectories} trajectories, "
                f"made {release.created[:10]}; digest `{release.digest}`."
            ),
            "",
            *_counts(ledger),
            *_provenance(ledger),
            *_quality(ledger),
            *_cost(ledger),
            *_left_out(ledger),
            *_policy(release),
            *_use(ledger),
            "",
        ]
    )


def in_cell(text: str) -> str:
    """Text of strangers for a cell: one line, no mark-up, no end to it."""
    words = " ".join(text[:_LONGEST].split())
    sound = words.encode("utf-8", "replace").decode()
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", sound)


def _front_matter(name: str, ledger: Ledger, total: int) -> list[str]:
    size = _SIZE_NAMES[sum(total >= one for one in _SIZES)]
    lines = ["---", f'pretty_name: "{name}"', "license: other"]
    lines += ["tags:", "- agent", "- reinforcement-learning-environment"]
    lines += ["size_categories:", f"- {size}", "configs:"]
    for kind in FOLDERS:
        splits = _splits(ledger, kind)
        if splits:
            lines += [f"- config_name: {FOLDERS[kind]}"]
            lines += ["  default: true"] if kind == "environment" else []
            lines += ["  data_files:"]
        for split in splits:
            lines.append(f"  - split: {split}")
            lines.append(f"    path: {FOLDERS[kind]}/{split}.parquet")
    return [*lines, "---", ""]


def _splits(ledger: Ledger, kind: Kind) -> list[Split]:
    counted = ledger.pillars if kind == "environment" else ledger.policies
    there = {split for _, split in counted}
    return [one for one in SPLITS if one in there]


def _counts(ledger: Ledger) -> list[str]:
    rows: list[Sequence[Cell]] = []
    for what, counted in (
        ("environments", ledger.pillars),
        ("trajectories of", ledger.policies),
    ):
        for name in sorted({name for name, _ in counted}):
            by_split = [counted[name, split] for split in SPLITS]
            rows.append((f"{what} {name}", *by_split, sum(by_split)))
    return ["## Counts", "", *_table(("what", *SPLITS, "all"), rows)]


def _provenance(ledger: Ledger) -> list[str]:
    origins = [
        (asset, revision, count)
        for (asset, revision), count in sorted(ledger.origins.items())
    ]
    writers = ", ".join(sorted(ledger.writers)) or "none: templates and programs alone"
    return [
        "## Provenance",
        "",
        *_table(("table", "revision of its recipe", "members"), origins),
        f"Models that wrote tasks: {in_cell(writers)}.",
        "",
        *_table(("licence", "environments"), ledger.licences.most_common()),
    ]


def _quality(ledger: Ledger) -> list[str]:
    share = ledger.rewards / ledger.trajectories if ledger.trajectories else None
    rows = [
        ("faults written for its criteria", *_rates(ledger.kill_criteria)),
        ("mutants made blind to it", *_rates(ledger.kill_generic)),
    ]
    reward = "none" if share is None else f"{share:.3f}"
    return [
        "## Quality",
        "",
        (
            "Every environment passed its gate: the oracle scores 1, doing nothing the floor. "
            "Shares of faults that verifiers notice:"
        ),
        "",
        *_table(("faults", "mean", "least", "measured"), rows),
        f"Mean reward of the trajectories: {reward}.",
        "",
    ]


def _rates(rates: Rates) -> tuple[Cell, Cell, Cell]:
    if rates.mean is None:
        return ("not measured", "not measured", 0)
    return (f"{rates.mean:.4f}", f"{rates.least:.4f}", rates.known)


def _cost(ledger: Ledger) -> list[str]:
    rows = [
        (
            "environments",
            ledger.making_tokens,
            "not kept",
            f"{ledger.making_seconds:.0f}",
        ),
        (
            "rollouts",
            ledger.rollout_tokens,
            f"{ledger.rollout_usd:.2f}",
            f"{ledger.rollout_seconds:.0f}",
        ),
    ]
    return [
        "## Cost",
        "",
        "Of what is in it; what was refused on the way is in the ledger of the project.",
        "",
        *_table(("of", "tokens", "USD", "seconds"), rows),
    ]


def _left_out(ledger: Ledger) -> list[str]:
    counted: dict[tuple[str, str], int] = {}
    for one in ledger.left_out:
        key = (one.kind, one.reason)
        counted[key] = counted.get(key, 0) + 1
    rows = [
        (kind, reason.replace("_", " "), count)
        for (kind, reason), count in sorted(counted.items())
    ]
    notes = [f"- {in_cell(one)}" for one in ledger.notes]
    return [
        "## Left out",
        "",
        "Each is named in `left_out.jsonl` with what was wrong.",
        "",
        *_table(("what", "why", "count"), rows),
        *([*notes, ""] if notes else []),
    ]


def _policy(release: Release) -> list[str]:
    return [
        "## Policy",
        "",
        (
            "All members of one lineage, repository, family of templates or seed are in one "
            "split, by a hash of its name."
        ),
        "",
        *_table(("setting", "value"), sorted(release.policy.items())),
    ]


def _use(ledger: Ledger) -> list[str]:
    names = [FOLDERS[kind] for kind in FOLDERS if _splits(ledger, kind)]
    calls = [f'load_dataset("FOLDER", "{name}")' for name in names]
    return [
        "## Use",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        *calls,
        "```",
        "",
        "`archive` is a tar of the environment's folder: a Harbor task with a sidecar.",
    ]


def _table(titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[str]:
    lines = [
        "| " + " | ".join(in_cell(str(cell)) for cell in row) + " |" for row in rows
    ]
    if not lines:
        return ["none", ""]
    return [
        "| " + " | ".join(titles) + " |",
        "|" + "---|" * len(titles),
        *lines,
        "",
    ]
