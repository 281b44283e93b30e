"""The embedded writer: sections of an issue, worded and ordered in several ways.

Only identifiers, fenced output and code spans come from outside; see `safe`. The
wording is chosen by a seeded generator, so that one bug always reads the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from envplatform.grading.shingles import tokens
from envplatform.swe.issue.examples import Example
from envplatform.swe.issue.facts import ApiDoc, IssueFacts
from envplatform.swe.issue.material import Material
from envplatform.swe.issue.safe import fenced, span
from envplatform.swe.issue.snippets import session
from envplatform.swe.issue.titles import exception_of, subject_of, title

MAX_MORE = 3
MAX_SENTENCE = 90
MAX_SENTENCE_TOKENS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Headings:
    """One house style of bug reports; `{}` stands for the heading."""

    mark: str
    what: str
    reproduce: str
    expected: str
    more: str
    environment: str
    order: tuple[str, ...]


_STYLES = (
    _Headings(
        mark="## {}",
        what="What happens",
        reproduce="Steps to reproduce",
        expected="What I expected",
        more="Other cases",
        environment="Environment",
        order=("what", "reproduce", "expected", "more", "environment"),
    ),
    _Headings(
        mark="**{}**",
        what="Describe the bug",
        reproduce="To reproduce",
        expected="Expected behavior",
        more="Additional context",
        environment="Versions",
        order=("environment", "what", "reproduce", "expected", "more"),
    ),
    _Headings(
        mark="### {}",
        what="Summary",
        reproduce="Minimal example",
        expected="Expected result",
        more="Also affected",
        environment="Setup",
        order=("what", "expected", "reproduce", "more", "environment"),
    ),
    _Headings(
        mark="",
        what="",
        reproduce="",
        expected="",
        more="",
        environment="",
        order=("what", "reproduce", "expected", "more", "environment"),
    ),
)


def render(material: Material, random: Random) -> str:
    """Write the issue: a title line, then sections."""
    style = random.choice(_STYLES)
    sections = {
        "what": (style.what, _what(material, random)),
        "reproduce": (style.reproduce, _reproduce(material, random)),
        "expected": (style.expected, _expected(material, random)),
        "more": (style.more, _more(material, random)),
        "environment": (style.environment, _environment(material.facts, style)),
    }
    parts = [f"# {title(material, random)}"]
    for key in style.order:
        heading, text = sections[key]
        if text:
            mark = style.mark.format(heading) if style.mark else ""
            parts.append(f"{mark}\n\n{text}" if mark else text)
    return "\n\n".join(parts) + "\n"


def _what(material: Material, random: Random) -> str:
    if not material.examples:
        return _without_example(material, random)
    example, subject = material.examples[0], subject_of(material)
    version = f" {material.facts.version}" if material.facts.version else ""
    opening = random.choice(
        (
            f"I ran into this with {material.facts.package}{version}.",
            f"This came up while using {subject}.",
            f"We noticed a problem with {subject}.",
            "",
        )
    )
    return " ".join(part for part in (opening, _statement(example, random)) if part)


def fits_sentence(example: Example) -> bool:
    """Tell whether the expression is short enough to be read in a sentence."""
    words = tokens(example.expression)
    return len(words) <= MAX_SENTENCE_TOKENS and len(example.expression) <= MAX_SENTENCE


def _call(example: Example) -> str:
    if fits_sentence(example):
        return span(example.expression)
    return "the last line of the example"


def _statement(example: Example, random: Random) -> str:
    call = _call(example)
    capital = call[:1].upper() + call[1:]
    if example.kind == "error":
        return random.choice(
            (
                f"{capital} raises {exception_of(example)}.",
                f"Evaluating {call} ends in {exception_of(example)}.",
            )
        )
    if example.kind == "raises":
        return f"{capital} runs through without {span(example.expected)}."
    if example.kind == "condition":
        return random.choice(
            (f"{capital} does not hold.", f"{capital} should be true, and is not.")
        )
    if example.actual:
        return random.choice(
            (
                f"{capital} evaluates to {span(example.actual)}.",
                f"The result of {call} is {span(example.actual)}.",
            )
        )
    return f"{capital} has the wrong value."


def _without_example(material: Material, random: Random) -> str:
    topic = material.topic or "a check of ours"
    opening = random.choice(
        (
            f"Something is off here: {topic} does not work.",
            f"We check this in our own code ({topic}), and it fails.",
        )
    )
    if material.subjects:
        opening += f" It uses {', '.join(map(span, material.subjects))}."
    blocks = [fenced(output, "text") for output in material.outputs]
    return "\n\n".join([opening, *(["This is the output:"] if blocks else []), *blocks])


def _reproduce(material: Material, random: Random) -> str:
    if not material.examples:
        return ""
    example = material.examples[0]
    statements = (*example.given, *example.steps, example.expression)
    code = fenced(session(statements, _result(example)), "pycon")
    fresh = "In a fresh interpreter:" if not example.fixtures else ""
    lead = random.choice(("", "The shortest way to see it:", fresh))
    details = ""
    if example.details:
        details = "The difference, from a check of ours:\n\n" + fenced(example.details)
    return "\n\n".join(
        part for part in (lead, code, _about_fixtures(example), details) if part
    )


def _about_fixtures(example: Example) -> str:
    names = " and ".join(map(span, example.fixtures))
    if not names:
        return ""
    verb, noun = ("are", "fixtures") if example.fixtures[1:] else ("is", "fixture")
    return f"({names} {verb} the {noun} of that name in the test suite.)"


def _result(example: Example) -> str:
    if example.kind == "error" and example.actual:
        return f"Traceback (most recent call last):\n  ...\n{example.actual}"
    shown = example.kind in {"value", "truth", "condition"} and example.actual != "None"
    return example.actual if shown else ""


def _expected(material: Material, random: Random) -> str:
    if not material.examples:
        return ""
    example = material.examples[0]
    sentence = _expectation(example, random)
    doc = _doc(material.facts.docs, example.subject)
    if doc is None:
        return sentence
    name = span(doc.name)
    quote = random.choice(
        (
            f"The documentation of {name} says: {span(doc.summary)}",
            f"From the docstring of {name}: {span(doc.summary)}",
        )
    )
    return f"{sentence}\n\n{quote}"


def _expectation(example: Example, random: Random) -> str:
    if example.kind == "value":
        value = span(example.expected)
        return random.choice(
            (f"It should be {value}.", f"I expected {value}.", f"Expected: {value}")
        )
    if example.kind == "truth":
        return f"The value should count as {example.expected.lower()}."
    if example.kind == "raises":
        error = span(example.expected)
        return random.choice((f"It should raise {error}.", f"Expected {error}."))
    if example.kind == "condition":
        return random.choice(("This should be `True`.", "I expected `True` here."))
    if example.expected:
        return f"The right exception here is {span(example.expected)}."
    return random.choice(("It should work without an error.", "No exception."))


def _doc(docs: Sequence[ApiDoc], subject: str) -> ApiDoc | None:
    """Find the documentation of a dotted name by its last two parts, then its last."""
    parts = subject.split(".")
    by_name = {doc.name: doc for doc in docs}
    return by_name.get(".".join(parts[-2:])) or by_name.get(parts[-1])


def _more(material: Material, random: Random) -> str:
    lines = [
        f"- {span(example.expression)}: {_brief(example)}"
        for example in material.examples[1 : 1 + MAX_MORE]
    ]
    left = len(material.facts.tests) - 1 - len(lines)
    note = ""
    if left > 0 and material.examples:
        note = random.choice(
            (
                "Other inputs are affected as well.",
                "This is not the only input that shows it.",
            )
        )
    return "\n\n".join(part for part in ("\n".join(lines), note) if part)


def _brief(example: Example) -> str:
    if example.kind == "error":
        return f"raises {exception_of(example)}"
    if example.kind == "raises":
        return f"no {span(example.expected)}"
    if example.kind == "condition":
        return "should be true"
    if example.kind == "truth":
        return f"{span(example.actual)}, should count as {example.expected.lower()}"
    got = span(example.actual) if example.actual else "something else"
    return f"{got}, should be {span(example.expected)}"


def _environment(facts: IssueFacts, style: _Headings) -> str:
    package = f"{facts.package} {facts.version}".strip()
    if style.mark:
        return f"- {package}\n- Python {facts.python}\n- Linux"
    return f"{package}, Python {facts.python}, Linux."
