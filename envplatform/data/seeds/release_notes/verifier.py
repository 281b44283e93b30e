"""Grades the release notes against the history and the tracker that were served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from seedlib import Final, overlap, share

ORDER = ("breaking", "removed", "added", "fixed")
RECORD = re.compile(
    r"commit (?P<ref>\S+)\nmark (?P<mark>:\d+)\noriginal-oid (?P<id>\w+)"
)
TAG = re.compile(r"^tag (v[\d.]+)\n(?:mark .*\n)?from (:\d+)$", re.MULTILINE)


class Commit(NamedTuple):
    """One commit of the stream."""

    name: str
    message: str
    parents: list[str]
    """Their marks."""


class Wanted(NamedTuple):
    """What the notes should say."""

    since: str
    following: str
    entries: dict[tuple[str, int], set[str]]
    """Section and issue to commits."""
    titles: dict[int, str]


def wanted(final: Final) -> Wanted:
    """Work the notes out anew."""
    stream = final.held("tidemark.export") or ""
    commits = dict(_commits(stream))
    tags = dict(TAG.findall(stream))
    since = max(tags, key=lambda tag: [int(n) for n in tag[1:].split(".")])
    tip = re.findall(r"^commit refs/heads/main\nmark (:\d+)", stream, re.MULTILINE)[-1]
    released = _behind(commits, tags[since])
    picked = {
        name
        for mark in released
        for name in re.findall(r"picked from commit (\w+)", commits[mark].message)
    }
    newest = sorted(_behind(commits, tip) - released, key=lambda m: -int(m[1:]))
    fresh = [commits[mark] for mark in newest if len(commits[mark].parents) < 2]
    names = {one.name for one in fresh}
    by_name = {one.name: one for one in commits.values()}
    issues = _issues(final)
    void = set(picked)
    entries: dict[tuple[str, int], set[str]] = {}
    for one in fresh:
        back = re.search(r"^This reverts commit (\w+)\.", one.message, re.MULTILINE)
        if one.name in void:
            continue
        if back and back[1] in names:
            void.add(back[1])
            continue
        section = "removed" if back else _section(one.message)
        issue = _issue(by_name[back[1]] if back else one, issues)
        if section and issue:
            entries.setdefault((section, issue), set()).add(one.name)
    titles = {number: str(issue["title"]) for number, issue in issues.items()}
    return Wanted(since, _after(since, {name for name, _ in entries}), entries, titles)


def _commits(stream: str) -> Iterator[tuple[str, Commit]]:
    """Yield commits by mark, oldest first."""
    data = stream.encode()
    for found in RECORD.finditer(stream):
        at = len(stream[: found.end()].encode())
        start = data.index(b"\ndata ", at) + len(b"\ndata ")
        end = data.index(b"\n", start)
        stop = end + 1 + int(data[start:end])
        rest = data[stop : stop + 400].decode(errors="replace")
        parents = re.match(r"\n?((?:(?:from|merge) :\d+\n)*)", rest)
        marks = re.findall(r":\d+", parents[1]) if parents else []
        message = data[end + 1 : stop].decode()
        yield found["mark"], Commit(found["id"], message, marks)


def _behind(commits: dict[str, Commit], tip: str) -> set[str]:
    found: set[str] = set()
    todo = [tip]
    while todo:
        mark = todo.pop()
        if mark not in found:
            found.add(mark)
            todo += commits[mark].parents
    return found


def _section(message: str) -> str:
    head = message.partition(":")[0]
    if head.endswith("!") or "\n\nBREAKING CHANGE:" in message:
        return "breaking"
    kinds = {"feat": "added", "fix": "fixed", "perf": "fixed"}
    return kinds.get(head.partition("(")[0], "")


def _issues(final: Final) -> dict[int, dict[str, Any]]:
    routes = json.loads(final.held("tracker.json") or "[]")
    bodies = [route["body"] for route in routes]
    return {body["number"]: body for body in bodies if "number" in body}


def _issue(commit: Commit, issues: dict[int, dict[str, Any]]) -> int | None:
    named = re.findall(r"^(?:Closes|Refs) #(\d+)$", commit.message, re.MULTILINE)
    number = int(named[-1]) if named else 0
    while number and issues[number]["duplicate_of"]:
        number = issues[number]["duplicate_of"]
    is_open = number and "embargoed" not in issues[number]["labels"]
    return number if is_open else None


def _after(since: str, sections: set[str]) -> str:
    numbers = [int(n) for n in since[1:].split(".")]
    place = 0 if "breaking" in sections else 1 if sections & {"removed", "added"} else 2
    raised = [*numbers[:place], numbers[place] + 1, *([0] * (2 - place))]
    return "v" + ".".join(map(str, raised))


def _given(final: Final) -> dict[tuple[str, int], dict[str, Any]]:
    notes = final.json("release_notes.json")
    sections = notes["sections"] if isinstance(notes, dict) else {}
    return {(name, entry["issue"]): entry for name in ORDER for entry in sections[name]}


def changes(final: Final) -> float:
    """How far the entries are the right ones; in disorder, at most 0.9."""
    given = _given(final)
    sections = final.json("release_notes.json")["sections"]
    count = sum(len(sections[name]) for name in ORDER)
    due = sorted(wanted(final).entries, key=_place)
    score = overlap(set(given), set(due))
    in_order = list(given) == due and count == len(due)
    return score if in_order else min(score, 0.9)


def _place(key: tuple[str, int]) -> tuple[int, int]:
    return ORDER.index(key[0]), key[1]


def commits(final: Final) -> float:
    """How far the commits that entries name are the right ones."""
    due, given = wanted(final).entries, _given(final)
    mine = {(key, name) for key, entry in given.items() for name in entry["commits"]}
    return overlap(mine, {(key, name) for key, names in due.items() for name in names})


def titles(final: Final) -> float:
    """Share of due entries that have their issue's title, of all entries."""
    due, given = wanted(final), _given(final)
    right = sum(
        key in given and given[key]["title"] == due.titles[key[1]]
        for key in due.entries
    )
    return share(right, len(set(due.entries) | set(given)))


def versions(final: Final) -> float:
    """Half for each of both versions; nothing for notes without a right entry."""
    due, notes = wanted(final), final.json("release_notes.json")
    if not set(_given(final)) & set(due.entries):
        return 0.0
    right = [notes["since"] == due.since, notes["next"] == due.following]
    return sum(right) / 2


def page(final: Final) -> float:
    """How far the lines of the page are the due ones; in disorder, at most 0.9."""
    due = wanted(final)
    lines = [f"# Tidemark {due.following}"]
    for name in ORDER:
        entries = sorted(issue for section, issue in due.entries if section == name)
        lines += [f"## {name.capitalize()}"] if entries else []
        lines += [f"- {due.titles[issue]} (#{issue})" for issue in entries]
    text = final.text("RELEASE_NOTES.md") or ""
    given = [line.strip() for line in text.splitlines() if line.strip()]
    entries_due = {line for line in lines if line.startswith("-")}
    score = overlap({line for line in given if line.startswith("-")}, entries_due)
    return score if given == lines else min(score, 0.9)


CRITERIA = {
    "changes": changes,
    "commits": commits,
    "titles": titles,
    "versions": versions,
    "page": page,
}
