"""`[evaluation]` and `[realism]`: what is taken, and what is refused by name."""

import pytest

from envplatform.configuration import parse_configuration
from envplatform.errors import ConfigError


def test_tables_are_evaluations_of_experiments() -> None:
    text = """
        [evaluation.a]
        batches = ["x"]
        ks = [1, 4]
        [evaluation.a.compare]
        kind = "training"
        before = "x"
        after = "y"
        [realism]
        reviewers = ["one", "two", "three"]
    """
    parsed = parse_configuration(text, source="x.toml")
    found = parsed.evaluation.experiments["a"]
    assert (found.batches, found.ks) == (("x",), (1, 4))
    assert found.compare is not None
    assert found.compare.after == "y"
    assert len(parsed.realism.reviewers) == 3
    assert parse_configuration("", source="x").evaluation.experiments == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[evaluation]\nks = [1]", "no such key: ks; an evaluation is a table"),
        ("[evaluation.A]", "'A' must be of lower-case letters"),
        ("[evaluation.a]\nks = []", "evaluation.a.ks"),
        ("[evaluation.a]\nks = [0]", "evaluation.a.ks"),
        ("[evaluation.a]\nreward = 0.0", "evaluation.a.reward"),
        ("[evaluation.a]\nreward = nan", "evaluation.a.reward"),
        ("[evaluation.a]\ndraws = 3", "evaluation.a.draws"),
        (
            '[evaluation.a.compare]\nkind = "harness"\nbefore = "x"\nafter = "x"',
            "before and after are both 'x'",
        ),
        (
            '[evaluation.a.compare]\nkind = "size"\nbefore = "x"\nafter = "y"',
            "evaluation.a.compare.kind",
        ),
        ('[evaluation.a.compare]\nkind = "harness"\nbefore = "x"', "compare.after"),
        ('[realism]\nreviewers = ["a", "b"]', "a majority needs 3"),
        ('[realism]\nreviewers = ["a", "b", "A"]', "named twice"),
    ],
)
def test_what_can_not_be_is_named(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_configuration(text, source="x.toml")
    assert told in str(caught.value)
