"""Tables of `cost_ledger`: what each accepted artefact cost, and where it went."""

from collections.abc import Sequence

from assets.pictures import in_cell
from assets.plots import Scale, bars
from envplatform.evaluation.costs import CostRow

_AMOUNTS = ("seconds", "tokens", "usd")
_SAID = (
    "Failures are part of the price: each asset's time and calls, those for what was "
    "refused or broke off included, are shared among what was accepted."
)


def cost_pictures(rows: Sequence[CostRow]) -> dict[str, str]:
    """All of them by title."""
    artefacts = [one for one in rows if one.scope == "artefact"]
    seconds = {one.name: one.seconds_each for one in artefacts if one.seconds_each}
    pictures = {
        "artefacts": f"{cost_table(artefacts)}\n\n{_SAID}",
        "assets": cost_table([one for one in rows if one.scope == "asset"]),
        "models": model_table([one for one in rows if one.scope in {"call", "model"}]),
    }
    if seconds:
        pictures["seconds each"] = bars(
            {"seconds": {name: round(value, 2) for name, value in seconds.items()}},
            scale=Scale(name="seconds for one accepted", form="{:.1f}"),
            title="Seconds each",
        )
    return pictures


def cost_table(rows: Sequence[CostRow]) -> str:
    """One line an artefact or asset; `none` if there is none."""
    if not rows:
        return "none"
    titles = ("accepted", "came to nothing", *(f"{one} each" for one in _AMOUNTS))
    lines = [
        f"| what | {' | '.join((*titles, *_AMOUNTS))} |",
        f"|---|{'---:|' * 8}",
    ]
    lines += [
        f"| {in_cell(one.name)} | {one.accepted} | {one.failed} | "
        f"{_each(one.seconds_each, 1)} | {_each(one.tokens_each, 0)} | "
        f"{_each(one.usd_each, 4)} | {one.seconds:.0f} | {one.tokens} | {one.usd:.4f} |"
        for one in rows
    ]
    return "\n".join(lines)


def model_table(rows: Sequence[CostRow]) -> str:
    """One line a model and asset, those over all assets last; `none` if none was asked."""
    if not rows:
        return "none"
    lines = [
        "| model | for | calls | without an answer | replayed | tokens | usd | seconds |",
        f"|---|---|{'---:|' * 6}",
    ]
    lines += [
        f"| {in_cell(one.model)} | {in_cell(one.name) or 'all'} | {one.calls} | "
        f"{one.failed} | {one.replayed} | {one.tokens} | {one.usd:.4f} | "
        f"{one.seconds:.1f} |"
        for one in rows
    ]
    return "\n".join(lines)


def _each(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
