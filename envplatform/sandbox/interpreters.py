"""Find the Python interpreter of a minor version on this machine.

Asks interpreters that are installed; installs none.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from envplatform.errors import SandboxUnavailableError

_QUESTION = """
import json, site, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "prefix": sys.base_prefix,
    "packages": site.getsitepackages([sys.base_prefix]),
    "shared": bool(sysconfig.get_config_var("Py_ENABLE_SHARED")),
}))
"""
_ANSWER_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """One installed CPython, as it describes itself."""

    version: str
    """Minor version, `3.11`."""
    prefix: Path
    """Its `sys.base_prefix`; `bin/python3.11` lies in it."""
    packages: tuple[str, ...]
    """Folders of third-party packages, relative to `prefix`; hidden in sandboxes."""
    shared: bool
    """Whether it needs `lib/libpython3.11.so` of its prefix."""

    @property
    def executable(self) -> Path:
        """The interpreter itself."""
        return self.prefix / "bin" / f"python{self.version}"


@cache
def find_interpreter(version: str) -> Interpreter:
    """Return an interpreter of the minor `version`.

    Looks at the running one, then `pythonX.Y` on PATH, then pyenv's versions.

    Raises:
        SandboxUnavailableError: none is installed; names how to install it.
    """
    for executable in _candidates(version):
        found = _ask(executable)
        if found is not None and found.version == version:
            return found
    msg = (
        f"Python {version} is not on this machine: install python{version} "
        f"(apt-get install python{version}, or pyenv install {version})"
    )
    raise SandboxUnavailableError(msg)


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    yield Path(sys.base_prefix, "bin", name)
    on_path = shutil.which(name)
    if on_path is not None:
        yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = pyenv.glob(f"versions/{version}.*/bin/{name}")
    yield from sorted(found, key=patch_level, reverse=True)


def patch_level(executable: Path) -> tuple[int, str]:
    """Order 3.11.10 after 3.11.9, and 3.13.0rc1 before both."""
    version = executable.parent.parent.name
    last = version.rpartition(".")[2]
    return (int(last) if last.isdigit() else -1, version)


def _ask(executable: Path) -> Interpreter | None:
    if not executable.is_file():
        return None
    try:
        answer = subprocess.run(
            [executable, "-I", "-c", _QUESTION],
            check=True,
            capture_output=True,
            timeout=_ANSWER_S,
        )
        facts = json.loads(answer.stdout)
        prefix = Path(facts["prefix"])
        return Interpreter(
            version=facts["version"],
            prefix=prefix,
            packages=tuple(
                Path(folder).relative_to(prefix).as_posix()
                for folder in facts["packages"]
                if Path(folder).is_relative_to(prefix)
            ),
            shared=facts["shared"],
        )
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return None  # a shim without a version behind it, or a broken install
