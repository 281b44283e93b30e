"""A draft as the text of a target.toml, each value with the reason beside it."""

import json
from collections.abc import Mapping

from envplatform.swe.targets.drafting.draft import Draft, Guess

_WIDTH = 88


def draft_text(draft: Draft, source: Mapping[str, str], *, directory: str = ".") -> str:
    """Return the file; `source` is the table `[source]`."""
    lines = ["# Guessed by `envplatform init target`: read it before you rely on it."]
    lines += [f"# Look at this: {_one_line(one)}" for one in draft.unknown]
    for key in ("name", "license", "python", "requirements"):
        lines += _entry(draft, key)
    if directory != ".":
        lines += [f"directory = {_quoted(directory)}"]
    lines += ["", "[source]"]
    lines += [f"{key} = {_quoted(value)}" for key, value in source.items()]
    for table in ("suite", "code", "package"):
        named = [g for g in draft.guesses if g.key.startswith(f"{table}.") and g.value]
        lines += ["", f"[{table}]"] if named else []
        for guess in named:
            lines += _entry(draft, guess.key)
    for group, points in draft.entry_points.items():
        lines += ["", f"[package.entry_points.{_quoted(group)}]"]
        lines += [f"{_quoted(key)} = {_quoted(text)}" for key, text in points.items()]
    return "\n".join(lines) + "\n"


def _entry(draft: Draft, key: str) -> list[str]:
    guess = next(guess for guess in draft.guesses if guess.key == key)
    return [f"# {_one_line(guess.reason)}", *_assignment(guess)]


def _assignment(guess: Guess) -> list[str]:
    name = guess.key.rpartition(".")[2]
    if isinstance(guess.value, str):
        return [f"{name} = {_quoted(guess.value)}"]
    quoted = [_quoted(item) for item in guess.value]
    line = f"{name} = [{', '.join(quoted)}]"
    if len(line) <= _WIDTH:
        return [line]
    return [f"{name} = [", *(f"  {item}," for item in quoted), "]"]


def _quoted(text: str) -> str:
    """A basic string of TOML, which is a JSON string but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    return " ".join(word for word in text.split() if word.isprintable())
