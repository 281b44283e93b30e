"""Make output of untrusted code harmless to show: to Markdown, terminals and readers.

Escape sequences, control, bidirectional and invisible characters go; paths of the
sandbox lose what is the sandbox's; length is capped. Output is then shown in fences or
code spans that it can't close, where neither HTML nor Markdown of its own has effect.
"""

import re
import unicodedata

MAX_LINES = 20
MAX_LINE_CHARACTERS = 160
MAX_SPAN_CHARACTERS = 200

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b\]|\x9d).*?(?:\x07|\x1b\\|\x9c|$)"  # OSC: titles, links
    r"|\x1b[PX^_].*?(?:\x1b\\|$)"  # strings to the terminal
    r"|\x1b."
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_CUT_ADDRESS = re.compile(r"\.\.\.[0-9a-f]{4,}>")
"""Of a representation whose middle pytest cut out."""
_OWN_FOLDER = re.compile(r"(?:/workspace|/opt/site|/tests)/")
_FOREIGN_FOLDER = re.compile(
    r"(?:/var)?/tmp/[\w./+-]*"
    r"|(?:/root|/home/[\w.-]+|/logs)/[\w./+-]*"
    r"|/usr/(?:local/)?lib/[\w./+-]*"
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    """Return plain lines, without what a terminal or a renderer would act upon."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = text.expandtabs(4)
    text = "".join(_visible(sign) for sign in text)
    text = _ADDRESS.sub("0x...", text)
    text = _CUT_ADDRESS.sub("...>", text)
    text = _OWN_FOLDER.sub("", text)
    return _FOREIGN_FOLDER.sub(lambda found: _last_part(found.group()), text)


def _visible(sign: str) -> str:
    if sign == "\n" or unicodedata.category(sign) not in _HIDDEN_CATEGORIES:
        return sign
    return "?"


def _last_part(path: str) -> str:
    return ".../" + path.rstrip("/").rsplit("/", 1)[-1]


def capped(text: str) -> str:
    """Cut long lines and surplus lines, and say so."""
    lines = [
        line if len(line) <= MAX_LINE_CHARACTERS else line[:MAX_LINE_CHARACTERS] + "..."
        for line in text.strip("\n").split("\n")
    ]
    if len(lines) > MAX_LINES:
        left = len(lines) - MAX_LINES
        lines = [*lines[:MAX_LINES], f"... ({left} more lines)"]
    return "\n".join(line.rstrip() for line in lines)


def fenced(text: str, language: str = "") -> str:
    """Show lines in a fence that they can't close."""
    body = capped(clean(text))
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def span(text: str) -> str:
    """Show one line as a code span that it can't close."""
    body = " ".join(clean(text).split())
    if len(body) > MAX_SPAN_CHARACTERS:
        body = body[:MAX_SPAN_CHARACTERS] + "..."
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if body[:1] == "`" or body[-1:] == "`" or not body else ""
    return f"{ticks}{pad}{body}{pad}{ticks}"
