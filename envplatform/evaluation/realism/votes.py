"""Votes on pairs: one JSON line each, appended and never changed.

Which vote counts is decided when they are read: of one reviewer on one pair the first.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, cast, get_args

from envplatform.errors import StoreError
from envplatform.evaluation.realism.pairs import unique_keys
from envplatform.store.files import locked

Choice = Literal["left", "right", "unsure"]
"""Which of the two was held for a real developer's bug."""
CHOICES: tuple[Choice, ...] = get_args(Choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One reviewer's word on one pair."""

    pair_id: str
    reviewer: str
    choice: Choice
    at: str
    """When: ISO 8601 in UTC, `2026-01-31T12:00:00+00:00`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """What a file of votes holds."""

    counted: tuple[Vote, ...]
    """In the order in which they were cast."""
    refused: tuple[str, ...]
    """Of each line that does not count, where it is and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What may be voted on, and by whom."""

    pairs: Collection[str]
    """Their ids."""
    reviewers: Collection[str]


@dataclass(frozen=True, slots=True)
class VoteFile:
    """Votes in a file, which need not exist yet. Many processes may append."""

    path: Path

    def cast(self, vote: Vote, ballot: Ballot) -> None:
        """Append a vote.

        Raises:
            StoreError: it is on no pair there is, by nobody who may, the second one of
                the same reviewer on the same pair, or not on the disk as a whole.
        """
        with locked(self.path.parent):
            counted = self.read(ballot).counted
            why = _refused(vote, ballot, {_key(one) for one in counted})
            if why:
                raise StoreError(why)
            _append(self.path, vote)

    def take_over(self, lines: Iterable[tuple[str, bytes]], ballot: Ballot) -> Votes:
        """Append what counts of lines from elsewhere; returns what did and what did not.

        Raises:
            StoreError: a vote is not on the disk as a whole.
        """
        with locked(self.path.parent):
            before = self.read(ballot).counted
            seen = {_key(one) for one in before}
            found = sorted_votes(lines, ballot, before=seen)
            for vote in found.counted:
                _append(self.path, vote)
        return found

    def read(self, ballot: Ballot) -> Votes:
        """Read all votes; one line that does not count costs no other."""
        if not self.path.exists():
            return Votes(counted=(), refused=())
        lines = self.path.read_bytes().split(b"\n")
        return sorted_votes(
            ((f"{self.path}:{n}", line) for n, line in enumerate(lines, 1)), ballot
        )


def sorted_votes(
    lines: Iterable[tuple[str, bytes]],
    ballot: Ballot,
    *,
    before: Collection[tuple[str, str]] = (),
) -> Votes:
    """Sort lines, each with the place where it stands, into what counts and what not.

    `before`: pairs and reviewers whose vote has been cast.
    """
    counted, refused, seen = list[Vote](), list[str](), set(before)
    for where, line in lines:
        if not line.strip():
            continue
        try:
            vote = read_vote(line)
        except ValueError as error:
            refused.append(f"{where}: {error}")
            continue
        why = _refused(vote, ballot, seen)
        if why:
            refused.append(f"{where}: {why}")
        else:
            seen.add(_key(vote))
            counted.append(vote)
    return Votes(counted=tuple(counted), refused=tuple(refused))


def read_vote(line: bytes) -> Vote:
    """Return the vote on a line.

    Raises:
        ValueError: it is none; names the field.
    """
    try:
        values = json.loads(line.decode(), object_pairs_hook=unique_keys)
    except RecursionError as error:
        msg = "nested too deep"
        raise ValueError(msg) from error
    if not isinstance(values, Mapping):
        msg = "a vote is a JSON object"
        raise ValueError(msg)  # noqa: TRY004  one way to tell of a bad line
    names = {field.name for field in fields(Vote)}
    if values.keys() != names:
        wrong = min(values.keys() ^ names)
        msg = f"unknown or missing field {wrong!r}; a vote has {sorted(names)}"
        raise ValueError(msg)
    for name, value in values.items():
        if not isinstance(value, str):
            msg = f"{name} must be a text"
            raise ValueError(msg)  # noqa: TRY004  as above
    if values["choice"] not in CHOICES:
        msg = f"choice must be one of {', '.join(CHOICES)}, not {values['choice']!r}"
        raise ValueError(msg)
    return Vote(
        pair_id=str(values["pair_id"]),
        reviewer=str(values["reviewer"]),
        choice=cast("Choice", values["choice"]),
        at=utc_time(str(values["at"])),
    )


def utc_time(text: str) -> str:
    """Return a time as votes keep it.

    Raises:
        ValueError: it is no ISO 8601 time, or not in UTC.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"at: {text[:40]!r} is no ISO 8601 time"
        raise ValueError(msg) from error
    if at.utcoffset() != timedelta(0):
        msg = f"at: {text!r} is not in UTC: write +00:00 at its end"
        raise ValueError(msg)
    return at.astimezone(UTC).isoformat()


def _refused(vote: Vote, ballot: Ballot, seen: Collection[tuple[str, str]]) -> str:
    """Why a vote does not count; empty if it does."""
    if vote.reviewer not in ballot.reviewers:
        known = ", ".join(sorted(ballot.reviewers)) or "nobody"
        return f"unknown reviewer {vote.reviewer!r}; [realism] reviewers names {known}"
    if vote.pair_id not in ballot.pairs:
        return f"unknown pair {vote.pair_id!r}"
    if _key(vote) in seen:
        return f"{vote.reviewer!r} has voted on pair {vote.pair_id!r} before"
    return ""


def _key(vote: Vote) -> tuple[str, str]:
    return vote.pair_id, vote.reviewer


def _append(path: Path, vote: Vote) -> None:
    # The newline comes first too: half a line of a crashed writer stays alone.
    line = f"\n{json.dumps(asdict(vote), sort_keys=True)}\n".encode()
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        written = os.write(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)
    if written != len(line):
        msg = f"{path}: vote only partly written; is the disk full?"
        raise StoreError(msg)
