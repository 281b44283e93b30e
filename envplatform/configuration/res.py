"""`[res]` of `envplatform.toml`: how deep seeds are grown, by whom, within which caps."""

from typing import Annotated, Literal

from pydantic import Field

from envplatform.configuration.section import Positive, Section

MAX_DEPTH = 10

Ablation = Literal["composed", "uncomposed", "independent", "one_operator"]
"""How levels are made: as ever; without a step on what another made; each from the root;
by one operator alone.
"""
ABLATIONS: tuple[Ablation, ...] = (
    "composed",
    "uncomposed",
    "independent",
    "one_operator",
)


class ResSettings(Section):
    """`[res]`: lineages of environments that grow deeper level by level."""

    seeds: tuple[str, ...] = ()
    """Partitions of `[seeds]` that lineages grow from; empty: all of them."""
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = 10
    """Levels below the root."""
    seed: int = 0
    proposer: Literal["planned", "llm"] = "planned"
    """`planned` searches and costs no tokens; `llm` asks the model of `[model]`."""
    proposals: Positive = 3
    """For one child: the first and its repairs."""
    max_reads: Positive = 1500
    """Requests that the evidence of one task may take."""
    max_bytes_ratio: Annotated[float, Field(ge=1)] = 3.0
    """Bytes served, against the root's."""
    explorer_turns: Annotated[int, Field(ge=0)] = 50
    """Of the explorer, who tries each accepted child; 0: nobody does."""
    failures: Positive = 3
    """Of the explorer in a row, after which a lineage ends."""
    ablations: tuple[Ablation, ...] = ABLATIONS
    """Compared in `res_ablations`, with the proposer `planned`."""
    one_operator: str = "sharding"
    """That of the ablation `one_operator`."""
