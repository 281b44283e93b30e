"""Instructions put together from clauses, so that two of one family read differently."""

import re
from collections.abc import Sequence

from envplatform.cowork.family import Brief

_WIDTH = 118
_ITEM = re.compile(r"(?:- |\d+\. |\| |#)")
"""How a line begins that is never drawn to the one before."""


def instruction(
    brief: Brief, task: str, *, points: Sequence[str], marks: Sequence[str] = ()
) -> str:
    """Return an instruction in the persona's voice.

    Args:
        brief: whose persona asks.
        task: what is wanted, one or two sentences, beginning in lower case.
        points: paragraphs or `- ` items that say what to deliver and how.
        marks: what is to be watched, clauses without a full stop; in a drawn order, the
            first of them pointed out as this persona does.
    """
    persona = brief.persona
    order = brief.chance.sample(list(marks), len(marks))
    parts = [persona.asks(task), *points]
    if order:
        rest = (f"{one[:1].upper()}{one[1:]}." for one in order[1:])
        parts.append(" ".join([persona.marks(order[0]), *rest]))
    if persona.close:
        parts.append(persona.close)
    return "\n\n".join(_wrapped(part) for part in _grouped(parts)) + "\n"


def filled(text: str) -> str:
    """Return a document with its paragraphs and list items filled anew.

    For documents put together from clauses of any length. Items begin with `- ` or a
    number; tables and headings stay as they are.
    """
    blocks = []
    for block in text.strip("\n").split("\n\n"):
        lines: list[str] = []
        for line in block.split("\n"):
            if lines and not _ITEM.match(line):
                lines[-1] += f" {line.strip()}"
            else:
                lines.append(line)
        is_table = block.startswith("|")
        blocks.append(block if is_table else _wrapped("\n".join(lines)))
    return "\n\n".join(blocks) + "\n"


def _grouped(parts: Sequence[str]) -> list[str]:
    """Put list items that follow one another into one paragraph."""
    found: list[str] = []
    for part in parts:
        if found and part.startswith("- ") and found[-1].startswith("- "):
            found[-1] += f"\n{part}"
        else:
            found.append(part)
    return found


def _wrapped(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        marker = re.match(r"- |\d+\. ", line)
        indent = " " * marker.end() if marker else ""
        current = ""
        for word in line.split(" "):
            if current and len(current) + 1 + len(word) > _WIDTH:
                lines.append(current)
                current = indent + word
            else:
                current = f"{current} {word}" if current else word
        lines.append(current)
    return "\n".join(lines)
