"""Pairs of a bug of ours and a real one, as alike in size as there are, blinded.

A pair is frozen when it is drawn: votes are about its texts. Which side is whose is
kept beside and never shown; who votes, and on what, is in `votes`.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from random import Random

from envplatform.errors import StoreError
from envplatform.store.files import locked, write_atomically

MAX_LINES = 80
"""Lines of the longest patch that a reviewer is shown."""
_TELLING = re.compile(r"^(diff --git|index |similarity|old mode|new mode|From |Date:)")
_ID_LETTERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """A patch that puts a bug into working code, ours or real."""

    bug_id: str
    kind: str
    """Inducer of one of ours; source of a real one."""
    patch: str
    """Unified diff from right to wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question to a reviewer."""

    pair_id: str
    """Tells nothing of what is in it."""
    left: str
    """Unified diff, without what tells where it is from."""
    right: str
    left_is_ours: bool
    ours: str
    """Id of our bug."""
    real: str
    """Id of the real one."""
    inducer: str
    """Of our bug."""


def draw_pairs(
    ours: Iterable[Bug], real: Iterable[Bug], *, count: int, seed: int
) -> list[Pair]:
    """Draw pairs, inducer by inducer in turn, each bug in one pair at most.

    A real bug is the nearest in changed lines that is left; fewer pairs come about where
    one side is short, none where it is empty.
    """
    random = Random(seed)  # noqa: S311  a sample, no secret
    by_inducer: dict[str, list[Bug]] = defaultdict(list)
    for bug in sorted(_shown(ours), key=lambda one: one.bug_id):
        by_inducer[bug.kind].append(bug)
    left = sorted(_shown(real), key=lambda one: one.bug_id)
    random.shuffle(left)
    for bugs in by_inducer.values():
        random.shuffle(bugs)
    pairs: list[Pair] = []
    while len(pairs) < count and left and any(by_inducer.values()):
        for bugs in by_inducer.values():
            if bugs and left and len(pairs) < count:
                bug = bugs.pop()
                size = changed_lines(bug.patch)
                twin = min(left, key=lambda one: abs(changed_lines(one.patch) - size))
                left.remove(twin)
                pairs.append(_pair(bug, twin, seed, first=random.random() < 0.5))  # noqa: PLR2004  a coin
    return pairs


def changed_lines(patch: str) -> int:
    """Count lines added and removed."""
    return sum(
        line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- "))
        for line in patch.split("\n")
    )


def blinded(patch: str) -> str:
    """Return a patch without headers that tell which tool wrote it, and when."""
    lines = [line for line in patch.split("\n") if not _TELLING.match(line)]
    named = (
        line.split("\t")[0] if line.startswith(("--- ", "+++ ")) else line
        for line in lines
    )
    return "\n".join(named).strip("\n")


def keep_pairs(path: Path, pairs: Sequence[Pair]) -> None:
    """Write pairs, once and for all.

    Raises:
        StoreError: there are pairs already, which votes may be about.
    """
    with locked(path.parent):
        if path.exists():
            msg = (
                f"{path} is there: votes are about its pairs; move it away to draw anew"
            )
            raise StoreError(msg)
        lines = [json.dumps(asdict(one), sort_keys=True) for one in pairs]
        write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def read_pairs(path: Path) -> tuple[list[Pair], list[str]]:
    """Return the pairs of a file, and of each bad line what is wrong with it.

    One bad line costs no other; without a file there are none.
    """
    pairs, bad = dict[str, Pair](), list[str]()
    if not path.exists():
        return [], []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            pair = _read(line)
        except ValueError as error:
            bad.append(f"{path}:{number}: {error}")
            continue
        if pair.pair_id in pairs:
            bad.append(f"{path}:{number}: pair {pair.pair_id!r} is there already")
        else:
            pairs[pair.pair_id] = pair
    return list(pairs.values()), bad


def unique_keys(items: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object as JSON has it, for `json.loads`.

    Raises:
        ValueError: a key occurs twice.
    """
    found = dict(items)
    if len(found) != len(items):
        msg = "a key occurs twice"
        raise ValueError(msg)
    return found


def _read(line: bytes) -> Pair:
    try:
        values = json.loads(line.decode(), object_pairs_hook=unique_keys)
    except RecursionError as error:
        msg = "nested too deep"
        raise ValueError(msg) from error
    if not isinstance(values, Mapping):
        msg = "a pair is a JSON object"
        raise ValueError(msg)  # noqa: TRY004  one way to tell of a bad line
    for field in fields(Pair):
        wanted = bool if field.name == "left_is_ours" else str
        if not isinstance(values.get(field.name), wanted):
            msg = f"{field.name} must be {wanted.__name__}"
            raise ValueError(msg)  # noqa: TRY004  as above
    return Pair(**{field.name: values[field.name] for field in fields(Pair)})


def _shown(bugs: Iterable[Bug]) -> Iterable[Bug]:
    """Those that a person can read."""
    for bug in bugs:
        if bug.patch.strip() and bug.patch.count("\n") <= MAX_LINES:
            yield bug


def _pair(ours: Bug, real: Bug, seed: int, *, first: bool) -> Pair:
    text = f"{seed}\n{ours.bug_id}\n{real.bug_id}"
    mine, theirs = blinded(ours.patch), blinded(real.patch)
    return Pair(
        pair_id=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[
            :_ID_LETTERS
        ],
        left=mine if first else theirs,
        right=theirs if first else mine,
        left_is_ours=first,
        ours=ours.bug_id,
        real=real.bug_id,
        inducer=ours.kind,
    )
