"""A review as a site: who reviews, one pair after the other, a vote for each."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from random import Random

from envplatform.errors import ConfigError
from envplatform.evaluation.realism.office import Office
from envplatform.evaluation.realism.page import (
    done_page,
    page,
    pair_page,
    shown,
    start_page,
)
from envplatform.evaluation.realism.pairs import Pair
from envplatform.evaluation.realism.server import Fields, Keys, Reply
from envplatform.evaluation.realism.votes import CHOICES, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSite:
    """Pairs of one office, in an order of each reviewer's own."""

    office: Office
    pairs: list[Pair]
    keys: Keys
    now: Callable[[], datetime]
    """The time, in UTC."""

    def show(self, path: str, fields: Fields) -> Reply:
        """Return the start, or the next pair of a reviewer.

        Raises:
            ConfigError: nobody is known by that name.
        """
        if path == "/":
            votes = Counter(
                one.reviewer for one in self.office.counted(self.pairs).counted
            )
            reviewers = self.office.settings.reviewers
            return Reply(text=start_page(reviewers, votes, len(self.pairs)))
        if path == "/review":
            return self._next(self._reviewer(fields))
        nothing = page("Nothing here", f"<p>{shown(path)}</p>")
        return Reply(text=nothing, status=HTTPStatus.NOT_FOUND)

    def act(self, path: str, fields: Fields) -> Reply:
        """Cast a vote, then lead to the next pair.

        Raises:
            ConfigError: nobody is known by that name, or it is no choice.
            StoreError: the pair is unknown, or has a vote of this reviewer.
        """
        if path != "/vote":
            nothing = page("Nothing here", f"<p>{shown(path)}</p>")
            return Reply(text=nothing, status=HTTPStatus.NOT_FOUND)
        reviewer, choice = self._reviewer(fields), fields.get("choice", "")
        if choice not in CHOICES:
            msg = f"{choice!r} is no choice: take one of {', '.join(CHOICES)}"
            raise ConfigError(msg)
        vote = Vote(
            pair_id=fields.get("pair", ""),
            reviewer=reviewer,
            choice=choice,
            at=self.now().isoformat(timespec="seconds"),
        )
        self.office.votes.cast(vote, self.office.ballot(self.pairs))
        place = self.office.settings.reviewers.index(reviewer)
        return Reply(leads_to=f"/review?number={place}")

    def _next(self, reviewer: str) -> Reply:
        done = {
            one.pair_id
            for one in self.office.counted(self.pairs).counted
            if one.reviewer == reviewer
        }
        order = list(self.pairs)
        Random(f"{self.office.settings.seed} {reviewer}").shuffle(order)  # noqa: S311  no secret
        left = [one for one in order if one.pair_id not in done]
        if not left:
            return Reply(text=done_page(reviewer))
        token = self.keys.token
        return Reply(text=pair_page(left[0], reviewer, token, left_to_do=len(left)))

    def _reviewer(self, fields: Fields) -> str:
        """Whom a request is of: by name, or by place after a vote."""
        reviewers = self.office.settings.reviewers
        number, name = fields.get("number", ""), fields.get("reviewer", "")
        if number.isascii() and number.isdigit() and len(number) < 4:  # noqa: PLR2004  a short number
            name = next(iter(reviewers[int(number) : int(number) + 1]), "")
        if name not in reviewers:
            msg = f"unknown reviewer {name!r}; [realism] reviewers names who may vote"
            raise ConfigError(msg)
        return name
