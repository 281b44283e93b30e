"""Reviews the accounts through `ws`; rules are read off the documents."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import date
from typing import Any

from seedlib import deliver, parameters, rows_of, ws_json, ws_text

PARAMETERS = parameters()
FACETS, TODAY = PARAMETERS["facets"], date.fromisoformat(PARAMETERS["today"])
RANKS = ("high", "medium", "low")
Account = dict[str, Any]


def solve() -> None:
    """Read, judge each account, write all three files."""
    rules = ws_text("read", "docs/access_review.md")
    staff = {
        row["number"]: row for row in rows_of(ws_text("read", "people/staff.csv")) or []
    }
    allowed = kept_roles(rules)
    policy = " ".join(rules.split())
    severities = dict(re.findall(r"\| (\w+) \| (high|medium|low) \|", policy))
    found: list[Account] = []
    for one in sorted(accounts(), key=lambda one: one["account"]):
        names = findings(one, staff, allowed, policy)
        if "only the first one in the order above" in policy:
            names = names[:1]
        if "only the one of the highest severity" in policy:
            names = sorted(names, key=lambda name: RANKS.index(severities[name]))[:1]
        person = staff.get(one["owner"], {"name": "-"})
        last = one["last_login"] or "-"
        found += [
            {
                **one,
                "name": person["name"],
                "finding": name,
                "severity": severities[name],
                "last_login": last,
            }
            for name in names
        ]
    deliver("overview.json", json.dumps(overview(found), indent=1))
    revoke([one for one in found if one["severity"] == "high"])
    if FACETS["order_by"] == "severity":
        found.sort(key=lambda one: RANKS.index(one["severity"]))
    if FACETS["order_by"] == "system":
        found.sort(key=lambda one: one["system"])
    columns = {
        "short": ("account", "finding", "severity"),
        "full": ("system", "account", "owner", "finding", "severity", "last_login"),
        "person": ("account", "name", "finding", "severity"),
    }[FACETS["columns"]]
    rows = [",".join(one[name] for name in columns) for one in found]
    deliver("findings.csv", "\n".join([",".join(columns), *rows, ""]))


def accounts() -> list[Account]:
    """Return all accounts."""
    if FACETS["accounts_in"] == "store":
        told = ws_json("query", "iam/directory", "SELECT * FROM accounts")
        return [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    names = ["iam/accounts.csv"]
    if FACETS["accounts_in"] == "folder":
        names = [one["name"] for one in ws_json("list", "iam/exports/")["names"]]
    return [row for name in names for row in rows_of(ws_text("read", name)) or []]


def kept_roles(rules: str) -> dict[str, list[str]]:
    """Return departments by role."""
    found: dict[str, list[str]] = defaultdict(list)
    if FACETS["roles_in"] == "csv":
        for row in rows_of(ws_text("read", "iam/roles.csv")) or []:
            found[row["role"]].append(row["department"])
        return found
    for role, names in re.findall(r"^\| (\w+_\w+) \| (.+?) \|$", rules, re.MULTILINE):
        found[role] = names.split(", ")
    return found


def findings(
    one: Account,
    staff: dict[str, dict[str, str]],
    allowed: dict[str, list[str]],
    policy: str,
) -> list[str]:
    """Return all findings of an account in the order of the rules."""
    is_service = one["kind"] == "service"
    if is_service and "Service accounts are not reviewed here" in policy:
        return []
    person, roles = staff.get(one["owner"]), set(one["roles"].split())
    pairs = re.findall(r"`(\w+)` with `(\w+)`", policy)
    days = re.search(r"last login was more than (\d+) days", policy)
    used = date.fromisoformat(one["last_login"] or one["created"])
    department = person["department"] if person else ""
    checks = {
        "leaver": bool(person and person["left"] and is_gone(person["left"], policy)),
        "orphan": person is None,
        "conflict": any(roles >= set(pair) for pair in pairs),
        "role": person is not None
        and any(role in allowed and department not in allowed[role] for role in roles),
        "dormant": days is not None and (TODAY - used).days > int(days[1]),
    }
    names = [name for name, is_so in checks.items() if is_so]
    if is_service and "only the owner is reviewed" in policy:
        return [name for name in names if name in {"leaver", "orphan"}]
    return names


def is_gone(left: str, policy: str) -> bool:
    """Return whether who left then counts as a leaver."""
    grace = re.search(r"owner left more than (\d+) days before", policy)
    if grace:
        return (TODAY - date.fromisoformat(left)).days > int(grace[1])
    if "left in a month before" in policy:
        return left[:7] < TODAY.isoformat()[:7]
    return left < TODAY.isoformat()


def revoke(found: list[Account]) -> None:
    """Write what is revoked."""
    by = {(one["system"], one["account"]): one for one in found}
    lines = [by[key] for key in sorted(by)]
    if FACETS["revoke"] == "json":
        systems: dict[str, list[str]] = defaultdict(list)
        for one in lines:
            systems[one["system"]].append(one["account"])
        deliver("revoke.json", json.dumps(systems, indent=1))
    elif FACETS["revoke"] == "txt":
        rows = [
            f"{one['system']}: {one['account']} ({one['owner']})\n" for one in lines
        ]
        deliver("revoke.txt", "".join(rows))
    else:
        rows = [f"{one['system']},{one['account']},{one['roles']}\n" for one in lines]
        deliver("revoke.csv", "".join(["system,account,roles\n", *rows]))


def overview(found: list[Account]) -> dict[str, Any]:
    """Return what the findings come to."""
    if FACETS["overview"] == "by_finding":
        return dict(Counter(one["finding"] for one in found))
    if FACETS["overview"] == "by_severity":
        ranks: dict[str, set[str]] = defaultdict(set)
        for one in found:
            ranks[one["severity"]].add(one["account"])
        return {rank: sorted(of) for rank, of in ranks.items()}
    return {
        system: {
            "findings": sum(one["system"] == system for one in found),
            "accounts": len({o["account"] for o in found if o["system"] == system}),
        }
        for system in {one["system"] for one in found}
    }
