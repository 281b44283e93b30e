"""Which modules from beyond the repository can be imported ahead of all forks."""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

_ROUNDS = 6


def outside(root: str, own: frozenset[str], before: set[str]) -> list[str]:
    """Return the modules imported since, from beyond the repository, in order."""
    names: list[str] = []
    for name, module in list(sys.modules.items()):
        spec: Any = getattr(module, "__spec__", None)
        if name in before or name.partition(".")[0] in own:
            continue
        if type(module) is not ModuleType or getattr(spec, "name", None) != name:
            continue
        origin = getattr(spec, "origin", None) or ""
        if not str(Path(origin).absolute()).startswith(root):
            names.append(name)
    return names


def harmless(names: list[str], own: frozenset[str]) -> list[str]:
    """Return those that import without the repository and without a thread."""
    for _ in range(_ROUNDS):
        bad = _try_imports(names, own)
        if bad is None:
            return []
        if not bad:
            return names
        names = [name for name in names if name not in bad]
    return []


def has_own(own: frozenset[str]) -> bool:
    """Whether a module of one of these names is imported."""
    return any(name.partition(".")[0] in own for name in sys.modules)


def threads() -> int:
    """Count threads, those of C libraries included."""
    return max(
        threading.active_count(), sum(1 for _ in Path("/proc/self/task").iterdir())
    )


def read_all(fd: int) -> bytes:
    """Read a pipe to its end, and close it."""
    with os.fdopen(fd, "rb") as stream:
        return stream.read()


def _try_imports(names: list[str], own: frozenset[str]) -> set[str] | None:
    """Import `names` in a fork; return those that should not be, None: it broke."""
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(source)
            bad = _bad_imports(names, own)
            os.write(sink, json.dumps(bad).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(sink)
    said = read_all(source)
    os.waitpid(pid, 0)
    return set(json.loads(said)) if said.endswith(b"\n") else None


class _Gate:
    """A finder that turns away the repository's own modules, and notes who asked."""

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self.asked = False

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> None:
        if name.partition(".")[0] in self._own:
            self.asked = True
            raise ModuleNotFoundError(name)


def _bad_imports(names: list[str], own: frozenset[str]) -> list[str]:
    gate = _Gate(own)
    sys.meta_path.insert(0, gate)
    for place, name in enumerate(names):
        gate.asked = False
        try:
            importlib.import_module(name)
        except BaseException:  # noqa: BLE001  whatever it is: not here
            gate.asked = True
        if threads() > 1:
            # Not to be undone, and it hides what the rest would do.
            return [name, *(n for n in names[place + 1 :] if n.startswith(f"{name}."))]
        if gate.asked:
            return [name]
    return []
