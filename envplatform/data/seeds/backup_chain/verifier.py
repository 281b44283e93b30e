"""Grades the mended chain of atlas.

What the manifest said is known by its digest only, which its child holds. The rest is
worked out from what the broker holds, with the blobs that a restore of the damaged
backup saw before the damage.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from seedlib import Final, overlap, rows_of, share

HOST = "atlas"
COLUMNS = ["path", "sha256", "bytes", "backup"]


class Truth(NamedTuple):
    """What is right."""

    damaged: str
    digest: str
    """Of the manifest as it was."""
    manifest: dict[str, Any]
    latest: str
    inconsistent: list[str]
    state: set[tuple[str, ...]]


def truth(final: Final) -> Truth:
    """Work it out anew."""
    held = _manifests(final)
    by_digest = {_digest(text): ident for ident, text in held.items()}
    said = {ident: json.loads(text) for ident, text in held.items()}
    child = next(
        one
        for one in said.values()
        if one.get("parent_sha256", "") not in {*by_digest, ""}
    )
    damaged = child["parent"]
    said[damaged] = _restored(final, said[damaged], by_digest)
    blobs = {
        row["sha256"]: row["bytes"]
        for row in rows_of(final.held("store/blobs.csv")) or []
    }
    states = {ident: _state(ident, said) for ident in said}
    bad = [
        ident
        for ident, state in states.items()
        if not all(blobs.get(blob) == size for blob, size, _ in state.values())
    ]
    latest = max(set(said) - set(bad), key=lambda ident: said[ident]["created"])
    return Truth(
        damaged=damaged,
        digest=child["parent_sha256"],
        manifest=said[damaged],
        latest=latest,
        inconsistent=sorted(bad),
        state={(path, *rest) for path, rest in states[latest].items()},
    )


def _manifests(final: Final) -> dict[str, str]:
    folder = final.served / "held" / "backups"
    found = {}
    for path in sorted(folder.glob(f"{HOST}-*.json")):
        found[path.stem] = final.held(f"backups/{path.name}") or ""
    return found


def _restored(
    final: Final, manifest: dict[str, Any], by_digest: dict[str, str]
) -> dict[str, Any]:
    mark = f" {manifest['backup']}: "
    seen = {}
    for line in (final.held("restore.log") or "").splitlines():
        if mark in line and " <- " in line:
            path, _, rest = line.partition(mark)[2].partition(" <- ")
            blob, size = rest.split()[:2]
            seen[path] = (blob, int(size.lstrip("(")))
    files = [
        {**entry, "sha256": seen[entry["path"]][0], "bytes": seen[entry["path"]][1]}
        if entry["path"] in seen
        else entry
        for entry in manifest["files"]
    ]
    parent = by_digest[manifest["parent_sha256"]]
    return {**manifest, "parent": parent, "files": files}


def _state(ident: str, said: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    chain = [ident]
    while "parent" in said[chain[-1]]:
        chain.append(said[chain[-1]]["parent"])
    state: dict[str, tuple[str, str, str]] = {}
    for one in reversed(chain):
        for entry in said[one]["files"]:
            state.pop(entry["path"], None)
            if entry["action"] == "put":
                state[entry["path"]] = (entry["sha256"], str(entry["bytes"]), one)
    return state


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def repair(final: Final) -> float:
    """Full marks for it byte for byte and alone; less for its parts put right."""
    wanted = truth(final)
    text = final.held(f"repaired/{wanted.damaged}.json")
    if text is None:
        return 0.0
    if _digest(text) == wanted.digest:
        return 1.0 if _is_alone(final, wanted.damaged) else 0.9
    given, damaged = json.loads(text), json.loads(_manifests(final)[wanted.damaged])
    wrong = [key for key in damaged if damaged[key] != wanted.manifest[key]]
    kept = all(given.get(k) == v for k, v in damaged.items() if k not in wrong)
    mended = sum(given.get(key) == wanted.manifest[key] for key in wrong)
    return 0.8 * share(mended, len(wrong)) if kept else 0.0


def _is_alone(final: Final, damaged: str) -> bool:
    folder = final.served / "held" / "repaired"
    added = {path.name for path in folder.iterdir()} - {"README.txt"}
    return added == {f"{damaged}.json"}


def diagnosis(final: Final) -> float:
    """Half for the damaged backup, half for its parent."""
    wanted, given = truth(final), final.json("report.json")
    right = given["damaged"] == wanted.damaged
    return (right + (given["parent"] == wanted.manifest["parent"])) / 2


def verdict(final: Final) -> float:
    """Half for the newest consistent backup, half for the list of the others."""
    wanted, given = truth(final), final.json("report.json")
    listed = given["inconsistent"]
    agree = overlap(set(listed), set(wanted.inconsistent))
    if agree == 1.0 and listed != wanted.inconsistent:
        agree = 0.5
    return ((given["latest"] == wanted.latest) + agree) / 2


def state(final: Final) -> float:
    """How far the state agrees, squared: states of other backups are much alike."""
    wanted = truth(final).state
    rows = final.rows("state.csv") or []
    lines = [tuple(row[column] for column in COLUMNS) for row in rows]
    agree = overlap(set(lines), wanted) ** 2
    is_neat = lines == sorted(set(lines)) and list(rows[0]) == COLUMNS
    return agree if is_neat else 0.9 * agree


CRITERIA = {
    "repair": repair,
    "diagnosis": diagnosis,
    "verdict": verdict,
    "state": state,
}
