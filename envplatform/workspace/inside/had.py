"""What the root of this task showed, had again by public requests and laid down as files.

They lie below /tmp/recovered as the root's broker held them; `relay.py` answers the
root's names from there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), "/run/ws/lib"]

from recovery import Ask, Recovery  # noqa: E402  the folder must be on the path first

HELD = Path("/tmp/recovered")  # noqa: S108  in the oracle's own sandbox


class Trail:
    """The way back."""

    def __init__(self) -> None:
        said = json.loads((HERE / "recovery.json").read_text())
        self.entries: Mapping[str, Any] = said["entries"]
        self.root: Mapping[str, Any] = said["root"]
        self.made: frozenset[str] = frozenset(said["made"])
        self.lazy: bool = said["lazy"]
        """Whether a name is had when it is first asked for, since a user looks on."""
        self._live = frozenset(said["live"])
        """Names that are had anew each time: a user changes them, or waits for it."""
        self._locations = {
            one["name"]: one["location"] for one in self.root["resources"]
        }

    def have(self, view: Mapping[str, Any], ask: Ask) -> None:
        """Lay down what one of the root's views showed, unless it is there for good."""
        place = HELD / self._locations[view["source"]]
        if place.exists() and view["name"] not in self._live:
            return
        content = Recovery(self.entries, ask).get(view["name"])
        if view["kind"] == "folder":
            _lay_down_folder(place, json.loads(content))
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def _lay_down_folder(place: Path, files: Mapping[str, str]) -> None:
    """Write the files of a folder, and take away what is there no more."""
    place.mkdir(parents=True, exist_ok=True)
    for old in [one for one in place.rglob("*") if one.is_file()]:
        if old.relative_to(place).as_posix() not in files:
            old.unlink()
    for path, text in files.items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
