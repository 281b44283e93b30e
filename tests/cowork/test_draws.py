"""Every rule decides something in whatever is drawn, and no answer is drawn in public."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.cowork.blueprint import plan_shard
from envplatform.cowork.families import family, family_names
from envplatform.tree import File
from tests.cowork.draws import drawn

DRAWS = 6


@pytest.mark.parametrize("name", family_names())
def test_each_misreading_decides_something_and_nothing_leaks(
    name: str, tmp_path: Path
) -> None:
    for one in drawn(plan_shard(4, DRAWS, [family(name)]), tmp_path):
        assert max(one.right.values()) == 1
        assert one.idle() == [], one.environment.environment_id
        assert one.leaks() == "", one.environment.environment_id


@pytest.mark.parametrize(
    ("name", "idle"),
    [
        ("meeting_slots", {3: (19, 38, 57), 4: (89,), 5: (15, 69, 98), 6: (10, 36)}),
        ("room_bookings", {3: (58,), 4: (55, 99), 6: (35,)}),
    ],
)
def test_where_a_first_draw_has_an_idle_rule_it_is_drawn_again(
    name: str, idle: dict[int, tuple[int, ...]], tmp_path: Path
) -> None:
    """By seed the numbers of such blueprints, as drawing stood when this was written."""
    chosen = [
        plan_shard(seed, max(numbers) + 1, [family(name)])[number]
        for seed, numbers in idle.items()
        for number in numbers
    ]
    for one in drawn(chosen, tmp_path):
        assert one.idle() == [], one.environment.environment_id


def test_an_idle_rule_and_a_leak_would_be_seen(tmp_path: Path) -> None:
    (one,) = drawn(plan_shard(4, 1, [family("access_review")]), tmp_path)
    name = next(iter(one.misread))
    assert replace(one, misread={name: one.right}).idle() == [name]
    path, text = max(one.due.items(), key=lambda pair: len(pair[1]))
    shown = {**one.environment.served, "notes.txt": File(text.encode())}
    seen = replace(one, environment=replace(one.environment, served=shown))
    assert path in seen.leaks()
