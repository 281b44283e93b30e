"""Ranks and surprisal by hand, and in any chunks the same as of the whole table."""

import math

import pytest

pytest.importorskip("torch", reason="needs envplatform[learning]")

import torch
from hypothesis import given
from hypothesis import strategies as st

from envplatform.learning.surprisal import RANK_CLIP, chunked_figures, figures_of_logits


def test_two_rows_by_hand() -> None:
    """Of [0, ln 2, ln 5] the parts are 1/8, 2/8, 5/8; of [0, 0] and -inf one half."""
    logits = torch.tensor(
        [[0.0, math.log(2), math.log(5)], [0.0, -math.inf, 0.0]], dtype=torch.float32
    )
    sums = figures_of_logits(logits, torch.tensor([1, 2])).sums
    assert sums.tokens == 2
    assert sums.surprisal == pytest.approx(math.log(4) + math.log(2), abs=1e-6)
    assert sums.clipped_rank == 2 + 1  # the tie of the second row is not higher


def test_a_rank_counts_strictly_higher_logits_and_is_clipped() -> None:
    falling = torch.arange(500, 0, -1, dtype=torch.float32).repeat(3, 1)
    sums = figures_of_logits(falling, torch.tensor([0, RANK_CLIP - 2, 400])).sums
    assert sums.clipped_rank == 1 + (RANK_CLIP - 1) + RANK_CLIP


def test_bfloat16_ties_where_float32_does_not() -> None:
    """Why dtypes are never mixed: 256.5 and 257 are 256 in eight bits."""
    logits = torch.tensor([[256.5, 256.0, 257.0]])
    token = torch.tensor([1])
    assert figures_of_logits(logits, token).sums.clipped_rank == 3
    assert figures_of_logits(logits.bfloat16(), token).sums.clipped_rank < 3


@given(
    seed=st.integers(0, 2**16),
    length=st.integers(2, 40),
    chunk_rows=st.integers(1, 50),
    data=st.data(),
)
def test_the_chunk_does_not_matter(
    seed: int, length: int, chunk_rows: int, data: st.DataObject
) -> None:
    source = torch.Generator().manual_seed(seed)
    hidden = torch.randn(length, 8, generator=source)
    matrix = torch.randn(8, 200, generator=source)
    ids = torch.randint(0, 200, (length,), generator=source)
    places = data.draw(st.lists(st.integers(1, length - 1), min_size=1, unique=True))
    given = (hidden @ matrix)[torch.tensor(places) - 1]
    whole = figures_of_logits(given, ids[places])
    sizes: list[int] = []

    def logits(rows: torch.Tensor) -> torch.Tensor:
        sizes.append(len(rows))
        return rows @ matrix

    parts = chunked_figures(hidden, ids, places, logits, chunk_rows=chunk_rows)
    assert max(sizes) <= chunk_rows
    assert torch.equal(parts.rank, whole.rank)
    torch.testing.assert_close(parts.surprisal, whole.surprisal)
