"""Printing: anything becomes JSON, nothing hostile reaches a terminal."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from envplatform.cli.output import (
    answer,
    clear_errors,
    harmless,
    plain,
    print_json,
    say,
)
from envplatform.errors import StoreError

any_text = st.text(
    st.characters(exclude_categories=()), max_size=60
)  # lone surrogates and control characters, too
values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3)
    ),
    max_leaves=8,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A value with all that occurs."""

    path: Path
    mapping: MappingProxyType[str, tuple[int, ...]]


def test_a_value_of_values_becomes_plain() -> None:
    inner = Inner(path=Path("a/b"), mapping=MappingProxyType({"x": (1, 2)}))
    assert plain({"one": inner, "two": (inner, None)}) == {
        "one": {"path": "a/b", "mapping": {"x": [1, 2]}},
        "two": [{"path": "a/b", "mapping": {"x": [1, 2]}}, None],
    }


@given(value=values)
def test_whatever_is_printed_comes_back(value: object) -> None:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        print_json(value)
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue()) == value


@given(text=any_text)
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    out = io.StringIO()
    say(Console(file=out, force_terminal=True, width=20), text)
    shown = out.getvalue()
    assert not {each for each in shown if ord(each) < 32} - {"\n", "\t"}
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b]52;c;ZXZpbA==\x07", "\\x1b]52;c;ZXZpbA==\\x07"),
        ("[bold]x[/bold] [/nothing]", "[bold]x[/bold] [/nothing]"),
        ("\udce9", "\\udce9"),
        ("\u202egnp.exe", "\\x202egnp.exe"),
        ("naïve ✓", "naïve ✓"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    out = io.StringIO()
    say(Console(file=out), text)
    assert out.getvalue().expandtabs() == f"{shown}\n".expandtabs()
    assert harmless(text) == shown


def test_long_lines_stay_whole() -> None:
    """A path or an id that is cut in two can't be copied."""
    out = io.StringIO()
    say(Console(file=out, width=20), "x" * 100)
    assert out.getvalue() == "x" * 100 + "\n"


@pytest.mark.parametrize("error", [StoreError("lost"), PermissionError(13, "no", "f")])
def test_an_error_is_one_object_or_one_line(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    for as_json in (True, False):
        with pytest.raises(typer.Exit) as caught, clear_errors(as_json=as_json):
            raise error
        assert caught.value.exit_code == 1
        out, err = capsys.readouterr()
        name = type(error).__name__
        if as_json:
            assert json.loads(out) == {"error": name, "message": str(error)}
            assert err == ""
        else:
            assert out == ""
            assert err == f"{name} {error}\n"


def test_a_defect_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), clear_errors(as_json=True):
        raise ZeroDivisionError


def test_a_person_gets_a_picture_and_a_script_the_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer({"a": 1}, as_json=False, show=lambda console: console.print("drawn"))
    assert capsys.readouterr().out == "drawn\n"
    answer({"a": 1}, as_json=True, show=lambda console: console.print("drawn"))
    assert json.loads(capsys.readouterr().out) == {"a": 1}
