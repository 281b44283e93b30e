"""The package mini-swe-agent as files, fetched once and then kept.

Wheels are unpacked and nothing in them is run here. Only what the agent itself imports
comes along: pins of all of it, so that every rollout has the same agent.
"""

import threading
from pathlib import Path

from envplatform.sandbox.images import build_image
from envplatform.tree import File, Tree

VERSION = "2.4.6"
PINS = (
    f"mini-swe-agent=={VERSION}",
    "annotated-types==0.8.0",
    "jinja2==3.1.6",
    "markdown-it-py==4.3.0",
    "markupsafe==3.0.4",
    "mdurl==0.1.2",
    "platformdirs==4.14.9",
    "pydantic==2.14.4",
    "pydantic-core==2.50.5",
    "pygments==2.21.0",
    "python-dotenv==1.2.4",
    "pyyaml==6.0.4",
    "rich==15.0.0",
    "typing-extensions==4.16.0",
    "typing-inspection==0.4.5",
)
OLDEST_PYTHON = (3, 10)
"""That the package runs on."""
_LEXERS = "pygments/lexers/"
_KEPT = frozenset({"__init__.py", "_mapping.py", "python.py"})


class MiniPackage:
    """The package, by Python's minor version."""

    def __init__(self, cache: Path) -> None:
        """`cache`: of images, where wheels are kept."""
        self._cache = cache
        self._lock = threading.Lock()
        self._known: dict[str, Tree] = {}

    def tree(self, python: str) -> Tree:
        """Return its files, from the cache or the package index.

        Raises:
            TargetError: the index has it not, or does not answer.
            SandboxUnavailableError: Python of that version is not on this machine.
        """
        with self._lock:
            if python not in self._known:
                image = build_image(
                    "mini-swe-agent", python, PINS, self._cache, alone=True
                )
                self._known[python] = _files(image.site) if image.site else {}
            return self._known[python]


def _files(site: Path) -> Tree:
    paths = (path for path in sorted(site.rglob("*")) if path.is_file())
    named = ((path.relative_to(site).as_posix(), path) for path in paths)
    return {name: File(path.read_bytes()) for name, path in named if _is_used(name)}


def _is_used(name: str) -> bool:
    """Leave out a colouring of source texts in five hundred languages."""
    if name.startswith(_LEXERS):
        return name.removeprefix(_LEXERS) in _KEPT
    return True
