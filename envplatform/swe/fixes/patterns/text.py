"""`PatternText`, the six fields, and the one way to read them from a model's answer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

MAX_FIELD = 1_500
"""Characters of one field."""
MAX_ANSWER = 20_000
"""Characters of an answer that is looked at."""

PatternFault = Literal[
    "no_pattern",  # no JSON object of exactly these fields, each a text that may be shown
    "tells_a_bug",  # says what whoever carries it out is not to know
]

_SPANS = re.compile(r"`[^`\n]*`")
_TELLING = re.compile(
    r"\b(bugs?|buggy|defects?|defective|faults?|faulty|flaw(?:s|ed)?|broken|incorrect"
    r"(?:ly)?|wrong(?:ly)?|mistakes?|mistaken(?:ly)?|sabotag\w*|inject(?:s|ed|ion)?|"
    r"regressions?|vulnerabilit\w+|mutants?|mutations?|deliberate(?:ly)?|revert(?:s|ed)?)"
    r"\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"<\|[^|>\n]{1,40}\|>|</?(?:s|think|tool_call)>")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternText:
    """A change of code in words; each field is one paragraph, none is empty."""

    task_category: str
    """What kind of change it is."""
    target_location: str
    """File, function and statement."""
    current_behaviour: str
    exact_modification: str
    implementation_constraints: str
    expected_effect: str
    """What can be seen from outside afterwards."""


FIELDS: Sequence[tuple[str, str]] = (
    ("task_category", "Kind of change"),
    ("target_location", "Where"),
    ("current_behaviour", "What the code does now"),
    ("exact_modification", "What to change"),
    ("implementation_constraints", "Constraints"),
    ("expected_effect", "What will be seen"),
)
"""Names of the fields in order, and how they are headed where people read them."""


def _shown(text: str) -> str:
    """Return one paragraph.

    Raises:
        ValueError: empty, or with characters or marks that no change needs.
    """
    text = _BLANKS.sub(" ", text).strip()
    if not text:
        msg = "must not be empty"
        raise ValueError(msg)
    if not text.isprintable():
        msg = "holds characters that can't be shown"
        raise ValueError(msg)
    if _MARKS.search(text):
        msg = "holds marks of a chat template"
        raise ValueError(msg)
    return text


Said = Annotated[str, Field(max_length=MAX_FIELD), AfterValidator(_shown)]


class PatternAnswer(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    task_category: Said
    target_location: Said
    current_behaviour: Said
    exact_modification: Said
    implementation_constraints: Said
    expected_effect: Said

    @property
    def text(self) -> PatternText:
        """As a value."""
        return PatternText(**self.model_dump())


def read_pattern(answer: str) -> PatternText | PatternFault:
    """Read a JSON object, alone or in one fence; keys that stand twice are refused."""
    text = answer.strip()
    if len(text) > MAX_ANSWER:
        return "no_pattern"
    if text.startswith("```") and text.endswith("```"):
        text = text.removesuffix("```").partition("\n")[2]
    try:
        said = json.loads(text, object_pairs_hook=_once)
        found = PatternAnswer.model_validate(said).text
    except (ValueError, ValidationError, RecursionError):
        return "no_pattern"
    return "tells_a_bug" if telling_word(found) else found


def telling_word(text: PatternText) -> str:
    """Return the first word that says it is about a defect; code in backticks is none."""
    for name, _ in FIELDS:
        match = _TELLING.search(_SPANS.sub("", getattr(text, name)))
        if match:
            return match[0].lower()
    return ""


def written(text: PatternText) -> str:
    """Return the JSON that a pattern model learns to write: `read_pattern` reads it."""
    fields = {name: getattr(text, name) for name, _ in FIELDS}
    return json.dumps(fields, indent=0, ensure_ascii=False)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        msg = "a key stands twice"
        raise ValueError(msg)
    return found
