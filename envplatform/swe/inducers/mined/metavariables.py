"""Metavariables: `$a`, `$name1`. How they are written, and how Python can parse them.

In a syntax tree a metavariable is a name with a prefix that no pattern may use itself.
Strings are left alone both ways: a dollar inside of quotes is a dollar.

    $a ... $z        any expression
    $name1, ...      a plain name
    $attr1, ...      the name of an attribute, `$a.$attr1`
    $num1, ...       a number that is not a truth value
    $str1, ...       a text
    $args            any run of positional arguments of a call, empty ones too
    $kwargs          any run of keyword arguments of a call, written `**$kwargs`
    $body1, ...      one or more statements; alone on its line
    $other1, ...     defective side only: another variable of the same function
"""

import ast
import re
from typing import Literal, cast, get_args

Kind = Literal["expr", "name", "attr", "num", "str", "args", "kwargs", "body", "other"]

_PREFIX = "__dollar_"
_WORDS = "|".join(kind for kind in get_args(Kind) if kind != "expr")
_NAME = re.compile(rf"(?:[a-z]|(?:{_WORDS})(?:[1-9][0-9]?)?)")
_TEXT = r"\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
_SHORT = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_WRITTEN = re.compile(rf"{_TEXT}|{_SHORT}|(\$[A-Za-z0-9_]*)", re.DOTALL)
_PARSED = re.compile(rf"{_TEXT}|{_SHORT}|\b{_PREFIX}(\w+)", re.DOTALL)


def identifier_of(name: str) -> str:
    """Return the identifier that stands for the metavariable `name`, as `a`."""
    return _PREFIX + name


def name_of(identifier: object) -> str | None:
    """Return the metavariable that an identifier stands for; None if for none."""
    if isinstance(identifier, str) and identifier.startswith(_PREFIX):
        return identifier[len(_PREFIX) :]
    return None


def metavariable(node: object) -> str | None:
    """Return the name of the metavariable that a node is; None if it is none.

    A `$body` is the statement, a `**$kwargs` the keyword.
    """
    match node:
        case ast.Name(id=identifier):
            return name_of(identifier)
        case ast.Expr(value=ast.Name(id=identifier)):
            name = name_of(identifier)
            return name if name and kind_of(name) == "body" else None
        case ast.keyword(arg=None, value=ast.Name(id=identifier)):
            name = name_of(identifier)
            return name if name and kind_of(name) == "kwargs" else None
    return None


def kind_of(name: str) -> Kind:
    """Return what a metavariable stands for."""
    word = name.rstrip("0123456789")
    return cast("Kind", word) if len(word) > 1 else "expr"


def is_reserved(text: str) -> bool:
    """Tell whether a text holds the prefix that only metavariables may have."""
    return _PREFIX in text


def to_python(text: str) -> str:
    """Turn `$a` into an identifier.

    Raises:
        ValueError: a dollar without a name that is known, or a reserved name.
    """
    if is_reserved(text):
        msg = f"{_PREFIX} may not be used"
        raise ValueError(msg)

    def turn(match: re.Match[str]) -> str:
        written = match.group(1)
        if written is None:
            return match.group()
        if not _NAME.fullmatch(written[1:]):
            msg = f"{written} is no metavariable"
            raise ValueError(msg)
        return identifier_of(written[1:])

    return _WRITTEN.sub(turn, text)


def to_text(code: str) -> str:
    """Turn identifiers of metavariables back into `$a`."""

    def turn(match: re.Match[str]) -> str:
        return f"${match.group(1)}" if match.group(1) else match.group()

    return _PARSED.sub(turn, code)
