"""Docstrings of a dataclass's fields, read from its source: the UI shows them.

Python keeps none for attributes. What is done with them is not known here.
"""

import ast
import inspect
import textwrap
from dataclasses import is_dataclass
from itertools import pairwise


def field_docstrings(row_type: type[object]) -> dict[str, str]:
    """Field to the string that follows it, on one line; without those that have none.

    Bases count too. Empty where there is no source, as for classes made by a program.
    """
    found: dict[str, str] = {}
    for each in reversed(row_type.__mro__):
        if is_dataclass(each):
            found.update(_own(each))
    return found


def _own(row_type: type[object]) -> dict[str, str]:
    try:
        source = inspect.getsource(row_type)
    except (OSError, TypeError):
        return {}
    (definition,) = ast.parse(textwrap.dedent(source)).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
