"""The fixes that the rules were written from: labelled by hand, apart from the hold-out.

Only ids and labels are kept. The files themselves come from the histories.
"""

import hashlib
import json
from pathlib import Path

from envplatform.swe.fixes.bug_type import BUG_TYPES

LABELS: dict[str, str] = json.loads(
    Path(__file__).with_name("development_labels.json").read_text(encoding="utf-8")
)


def is_held_out(instance_id: str) -> bool:
    """Tell whether an instance was set aside for a blind labelling by others."""
    digest = hashlib.sha256(instance_id.encode()).hexdigest()
    return int(digest, 16) % 25 == 0


def test_no_rule_was_written_from_the_hold_out() -> None:
    assert not [one for one in LABELS if is_held_out(one)]


def test_every_label_is_a_bug_type() -> None:
    assert set(LABELS.values()) <= set(BUG_TYPES)
