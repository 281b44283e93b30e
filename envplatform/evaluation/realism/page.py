"""Pages of a review, as HTML without scripts. All that is shown is of strangers: escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape as escaped

from envplatform.evaluation.realism.pairs import Pair
from envplatform.evaluation.realism.votes import Choice

_STYLE = (
    "body{font-family:sans-serif;margin:1.5em;max-width:1500px}"
    "pre{background:#f6f8fa;padding:.8em;overflow:auto;white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    ".two{display:grid;grid-template-columns:1fr 1fr;gap:1em}"
    ".added{background:#dafbe1}.removed{background:#ffebe9}"
    "button{font-size:1em;padding:.5em 1.5em;margin-right:1em}"
    "td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}"
)
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls but tab and line feed, what turns text around, and halves of characters."""
_QUESTION = (
    "Both edits put a bug into working code. One was made by a developer in earnest, the "
    "other one was not. Which is the developer's?"
)
_LABELS: dict[Choice, str] = {"left": "Left", "right": "Right", "unsure": "Can't tell"}


def shown(text: str) -> str:
    """Return text of whatever origin for a page: no mark-up, no control characters."""
    return escaped(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text))


def page(title: str, body: str) -> str:
    """Return a whole page; `body` is HTML, `title` a text."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{shown(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{shown(title)}</h1>{body}</body></html>"
    )


def start_page(reviewer: str, done: int, pairs: int) -> str:
    """Return the page that greets a reviewer."""
    return page(
        f"Review by {reviewer}",
        f'<form method="get" action="/review"><p><button>Go on</button> '
        f"{done} of {pairs} done</p></form>",
    )


def pair_page(pair: Pair, token: str, *, left_to_do: int) -> str:
    """Return the page of one question; which side is whose it does not tell."""
    buttons = "".join(
        f'<button name="choice" value="{value}">{label}</button>'
        for value, label in _LABELS.items()
    )
    return page(
        f"{left_to_do} to go",
        f"<p>{shown(_QUESTION)}</p>"
        f'<form method="post" action="/vote">'
        f'<input type="hidden" name="token" value="{shown(token)}">'
        f'<input type="hidden" name="pair" value="{shown(pair.pair_id)}">'
        f"{buttons}</form>"
        f'<div class="two"><div><h2>Left</h2>{patch(pair.left)}</div>'
        f"<div><h2>Right</h2>{patch(pair.right)}</div></div>",
    )


def done_page(reviewer: str) -> str:
    """Return the page that thanks."""
    return page(
        "Done", f"<p>All pairs have a vote of {shown(reviewer)}. Thank you.</p>"
    )


def patch(text: str) -> str:
    """Return a unified diff with its lines coloured."""
    return f"<pre>{''.join(map(_line, text.split(chr(10))))}</pre>"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML, so whoever fills them escapes."""
    head = "".join(f"<th>{shown(one)}</th>" for one in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _line(line: str) -> str:
    kind = ""
    if line.startswith("+") and not line.startswith("+++ "):
        kind = "added"
    elif line.startswith("-") and not line.startswith("--- "):
        kind = "removed"
    return f'<span class="{kind}">{shown(line)}</span>\n'
