"""The fixes that the rules were written from, apart from the hold-out.

`development_labels.json` holds 236 fixes that language models read one by one, under the
conventions of the hold-out and without sight of the classifier; `also` is a second type
that fits. Only ids and labels are kept: the files themselves come from the histories.

Of 215 fixes whose histories were at hand, the rules of revision 1 agreed with 51 %
(kappa 0.44; 65 % with either label), those of revision 2 with 62 % (kappa 0.55; 76 %).
The rules of revision 2 were written with these very fixes in sight, so that unseen ones
will agree less. Weights fitted to these labels agreed with 56 to 62 % on repositories
left out, by the method: no better than those set by hand, so none was fitted.

The measurement needs the shared data and, in `ENVPLATFORM_HISTORIES`, a folder of git
directories called `OWNER+NAME/repo`. Prints its table with `-s`.
"""

import hashlib
import json
from pathlib import Path

import pytest

from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType
from envplatform.swe.fixes.bug_types.agreement import confusion
from tests.swe.fixes.bug_types.labelled import DATA, HISTORIES, verdicts

LABELS: dict[str, dict[str, BugType]] = json.loads(
    Path(__file__).with_name("development_labels.json").read_text(encoding="utf-8")
)
LEAST = 0.55
"""Share of equal labels below which something broke; the measured one is above."""


def is_held_out(instance_id: str) -> bool:
    """Tell whether an instance was set aside for a blind labelling by others."""
    digest = hashlib.sha256(instance_id.encode()).hexdigest()
    return int(digest, 16) % 25 == 0


def test_no_rule_was_written_from_the_hold_out() -> None:
    assert not [one for one in LABELS if is_held_out(one)]


def test_every_label_is_a_bug_type() -> None:
    named = {label for labels in LABELS.values() for label in labels.values()}
    assert named <= set(BUG_TYPES)


@pytest.mark.shared
@pytest.mark.slow
def test_the_rules_agree_with_most_of_the_labels(tmp_path: Path) -> None:
    found = dict(verdicts(LABELS, tmp_path))
    if len(found) < 100:
        pytest.skip(f"{len(found)} labelled fixes are in {DATA} and {HISTORIES}")
    table = confusion((LABELS[one]["label"], label) for one, label in found.items())
    either = sum(label in LABELS[one].values() for one, label in found.items())
    print(table.markdown(), f"Equal to either: {either / len(found):.1%}")  # noqa: T201
    assert table.accuracy >= LEAST
