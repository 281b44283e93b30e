"""Judges the packages through `ws`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any, NamedTuple

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

FACETS = parameters()["facets"]
RANKS = ("permissive", "weak", "strong")
Row = dict[str, str]


class Policy(NamedTuple):
    """What the policy says."""

    classes: dict[str, str]
    spellings: dict[str, str]
    exceptions: list[list[str]]
    text: str


class Judged(NamedTuple):
    """One package with its verdict."""

    package: Row
    licence: str
    kind: str
    verdict: str
    why: str


def solve() -> None:
    """Read, judge, write."""
    policy = read_policy()
    packages = read_lock()
    files = [one["name"] for one in ws_json("list", FACETS["texts"] + "/")["names"]]
    first = {
        name.rpartition("/")[2].removesuffix(".txt"): ws_text("read", name).split("\n")[
            0
        ]
        for name in files
    }
    found = [judge(one, first, policy) for one in packages]
    found.sort(key=lambda one: one.package["name"])
    deliver("verdicts.csv", table(found))
    deliver("NOTICE", notice(found))
    unknown: Any = {
        one.package["name"]: one.why for one in found if one.verdict == "unknown"
    }
    if FACETS["unknown"] == "list":
        unknown = sorted(unknown)
    deliver("unknown.json", json.dumps(unknown, indent=1))
    extra(found)


def read_policy() -> Policy:
    """Return tables and rules."""
    name = ws_json("list", "docs/")["names"][0]["name"]
    text = ws_text("read", name)
    tables: dict[str, list[list[str]]] = defaultdict(list)
    head = ""
    for line in text.splitlines():
        cells = line.strip("| ").split(" | ")
        if not line.startswith("|"):
            head = ""
        elif not head:
            head = cells[0]
        elif not cells[0].startswith("---"):
            tables[head].append(cells)
    return Policy(
        dict(tables["licence"]),
        dict(tables["declared"]),
        tables["package"],
        " ".join(text.split()),
    )


def read_lock() -> list[Row]:
    """Return the packages."""
    text = ws_text("read", parameters()["lock"])
    if FACETS["lock"] == "csv":
        return list(rows_of(text) or [])
    if FACETS["lock"] == "json":
        return list(json.loads(text)["packages"])
    blocks = text.split("[[package]]")[1:]
    return [
        {"licence": "", **dict(re.findall(r'^(\w+) = "(.*)"$', block, re.MULTILINE))}
        for block in blocks
    ]


def judge(package: Row, first: dict[str, str], policy: Policy) -> Judged:
    """Return the verdict on one package."""
    declared = package["licence"]
    if declared == "SEE FILE":
        declared = first.get(package["name"], "")
        if not declared:
            return Judged(package, "", "unknown", "unknown", "no_file")
    if not declared:
        return Judged(package, "", "unknown", "unknown", "undeclared")
    licence = policy.spellings.get(declared, declared)
    if any(part not in policy.classes for part in re.split(r" OR | AND ", licence)):
        return Judged(package, licence, "unknown", "unknown", "not_in_policy")
    kind, verdict = weighed(licence, package, policy)
    if package["scope"] == "dev":
        verdict = unshipped(verdict, policy.text)
    if verdict in {"deny", "review"} and is_excepted(package, policy):
        verdict = "excepted"
    return Judged(package, licence, kind, verdict, "")


def unshipped(verdict: str, text: str) -> str:
    """Return what a verdict comes to for a package that is not shipped."""
    if "whatever their class is, they are `allow`" in text:
        return "allow"
    is_softer = "they are `review`" in text and verdict == "deny"
    return "review" if is_softer else verdict


def weighed(licence: str, package: Row, policy: Policy) -> tuple[str, str]:
    """Return the class that counts of an expression, and what it comes to."""
    kinds = [policy.classes[part] for part in re.split(r" OR | AND ", licence)]
    kind = max(kinds, key=RANKS.index)
    if " OR " in licence:
        if "the one with the best class" in policy.text:
            kind = min(kinds, key=RANKS.index)
        elif "named first counts" in policy.text:
            kind = kinds[0]
        elif kind != "permissive":
            return kind, "review"
    return kind, verdict_of(kind, package, policy.text)


def verdict_of(kind: str, package: Row, text: str) -> str:
    """Return what a class comes to."""
    if kind == "permissive":
        return "allow"
    if kind == "strong":
        return "deny"
    if "Weak copyleft goes to Legal" in text:
        return "review"
    if "however it is linked" in text:
        return "allow"
    return "allow" if package["linked"] == "dynamic" else "deny"


def is_excepted(package: Row, policy: Policy) -> bool:
    """Return whether an exception is for this package and version."""
    for name, version, _ in policy.exceptions:
        if name != package["name"]:
            continue
        if "in whatever version" in policy.text or version == package["version"]:
            return True
        same = version.split(".")[0] == package["version"].split(".")[0]
        if "the same first number" in policy.text and same:
            return True
    return False


def table(found: list[Judged]) -> str:
    """Return the verdicts."""
    rows = [one for one in found if FACETS["listed"] == "all" or one.verdict != "allow"]
    if FACETS["order"] != "package":
        rows.sort(key=lambda one: getattr(one, FACETS["order"]))
    columns = {
        "class": ["package", "version", "licence", "class", "verdict"],
        "plain": ["package", "licence", "verdict"],
        "scope": ["package", "version", "scope", "licence", "verdict"],
    }[FACETS["columns"]]
    lines = [",".join(columns)]
    for one in rows:
        cells = {**one.package, "package": one.package["name"], "class": one.kind}
        cells |= {"licence": one.licence, "verdict": one.verdict}
        lines.append(",".join(cells[name] for name in columns))
    return "\n".join([*lines, ""])


def notice(found: list[Judged]) -> str:
    """Return the notice file."""
    shipped = [
        one
        for one in found
        if one.package["scope"] == "runtime" and one.verdict in {"allow", "excepted"}
    ]
    if FACETS["notice"] == "lines":
        return "".join(
            f"{one.package['name']} {one.package['version']} ({one.licence})\n"
            for one in shipped
        )
    groups: dict[str, str] = defaultdict(str)
    for one in shipped:
        groups[one.licence] += f"- {one.package['name']} {one.package['version']}\n"
    return "".join(f"{licence}:\n{groups[licence]}" for licence in sorted(groups))


def extra(found: list[Judged]) -> None:
    """Write what is wanted besides."""
    if FACETS["extra"] == "counts":
        counts: dict[str, dict[str, int]] = {}
        for one in found:
            mine = counts.setdefault(one.verdict, {"runtime": 0, "dev": 0})
            mine[one.package["scope"]] += 1
        deliver("counts.json", json.dumps(counts, indent=1))
    if FACETS["extra"] == "paths":
        via = {one.package["name"]: one.package["via"] for one in found}
        lines = ["package,direct"]
        for one in found:
            if one.verdict == "deny":
                at = one.package["name"]
                while via[at] != "-":
                    at = via[at]
                lines.append(f"{one.package['name']},{at}")
        deliver("paths.csv", "\n".join([*lines, ""]))
