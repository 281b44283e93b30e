"""Grades a change note against the papers and the code as they are in the end."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from seedlib import Final, parameters, rows_of

DRAWN = parameters()
HELD = DRAWN["held"]
KEYS = {"ticket", "severity", "line", "build", "files", "owners", "approval"}
_WRONG = "wrong"


class Papers:
    """What the note must say; `misread` names what is got wrong."""

    def __init__(self, final: Final, misread: str = "") -> None:
        self.final = final
        self.is_first = misread == "first"
        self.misread = misread
        store = sqlite3.connect(":memory:")
        store.executescript(final.held(HELD["tracker"]) or "")
        sql = "SELECT key, severity, merged_into FROM tickets"
        merged = {key: (level, into) for key, level, into in store.execute(sql)}
        self.ticket: str = DRAWN["ticket"]
        while not self.is_first and merged[self.ticket][1]:
            self.ticket = merged[self.ticket][1]
        self.severity: int = merged[self.ticket][0]

    @property
    def line(self) -> list[str]:
        """Name and next build of the line that takes the repair."""
        text = self.final.held(HELD["calendar"]) or ""
        lines = [one.split(",") for one in text.splitlines()[1:]]
        takes = {"open"}
        if self.is_first and DRAWN["change"] == "freeze":
            takes.add("frozen")
        if self.misread == "states":
            takes |= {"closed", "frozen", "planned"}
        lines = [one for one in lines if one[3] in takes]
        if DRAWN["order"] == "freeze":
            lines.sort(key=lambda one: one[2])
        return lines[0 if self.severity <= self.limit else -1][:2]

    @property
    def limit(self) -> int:
        """Up to which severity a repair is urgent."""
        text = self.final.held(HELD["policy"]) or ""
        digest = hashlib.sha256(text.encode()).hexdigest()
        is_old = self.is_first or digest == DRAWN["policy_digest"]
        return int(DRAWN["limits"][0 if is_old else 1])

    def owners(self, paths: list[str]) -> list[str]:
        """Return who owns some files."""
        rows = rows_of(self.final.held(HELD["owners"])) or []
        column = DRAWN["owners"]
        return sorted({self._owner(path, rows)[column] for path in paths})

    @staticmethod
    def _owner(path: str, rows: list[dict[str, str]]) -> dict[str, str]:
        best = rows[0]  # of all else
        for row in rows[1:]:
            if path.startswith(row["prefix"]) and len(row["prefix"]) > len(
                best["prefix"]
            ):
                best = row
        return best

    def note(self) -> dict[str, Any]:
        """Return the whole note."""
        name, build = self.line
        paths = changed(self.final)
        return {
            "ticket": self.ticket,
            "severity": DRAWN["words"][str(self.severity)],
            "line": name,
            "build": build,
            "files": paths,
            "owners": self.owners(paths),
            "approval": _WRONG if self.misread == "approval" else DRAWN["approval"],
        }


def changed(final: Final) -> list[str]:
    """Return files that the repository had, and that are not as they were."""
    return sorted(
        path
        for path, digest in DRAWN["files"].items()
        if _digest(final.workspace / path) != digest
    )


def _digest(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _given(final: Final) -> dict[str, Any]:
    """Return the note, if it has the keys that are wanted and no others."""
    given = final.json(DRAWN["note"])
    return given if isinstance(given, dict) and given.keys() == KEYS else {}


def ticket(final: Final) -> float:
    """Ticket and severity; half for the ticket alone."""
    given, papers = _given(final), Papers(final)
    if given.get("ticket") != papers.ticket:
        return 0.0
    is_right = given["severity"] == DRAWN["words"][str(papers.severity)]
    return 1.0 if is_right else 0.5


def release(final: Final) -> float:
    """Line and build, both."""
    given = _given(final)
    return float([given.get("line"), given.get("build")] == Papers(final).line)


def scope(final: Final) -> float:
    """Files and owners; half for the files alone. Without a change there is nothing."""
    given, due = _given(final), changed(final)
    files = given.get("files")
    if not due or not isinstance(files, list) or files != sorted(set(files)):
        return 0.0
    added = set(files) - set(due)
    new = {one for one in added if one not in DRAWN["files"] and _is_there(final, one)}
    if not set(due) <= set(files) or added != new:
        return 0.0
    return 1.0 if given["owners"] == Papers(final).owners(files) else 0.5


def _is_there(final: Final, path: str) -> bool:
    file = final.workspace / path
    is_inside = not Path(path).is_absolute() and ".." not in Path(path).parts
    is_other = is_inside and path != DRAWN["note"]
    return is_other and file.is_file() and not file.is_symlink()


def approval(final: Final) -> float:
    """The number that the user gave."""
    return float(_given(final).get("approval") == DRAWN["approval"])


CRITERIA = {
    "ticket": ticket,
    "release": release,
    "scope": scope,
    "approval": approval,
}


def _written(final: Final, misread: str) -> dict[str, str]:
    return {DRAWN["note"]: json.dumps(Papers(final, misread).note())}


MISREADINGS = {
    "the papers as they were first": lambda final: _written(final, "first"),
    "lines that take nothing count": lambda final: _written(final, "states"),
    "an approval that nobody gave": lambda final: _written(final, "approval"),
}
