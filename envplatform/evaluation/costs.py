"""What everything cost: tokens, money and seconds, by asset, by model, by artefact.

From manifests (what tables hold and how long they took) and the ledger of calls (what
models were asked, answered or not). Nothing is estimated; reading both is in the asset.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from envplatform.llm.ledger import LedgerRow
from envplatform.store import NOT_IDENTITY

REVISION = 2
"""Raised when the same store gives other rows."""

Scope = Literal["artefact", "asset", "model", "call"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What one thing cost, all in all and for each that was accepted."""

    scope: Scope
    """`artefact`: all assets on its way; `asset`: one of them; `call`: one model's calls
    for one asset; `model`: all calls of a model.
    """
    name: str
    """Of the artefact or asset; empty of a model."""
    model: str
    """As configured; empty where all are meant, or none took part."""
    accepted: int
    """Rows that the asset holds, over all partitions; of a model 0."""
    failed: int
    """What was tried and came to nothing, each partition's own; of a model its calls
    without an answer.
    """
    calls: int
    """Of models, answered or not, replayed ones left out."""
    replayed: int
    """Answered from a recording: they cost nothing."""
    tokens: int
    usd: float
    tokens_each: float | None
    """For one accepted; None where none was."""
    usd_each: float | None
    seconds: float = field(metadata=NOT_IDENTITY)
    """Of work, over all runs that made a table of it, also one that was replaced since;
    of a model from asking to answer, several at once counted each.
    """
    seconds_each: float | None = field(metadata=NOT_IDENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens, money and time, of any number of things."""

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(
            tokens=self.tokens + other.tokens,
            usd=self.usd + other.usd,
            seconds=self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetCost:
    """One asset as it stands in the store."""

    asset: str
    accepted: int
    failed: int
    spent: Spent
    """As its manifests say, versions that were replaced included; the ledger knows
    better of tokens and money.
    """


def cost_rows(
    assets: Sequence[AssetCost],
    calls: Iterable[LedgerRow],
    artefacts: Mapping[str, Sequence[str]],
) -> list[CostRow]:
    """Return rows of artefacts, then assets with their models' calls, then models.

    `artefacts`: name to the assets on the way to it, the one that holds it last; one
    whose last asset is not among `assets` is left out. Tokens and money of an asset are
    the ledger's where it has calls of it, else its manifests'; seconds its manifests'.
    """
    by_asset: dict[str, dict[str, list[LedgerRow]]] = defaultdict(dict)
    by_model: dict[str, list[LedgerRow]] = defaultdict(list)
    for call in calls:
        by_asset[call.asset].setdefault(call.model, []).append(call)
        by_model[call.model].append(call)
    known = {one.asset: one for one in assets}
    for name in by_asset.keys() - known.keys():
        # `envplatform run` and the like: no asset, and money all the same.
        known[name] = AssetCost(asset=name, accepted=0, failed=0, spent=Spent())
    rows = {
        name: _asset_row(
            one, [each for found in by_asset[name].values() for each in found]
        )
        for name, one in known.items()
    }
    return [
        *(
            _artefact_row(name, [rows[each] for each in way if each in rows])
            for name, way in artefacts.items()
            if way[-1] in rows
        ),
        *(
            row
            for name, whole in rows.items()
            for row in (whole, *_call_rows(name, by_asset[name]))
        ),
        *(_call_row("model", "", model, by_model[model]) for model in sorted(by_model)),
    ]


def _artefact_row(name: str, way: Sequence[CostRow]) -> CostRow:
    spent = sum((_spent_of(one) for one in way), Spent())
    last = way[-1]
    return CostRow(
        scope="artefact",
        name=name,
        model="",
        accepted=last.accepted,
        failed=sum(one.failed for one in way),
        calls=sum(one.calls for one in way),
        replayed=sum(one.replayed for one in way),
        tokens=spent.tokens,
        usd=spent.usd,
        tokens_each=_each(spent.tokens, last.accepted),
        usd_each=_each(spent.usd, last.accepted),
        seconds=spent.seconds,
        seconds_each=_each(spent.seconds, last.accepted),
    )


def _asset_row(one: AssetCost, calls: Sequence[LedgerRow]) -> CostRow:
    asked = _called(calls)
    tokens = asked.tokens if calls else one.spent.tokens
    usd = asked.usd if calls else one.spent.usd
    return CostRow(
        scope="asset",
        name=one.asset,
        model="",
        accepted=one.accepted,
        failed=one.failed,
        calls=sum(not call.cached for call in calls),
        replayed=sum(call.cached for call in calls),
        tokens=tokens,
        usd=usd,
        tokens_each=_each(tokens, one.accepted),
        usd_each=_each(usd, one.accepted),
        seconds=one.spent.seconds,
        seconds_each=_each(one.spent.seconds, one.accepted),
    )


def _call_rows(name: str, by_model: Mapping[str, list[LedgerRow]]) -> list[CostRow]:
    return [
        _call_row("call", name, model, by_model[model]) for model in sorted(by_model)
    ]


def _call_row(
    scope: Scope, name: str, model: str, calls: Sequence[LedgerRow]
) -> CostRow:
    spent = _called(calls)
    return CostRow(
        scope=scope,
        name=name,
        model=model,
        accepted=0,
        failed=sum(call.error is not None for call in calls),
        calls=sum(not call.cached for call in calls),
        replayed=sum(call.cached for call in calls),
        tokens=spent.tokens,
        usd=spent.usd,
        tokens_each=None,
        usd_each=None,
        seconds=spent.seconds,
        seconds_each=None,
    )


def _called(calls: Iterable[LedgerRow]) -> Spent:
    """Sum up what was sent; a replayed answer cost nothing again."""
    spent = Spent()
    for call in calls:
        if not call.cached:
            tokens = call.prompt_tokens + call.completion_tokens
            spent += Spent(tokens=tokens, usd=call.usd, seconds=call.seconds)
    return spent


def _spent_of(row: CostRow) -> Spent:
    return Spent(tokens=row.tokens, usd=row.usd, seconds=row.seconds)


def _each(amount: float, accepted: int) -> float | None:
    return amount / accepted if accepted else None
