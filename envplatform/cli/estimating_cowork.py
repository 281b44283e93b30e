"""What environments of cowork will cost: from those in the store, else from figures that ship."""

from dataclasses import dataclass, replace
from statistics import mean

from envplatform.bundle.row import EnvironmentRow
from envplatform.cli.estimating import Line, Spent, mean_size, spent_on
from envplatform.cli.find import OF_COWORK
from envplatform.configuration import Configuration
from envplatform.cowork.llm import asking, reviewer
from envplatform.cowork.rows import REJECTED, RejectedRow
from envplatform.llm.endpoint import Prices
from envplatform.store import Store

AT_ONCE = 2
"""Environments under way at one time, as `keeping.Shard` has it."""
_ANSWERS = 2
"""To one question at most: one, and one more where it is of no use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Each:
    """Of one environment, whatever became of it."""

    seconds: float
    bytes: float
    accepted: float
    """Share of them, 0 to 1."""


_DEFAULT = _Each(seconds=4.0, bytes=229_800, accepted=1.0)
"""Of 1,577 environments at 30.8 a minute, if two are under way; bytes of 2,000."""
_SOURCE = (
    "2,000 environments of all families, `python -m benchmarks.cowork`, two cores "
    "that some other work was using"
)


def cowork_line(store: Store, configuration: Configuration) -> Line:
    """Return the line of `cowork_environments`.

    Raises:
        StoreError: a table or the ledger is damaged.
    """
    settings = configuration.cowork
    wanted = frozenset(settings.families)
    rows = [
        row
        for row in store.all_rows(EnvironmentRow, OF_COWORK)
        if not wanted or row.family in wanted
    ]
    rejected = sum(
        not wanted or row.family in wanted
        for row in store.all_rows(RejectedRow, REJECTED)
    )
    size = mean_size(store, rows)
    if size is None:
        each, source = _DEFAULT, _SOURCE
    else:
        made = len(rows) + rejected
        share = len(rows) / made
        each = _Each(
            seconds=mean(row.seconds for row in rows), bytes=size, accepted=share
        )
        source = f"{len(rows)} accepted environments in this store, {rejected} rejected"
    planned = settings.shards * settings.environments_per_seed
    line = Line(
        asset=OF_COWORK,
        partitions=settings.shards,
        rows=round(planned * each.accepted),
        seconds=round(planned * each.seconds / AT_ONCE, 1),
        bytes=round(planned * each.bytes),
        tokens=0,
        usd=0.0,
        basis="default" if size is None else "measured",
        source=f"{source}; rejected ones are reckoned as accepted ones",
    )
    if settings.roles == "procedural":
        return line
    asked = sum(bool(row.issue_model) for row in rows)
    return _with_model(line, configuration, spent_on(store, OF_COWORK), asked)


def _with_model(
    line: Line,
    configuration: Configuration,
    spent: Spent,
    asked: int,
) -> Line:
    """Add what the model will take; `asked`: accepted environments that it made."""
    model = configuration.model
    prices = Prices(
        prompt_usd_per_million=model.usd_per_million_prompt_tokens,
        completion_usd_per_million=model.usd_per_million_completion_tokens,
    )
    if spent.tokens and asked and line.rows is not None:
        return replace(
            line,
            tokens=round(line.rows * spent.tokens / asked),
            usd=round(line.rows * spent.usd / asked, 4),
            source=f"{line.source}; tokens of the ledger, for each of {asked} accepted",
        )
    settings = configuration.cowork
    planned = settings.shards * settings.environments_per_seed
    answers = 2 * asking.ANSWER_TOKENS + reviewer.ANSWER_TOKENS
    tokens = planned * settings.rounds * _ANSWERS * answers
    return replace(
        line,
        tokens=tokens,
        usd=round(prices.usd(prompt_tokens=0, completion_tokens=tokens), 4),
        source=f"{line.source}; tokens are an upper bound of all answers, prompts come "
        f"on top; a run stops at {model.max_total_tokens} tokens or {model.max_usd:g} "
        "USD of [model]",
    )
