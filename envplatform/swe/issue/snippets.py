"""Code as an interpreter session: prompts, short lines, and the result below.

Prompts and breaks keep runs of a test's own words short: what is quoted shows how to
see the bug, and does not give the hidden test away.
"""

import io
import tokenize
from collections.abc import Sequence

from envplatform.grading.shingles import tokens
from envplatform.swe.issue.safe import clean

_TOKENS_A_LINE = 24
_TOKENS_TO_BREAK = 16


def session(statements: Sequence[str], result: str) -> str:
    """Print statements at the prompt, the last one's result below it."""
    lines: list[str] = []
    for statement in statements:
        first, *rest = broken(statement).split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest)]
        if "\n" in statement:
            lines.append("...")
    return "\n".join([*lines, *([clean(result)] if result else [])])


def broken(code: str) -> str:
    """Break a one-line statement after commas in brackets, every few tokens."""
    if "\n" in code or len(tokens(code)) <= _TOKENS_A_LINE:
        return code
    lines: list[str] = []
    start = 0
    for end in _commas(code):
        if len(tokens(code[start:])) <= _TOKENS_A_LINE:
            break
        if len(tokens(code[start:end])) >= _TOKENS_TO_BREAK:
            lines.append(code[start:end].strip())
            start = end
    lines.append(code[start:].strip())
    return "\n".join([lines[0], *(f"    {line}" for line in lines[1:] if line)])


def _commas(code: str) -> list[int]:
    """Offsets after the commas that stand in brackets."""
    depth, found = 0, []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            depth += (
                (token.string in "([{") - (token.string in ")]}")
                if (token.type == tokenize.OP)
                else 0
            )
            if token.type == tokenize.OP and token.string == "," and depth > 0:
                found.append(token.end[1])
    except (tokenize.TokenError, SyntaxError):
        return []
    return found
