"""Writes the release notes through `ws`."""

from __future__ import annotations

import json
import re
from typing import Any

from seedlib import deliver, ws_json, ws_text

REPOSITORY, TRACKER = "code/tidemark", "tracker"
SECTIONS = ("breaking", "removed", "added", "fixed")
SEEN = {"feat": "added", "fix": "fixed", "perf": "fixed"}


def solve() -> None:
    """Follow the repository's own rules from the tags to the notes."""
    ws_text("read", REPOSITORY, version="main", key="docs/releasing.md")
    since = last_tag()
    released = messages(version=since)
    picks = re.findall(r"cherry picked from commit (\w+)", "\n".join(released.values()))
    fresh = messages(version="main", after=since)
    undone = cancelled(fresh)
    entries: dict[str, dict[int, set[str]]] = {name: {} for name in SECTIONS}
    for commit, message in fresh.items():
        if commit in undone or commit in picks:
            continue
        target = reverted(message)
        about = show(target)["message"] if target else message
        section, named = (
            section_of(message),
            re.findall(r"^\w+ #(\d+)$", about, re.MULTILINE),
        )
        if section and named:
            issue = meant(int(named[-1]))
            if issue:
                entries[section].setdefault(issue, set()).add(commit)
    notes = {
        "since": since,
        "next": following(since, entries),
        "sections": {
            name: [
                {"issue": n, "title": asked(n)["title"], "commits": sorted(commits)}
                for n, commits in sorted(found.items())
            ]
            for name, found in entries.items()
        },
    }
    deliver("release_notes.json", json.dumps(notes, indent=1))
    deliver("RELEASE_NOTES.md", markdown(notes))


def log(**given: str) -> list[dict[str, Any]]:
    """Return commits, newest first."""
    found = ws_json("act", REPOSITORY, "log", input=json.dumps(given))
    commits: list[dict[str, Any]] = found["commits"]
    return commits


def show(commit: str) -> dict[str, Any]:
    """Return one commit with its message."""
    given = json.dumps({"version": commit})
    found: dict[str, Any] = ws_json("act", REPOSITORY, "show", input=given)
    return found


def messages(**given: str) -> dict[str, str]:
    """Return the whole messages of plain commits, newest first."""
    plain = [one["commit"] for one in log(**given) if len(one["parents"]) < 2]
    return {commit: show(commit)["message"] for commit in plain}


def last_tag() -> str:
    """Return the tag with the highest version."""
    refs = [ref for one in log() for ref in one["refs"]]
    tags = [ref.removeprefix("refs/tags/") for ref in refs if "/tags/" in ref]
    return max(tags, key=parts)


def parts(tag: str) -> list[int]:
    """Return the numbers of a version."""
    return [int(part) for part in tag.removeprefix("v").split(".")]


def reverted(message: str) -> str:
    """Return the commit that a revert takes back; empty for other commits."""
    found = re.search(r"This reverts commit (\w{40})", message)
    return found[1] if found else ""


def cancelled(fresh: dict[str, str]) -> set[str]:
    """Return commits that were taken back since, and what took them back."""
    gone: set[str] = set()
    for commit, message in fresh.items():
        target = reverted(message)
        if target in fresh and commit not in gone:
            gone |= {commit, target}
    return gone


def section_of(message: str) -> str:
    """Return where a commit belongs; empty for nowhere."""
    if reverted(message):
        return "removed"
    head = re.match(r"(\w+)(\(.*?\))?(!?):", message)
    if head is None:
        return ""
    if head[3] or "\nBREAKING CHANGE:" in message:
        return "breaking"
    return SEEN.get(head[1], "")


def asked(issue: int) -> dict[str, Any]:
    """Ask the tracker."""
    body: dict[str, Any] = ws_json("call", TRACKER, "GET", f"/issues/{issue}")["body"]
    return body


def meant(issue: int) -> int | None:
    """Return the issue to name; None if it must not be named."""
    told = asked(issue)
    while told["duplicate_of"]:
        told = asked(told["duplicate_of"])
    return None if "embargoed" in told["labels"] else int(told["number"])


def following(since: str, entries: dict[str, dict[int, set[str]]]) -> str:
    """Return the next version."""
    major, minor, patch = parts(since)
    if entries["breaking"]:
        return f"v{major + 1}.0.0"
    if entries["removed"] or entries["added"]:
        return f"v{major}.{minor + 1}.0"
    return f"v{major}.{minor}.{patch + 1}"


def markdown(notes: dict[str, Any]) -> str:
    """Return the notes for people."""
    lines = [f"# Tidemark {notes['next']}"]
    for name, found in notes["sections"].items():
        if found:
            lines += ["", f"## {name.capitalize()}", ""]
        lines += [f"- {one['title']} (#{one['issue']})" for one in found]
    return "\n".join(lines) + "\n"
