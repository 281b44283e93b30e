"""The first line of an issue, and the names that its sentences use."""

import re
from random import Random

from envplatform.swe.issue.examples import Example
from envplatform.swe.issue.material import Material
from envplatform.swe.issue.safe import span

MAX_TITLE_CODE = 48

_NAME = re.compile(r"[A-Za-z_][\w.]*")


def exception_of(example: Example) -> str:
    """Name of the exception that came; words for it if it is no plain name."""
    name = example.actual.split(":", 1)[0]
    return span(name) if _NAME.fullmatch(name) else "an exception"


def subject_of(material: Material) -> str:
    """The public thing that the issue is about; the package if none is known."""
    if material.examples and material.examples[0].subject:
        return span(material.examples[0].subject)
    return material.facts.package


def title(material: Material, random: Random) -> str:
    """Word the title, without the mark of a heading."""
    subject = subject_of(material)
    if not material.examples:
        return _plain_title(material, random)
    example = material.examples[0]
    if example.kind == "value":
        return random.choice((*_concrete(example), *_wrong_value(subject)))
    if example.kind == "truth":
        return random.choice(_wrong_value(subject))
    if example.kind == "error":
        error = exception_of(example)
        return random.choice(
            (
                f"{subject} fails with {error}",
                f"{error} from {subject}",
                f"Unexpected {error} when calling {subject}",
            )
        )
    if example.kind == "raises":
        error = span(example.expected)
        return random.choice(
            (
                f"{subject} does not raise {error}",
                f"No {error} from {subject}",
                f"{subject} should raise {error}",
            )
        )
    return random.choice(
        (
            f"{subject} does not behave as expected",
            f"Unexpected behavior of {subject}",
            f"{subject} gives the wrong answer",
        )
    )


def _plain_title(material: Material, random: Random) -> str:
    package, topic = material.facts.package, material.topic
    if not topic:
        return f"Unexpected behavior of {package}"
    if material.error:
        error = span(material.error)
        return random.choice((f"{error} in {package}: {topic}", f"{topic}: {error}"))
    return random.choice((f"{package}: {topic} does not work", f"Problem with {topic}"))


def _concrete(example: Example) -> tuple[str, ...]:
    parts = (example.expression, example.actual, example.expected)
    if not all(parts) or any(len(part) > MAX_TITLE_CODE for part in parts):
        return ()
    call, actual, expected = map(span, parts)
    return (f"{call} gives {actual}, not {expected}", f"{call} returns {actual}")


def _wrong_value(subject: str) -> tuple[str, ...]:
    return (
        f"{subject} returns the wrong value",
        f"Wrong result from {subject}",
        f"Unexpected result of {subject}",
    )
