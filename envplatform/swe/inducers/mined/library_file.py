"""Libraries of patterns as TOML: read strictly, written so that a person can edit them.

[[pattern]]
id = "boundary-inclusive"
level = "expression"
correct = "$a < len($b)"
defective = "$a <= len($b)"
bug_type = "boundary"
"""

from collections import Counter
from collections.abc import Iterator
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from envplatform.errors import ConfigError
from envplatform.swe.fixes.bug_type import BugType
from envplatform.swe.inducers.mined.pattern import (
    BugPattern,
    PatternLibrary,
    library_of,
    texts_of,
)
from envplatform.swe.inducers.mined.template import (
    MAX_TEXT,
    Level,
    TemplateError,
    read_template,
)
from envplatform.toml_file import parse_toml

MAX_PATTERNS = 20_000
"""Of one file."""
MAX_FILE = 16 * 2**20
"""Characters of one file."""

_Id = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=80)
]
_Side = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
_Text = Annotated[str, StringConstraints(max_length=4000)]
_Count = Annotated[int, Field(ge=0, lt=2**53)]


class _Pattern(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: _Id
    level: Level
    correct: _Side
    defective: _Side
    bug_type: BugType
    support: _Count = 0
    repositories: _Count = 0
    fixes: tuple[_Text, ...] = ()
    licences: tuple[_Text, ...] = ()
    example_correct: _Text = ""
    example_defective: _Text = ""
    note: _Text = ""
    may_break_names: bool = False


class _Library(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    pattern: Annotated[tuple[_Pattern, ...], Field(max_length=MAX_PATTERNS)] = ()


def default_library() -> PatternLibrary:
    """Return the patterns that ship with the package; we wrote all of them."""
    file = resources.files("envplatform") / "data" / "patterns" / "default.toml"
    return parse_library(file.read_text("utf-8"), source="patterns/default.toml")


def parse_library(text: str, *, source: str) -> PatternLibrary:
    """Read a library.

    Raises:
        ConfigError: names `source`, the key or pattern, and what is wrong.
    """
    if len(text) > MAX_FILE:
        msg = f"{source} is longer than {MAX_FILE} characters"
        raise ConfigError(msg)
    rows = parse_toml(_Library, text, source=source).pattern
    ids = Counter(row.id for row in rows)
    twice = [name for name, count in ids.items() if count > 1]
    if twice:
        msg = f"{source}: {ids[twice[0]]} patterns are called {twice[0]!r}; rename all but one"
        raise ConfigError(msg)
    return library_of([_pattern(row, source) for row in rows])


def print_library(library: PatternLibrary) -> str:
    """Write a library; reading it gives the same again. Empty fields are left out."""
    return "\n".join(_table(pattern) for pattern in library.patterns)


def _pattern(row: _Pattern, source: str) -> BugPattern:
    try:
        template = read_template(row.level, row.correct, row.defective)
    except TemplateError as error:
        msg = f"{source}: pattern {row.id!r}: {error}"
        raise ConfigError(msg) from error
    correct, defective = texts_of(template)
    return BugPattern(
        pattern_id=row.id,
        level=row.level,
        correct=correct,
        defective=defective,
        bug_type=row.bug_type,
        support=row.support,
        repositories=row.repositories,
        fix_ids=row.fixes,
        licences=row.licences,
        example_correct=row.example_correct,
        example_defective=row.example_defective,
        note=row.note,
        may_break_names=row.may_break_names,
    )


def _table(pattern: BugPattern) -> str:
    return "".join(f"{line}\n" for line in _lines(pattern))


def _lines(pattern: BugPattern) -> Iterator[str]:
    yield "[[pattern]]"
    yield f"id = {_quoted(pattern.pattern_id)}"
    yield f"level = {_quoted(pattern.level)}"
    yield f"correct = {_quoted(pattern.correct)}"
    yield f"defective = {_quoted(pattern.defective)}"
    yield f"bug_type = {_quoted(pattern.bug_type)}"
    for name in ("support", "repositories"):
        if getattr(pattern, name):
            yield f"{name} = {getattr(pattern, name)}"
    for name, texts in (("fixes", pattern.fix_ids), ("licences", pattern.licences)):
        if texts:
            yield f"{name} = [{', '.join(_quoted(text) for text in texts)}]"
    for name in ("example_correct", "example_defective", "note"):
        if getattr(pattern, name):
            yield f"{name} = {_quoted(getattr(pattern, name))}"
    if pattern.may_break_names:
        yield "may_break_names = true"


def _quoted(text: str) -> str:
    """Return a TOML string, over several lines where the text has them."""
    if "\n" not in text:
        return f'"{_escaped(text)}"'
    lines = "\n".join(_escaped(line) for line in text.split("\n"))
    return f'"""\n{lines}"""'


def _escaped(line: str) -> str:
    return "".join(_character(character) for character in line)


def _character(character: str) -> str:
    if character in {'"', "\\"}:
        return f"\\{character}"
    if "\ud800" <= character <= "\udfff":
        return "\\ufffd"  # half a character has no place in TOML
    if character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return character
