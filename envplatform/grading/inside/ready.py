"""A verifier made ready without being run: what it imports loaded, its code compiled.

What takes longest at the start of a verifier, done once for all states. Code of others
is parsed here, and run by children only.
"""

from __future__ import annotations

import ast
import gc
import importlib
import sys
import types
from collections.abc import Mapping
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

from envplatform.grading.inside.held import TESTS

Codes = Mapping[str, types.CodeType]
"""By the name of their module."""
OWN = frozenset({"grade", "seedlib"})
HARMLESS = frozenset(
    (
        *("bisect", "calendar", "collections", "copy", "csv", "dataclasses"),
        *("datetime", "decimal", "difflib", "enum", "fractions", "functools"),
        *("hashlib", "io", "itertools", "json", "math", "operator", "re"),
        *("sqlite3", "statistics", "string", "textwrap", "typing", "unicodedata"),
    )
)
"""Of the standard library; loaded once for all, they remember nothing."""


def prepared() -> Codes:
    """Load what the platform itself put beside the verifier; compile the rest."""
    sys.path.insert(0, TESTS)
    importlib.import_module("seedlib")
    sys.path.remove(TESTS)
    codes = {}
    for path in sorted(Path(TESTS).glob("*.py")):
        if path.stem in OWN:
            continue
        try:
            tree = ast.parse(path.read_bytes())
            codes[path.stem] = compile(path.read_bytes(), str(path), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for name in HARMLESS.intersection(_imported(tree)):
            importlib.import_module(name)
    gc.freeze()
    return codes


def _imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    return found


class Compiled(SourceFileLoader):
    """Loads a module of /tests whose code is at hand."""

    def __init__(self, name: str, code: types.CodeType) -> None:
        super().__init__(name, f"{TESTS}/{name}.py")
        self._code = code

    def get_code(self, fullname: str) -> types.CodeType:
        """Return it."""
        del fullname
        return self._code


class Ready(MetaPathFinder):
    """Finds modules whose code is at hand."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> ModuleSpec | None:
        """See the base class."""
        del path, target
        if fullname not in self._codes:
            return None
        loader = Compiled(fullname, self._codes[fullname])
        return spec_from_file_location(fullname, loader.path, loader=loader)
