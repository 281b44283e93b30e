"""Packs and the order of steps."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from envplatform.learning.training.order import TrainingOrder
from envplatform.learning.training.planning import packs_of, steps_of

ROOM = 50


def an_order(steps: int | None, *, epochs: int = 1, seed: int = 0) -> TrainingOrder:
    return TrainingOrder(
        kind="sft_completion",
        base=Path("b"),
        rows=Path("r"),
        max_length=ROOM,
        batch=3,
        steps=steps,
        epochs=epochs,
        data_seed=seed,
    )


@given(st.lists(st.integers(1, ROOM), max_size=40))
def test_each_row_is_in_one_pack_and_no_pack_is_over_full(lengths: list[int]) -> None:
    packs = packs_of(lengths, ROOM)
    assert Counter(at for pack in packs for at in pack) == Counter(range(len(lengths)))
    assert all(sum(lengths[at] for at in pack) <= ROOM for pack in packs)
    filled = sorted(sum(lengths[at] for at in pack) for pack in packs)
    assert all(first + second > ROOM for first, second in pairwise(filled))


def test_a_row_goes_where_it_fits_best() -> None:
    assert packs_of([30, 45, 5, 20], ROOM) == ((0, 3), (1, 2))


def test_an_epoch_sees_each_example_once_and_the_next_in_another_order() -> None:
    names = [f"r{number}" for number in range(7)]
    steps = steps_of(names, an_order(None, epochs=2))
    assert [len(step) for step in steps] == [3, 3, 3, 3, 2]
    seen = [at for step in steps for at in step]
    assert sorted(seen[:7]) == sorted(seen[7:]) == list(range(7))
    assert seen[:7] != seen[7:]


def test_steps_are_full_and_go_round() -> None:
    steps = steps_of(["a", "b"], an_order(5))
    assert [len(step) for step in steps] == [3] * 5


def test_order_hangs_on_ids_and_seed_alone() -> None:
    names = [f"r{number}" for number in range(7)]
    order = an_order(None)
    seen = [names[at] for step in steps_of(names, order) for at in step]
    turned = names[::-1]
    assert seen == [turned[at] for step in steps_of(turned, order) for at in step]
    fewer = names[:4]
    part = [fewer[at] for step in steps_of(fewer, order) for at in step]
    assert part == [name for name in seen if name in fewer]
    other = an_order(None, seed=1)
    assert seen != [names[at] for step in steps_of(names, other) for at in step]
