"""Compiled code, kept by path and content, so that no fork compiles what another did.

The same bytes at the same path always compile to the same code. A file that a
candidate changed has other bytes and is compiled anew.
"""

# ruff: noqa: ANN401  the import system's and pytest's own functions

from __future__ import annotations

import hashlib
import importlib.machinery
import marshal
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

_PLAIN, _TEST = 0, 1
Key = tuple[int, str, bytes]


def _unsaid(_hook: object, _name: str) -> None:
    """Stand in for a warning."""


class Codes:
    """A cache that the import system and pytest's rewriting are made to ask."""

    def __init__(self) -> None:
        self._known: dict[Key, CodeType] = {}
        self._new: dict[Key, CodeType] = {}
        self.is_learning = False

    def install(self) -> None:
        """Put the cache before both compilers. A pytest without its hook goes on alone."""
        loader = importlib.machinery.SourceFileLoader
        compile_source = loader.source_to_code

        def source_to_code(
            self: Any, data: Any, path: Any, *more: Any, **options: Any
        ) -> Any:
            def make() -> Any:
                return compile_source(self, data, path, *more, **options)

            is_plain = isinstance(data, bytes) and not more and not options
            return ask(_PLAIN, os.fsdecode(path), data, make) if is_plain else make()

        ask = self._ask
        loader.source_to_code = source_to_code  # type: ignore[method-assign]
        self._install_in_pytest()

    def _install_in_pytest(self) -> None:
        from _pytest.assertion import rewrite  # noqa: PLC0415  after pytest

        rewrite_test: Any = getattr(rewrite, "_rewrite_test", None)
        if rewrite_test is None:
            return
        ask = self._ask

        def rewritten(fn: Any, config: Any) -> Any:
            info = Path(fn).stat()
            data = Path(fn).read_bytes()
            code = ask(_TEST, str(fn), data, lambda: rewrite_test(fn, config)[1])
            return info, code

        rewrite._rewrite_test = rewritten  # noqa: SLF001  there is no public way
        hook: Any = rewrite.AssertionRewritingHook
        if hasattr(hook, "_warn_already_imported"):
            # Warm plugins are in fact imported already: a strict suite ends over that.
            hook._warn_already_imported = _unsaid  # noqa: SLF001

    def _ask(
        self, kind: int, path: str, data: bytes, make: Callable[[], CodeType]
    ) -> CodeType:
        key = _key(kind, path, data)
        code = self._known.get(key)
        if code is None:
            code = make()
            if self.is_learning:
                self._new[key] = code
        return code

    def compile(self, path: str, data: bytes) -> None:
        """Compile a file as its import is going to ask for it."""
        code = compile(data, path, "exec", dont_inherit=True)
        self._known[_key(_PLAIN, path, data)] = code

    def learned(self) -> bytes:
        """Return what was compiled since learning began, for `absorb`."""
        return marshal.dumps(list(self._new.items()))

    def absorb(self, learned: bytes) -> None:
        """Take over what a fork compiled."""
        for key, code in marshal.loads(learned):  # noqa: S302  our own fork's
            self._known[key] = code


def _key(kind: int, path: str, data: bytes) -> Key:
    return kind, path, hashlib.sha256(data).digest()
