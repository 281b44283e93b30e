"""envplatform.toml: defaults, and errors that name file, key and reason."""

from pathlib import Path

import pytest

from envplatform.configuration import (
    Configuration,
    home_folder,
    load_configuration,
    parse_configuration,
)
from envplatform.errors import ConfigError


def test_an_empty_file_is_the_default_configuration() -> None:
    """Every key has a default."""
    assert parse_configuration("", source="x.toml") == Configuration()


def test_arrays_become_tuples() -> None:
    """Values are frozen throughout."""
    parsed = parse_configuration('[targets]\nbuiltin = ["a__b"]', source="x.toml")
    assert parsed.targets.builtin == ("a__b",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('[sandbox]\nkind = "dcker"', ["x.toml", "sandbox.kind", "'dcker'", "docker"]),
        ("[sandbox]\nfoo = 1", ["sandbox.foo", "no such key"]),
        ("[sandbox]\nconcurrency = 0", ["sandbox.concurrency", "greater than 0"]),
        ('[rollouts]\nseconds = "9"', ["rollouts.seconds", "'9'"]),
        ("[rollouts]\nturn = 3", ["no such key: turn", "[rollouts.NAME]"]),
        ("[rollouts.Big]", ["'Big' must be of lower-case letters"]),
        ("[rollouts.a]\nturn = 3", ["rollouts.a.turn: no such key"]),
        (
            '[rollouts.a]\nperturbations = ["truncate"]',
            ["rollouts.a", "of the harness reference, not of tool_loop"],
        ),
        ("[selection]\nkeep = 0.7", ["no such key: keep", "[selection.NAME]"]),
        ("[selection.a.student]", ["selection.a.student.model"]),
        (
            '[selection.a.student]\nmodel = "m"\ndtype = "int8"',
            ["selection.a.student.dtype", "'int8'"],
        ),
        ("[training]\nsteps = 3", ["no such key: steps", "[training.NAME]"]),
        ('[training]\nrunner = "docker"', ["training", "needs the name of an `image`"]),
        (
            "[training.a.sft]\nbatch = 4\nmicro_batch = 3",
            ["training.a.sft", "micro_batch 3 must divide batch, 4"],
        ),
        ("[training.a]\ndropout = nan", ["training.a.dropout"]),
        ("[selection.a]\nkeep = 2.0", ["selection.a.keep", "less than or equal to 1"]),
        ("[synthesis]\nbaseline_runs = 2", ["synthesis.baseline_runs", "3"]),
        ("[synthesis]\ninducers = []", ["synthesis.inducers", "at least 1 item"]),
        (
            "[synthesis]\nbuggy_runs = 11",
            ["synthesis.fail_to_pass_repeats", "found 10", "buggy_runs, which is 11"],
        ),
        ("[sandbox\n", ["x.toml", "not valid TOML", "line 1"]),
        (
            '[synthesis]\ninducers = ["mutation", "llm_modify"]',
            ["synthesis.inducers: llm_modify asks a model", "base_url in [model]"],
        ),
        (
            '[synthesis]\nissue_writer = "llm"',
            ["synthesis.issue_writer", "asks a model", "[issue_model] or [model]"],
        ),
        (
            '[rollouts]\nuser_wording = "model"',
            ["rollouts.user_wording", "asks a model", "[user_model] or [model]"],
        ),
        ('[seeds]\npython = "3"', ["seeds.python", "'3'"]),
        (
            '[bug_models.a]\nshown_characters = 500\n[synthesis.sampling]\nexperiment = "a"',
            [
                "shown_characters is 9000",
                "[bug_models.a] are shown 500",
                "set it to 500",
            ],
        ),
        ("[synthesis]\nmodel_temperature = 3.0", ["model_temperature", "less than"]),
    ],
)
def test_a_wrong_key_is_named(text: str, parts: list[str]) -> None:
    """File, key, what stands there and why: all in one message."""
    with pytest.raises(ConfigError) as caught:
        parse_configuration(text, source="x.toml")
    for part in parts:
        assert part in str(caught.value)


def test_writers_may_have_a_model_of_their_own() -> None:
    """Whoever writes an issue must not solve it, so there is room for two models."""
    writes = '[synthesis]\nissue_writer = "llm"\n'
    one = parse_configuration(
        f'{writes}[model]\nkind = "openai"\nname = "a"', source="x"
    )
    assert one.issue_model_or_model.name == "a"
    two = parse_configuration(
        f'{writes}[issue_model]\nkind = "openai"\nname = "b"', source="x"
    )
    assert (two.issue_model_or_model.name, two.model.kind) == ("b", "embedded")
    parse_configuration(
        '[synthesis]\ninducers = ["llm_rewrite"]\n[model]\nkind = "openai"', source="x"
    )


def test_users_may_be_worded_by_a_model_of_their_own() -> None:
    """Who words a user need not be the policy; without a word of it, plans are said."""
    assert parse_configuration("", source="x").rollouts.user_wording == "template"
    said = '[rollouts]\nuser_wording = "model"\n[user_model]\nkind = "openai"\n'
    found = parse_configuration(f'{said}name = "c"', source="x")
    assert (found.user_model_or_model.name, found.model.kind) == ("c", "embedded")


def test_all_wrong_keys_are_named_at_once() -> None:
    """A user mends the file in one go."""
    with pytest.raises(ConfigError, match="2 wrong key"):
        parse_configuration("[sandbox]\nfoo = 1\nbar = 2", source="x.toml")


def test_a_key_pasted_into_the_file_is_refused_and_never_repeated() -> None:
    """The message goes to logs, so it must not carry the secret."""
    with pytest.raises(ConfigError, match="name of an environment variable") as caught:
        parse_configuration('[model]\napi_key_env = "sk-se-cret"', source="x.toml")
    assert "cret" not in str(caught.value)


def test_the_user_of_a_url_is_never_repeated() -> None:
    text = "[fixes]\nclone_url = 'https://me:secret@example.org/x.git'\n"
    with pytest.raises(
        ConfigError, match=r"fixes.clone_url: .*must hold .repository"
    ) as e:
        parse_configuration(text, source="f")
    assert "https://***@example.org/x.git" in str(e.value)
    assert "secret" not in str(e.value)


def test_a_missing_file_names_the_remedy(tmp_path: Path) -> None:
    """The first thing a newcomer meets."""
    with pytest.raises(ConfigError, match="envplatform init"):
        load_configuration(tmp_path / "envplatform.toml")


def test_paths_of_a_student_are_anchored_and_the_embedded_one_is_none(
    tmp_path: Path,
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text("""
        [selection.a.student]
        model = "models/m"
        template = "/elsewhere/t.jinja"
        [selection.b.student]
        model = "embedded"
        [selection.c]
    """)
    found = load_configuration(file).selection.experiments
    a, b = found["a"].student, found["b"].student
    assert a is not None
    assert b is not None
    assert (a.model, a.template) == (str(tmp_path / "models/m"), "/elsewhere/t.jinja")
    assert (b.model, b.template) == ("embedded", "")
    assert found["c"].student is None


def test_home_is_the_variable_or_lies_in_the_checkout(tmp_path: Path) -> None:
    """Scripts rely on ENVPLATFORM_HOME."""
    assert home_folder({}, checkout=tmp_path) == tmp_path / ".envplatform"
    other = tmp_path / "elsewhere"
    assert home_folder({"ENVPLATFORM_HOME": str(other)}, checkout=tmp_path) == other


def test_tables_below_a_section_are_batches_and_experiments() -> None:
    text = """
        [rollouts]
        turns = 3
        [rollouts.a]
        harness = "nop"
        [selection.b]
        metric = "reward"
    """
    parsed = parse_configuration(text, source="x.toml")
    assert parsed.rollouts.turns == 3
    assert parsed.rollouts.batches["a"].harness == "nop"
    assert parsed.selection.experiments["b"].direction == "higher"
