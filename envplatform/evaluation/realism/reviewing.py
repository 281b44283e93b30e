"""A review as a site: one pair after the other, a vote for each, by who has the address."""

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
from envplatform.evaluation.realism.server import Fields, Reply, Visitor
from envplatform.evaluation.realism.votes import CHOICES, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSite:
    """Pairs of one office, in an order of each reviewer's own."""

    office: Office
    pairs: list[Pair]
    now: Callable[[], datetime]
    """The time, in UTC."""

    def show(self, path: str, fields: Fields, visitor: Visitor) -> Reply:  # noqa: ARG002  who asks says it all
        """Return the start, or the next pair of a reviewer."""
        if path == "/":
            done = len(self._done(visitor.name))
            return Reply(text=start_page(visitor.name, done, len(self.pairs)))
        if path == "/review":
            return self._next(visitor)
        nothing = page("Nothing here", f"<p>{shown(path)}</p>")
        return Reply(text=nothing, status=HTTPStatus.NOT_FOUND)

    def act(self, path: str, fields: Fields, visitor: Visitor) -> Reply:
        """Cast the visitor's own vote, then lead to the next pair.

        Raises:
            ConfigError: it is no choice.
            StoreError: the pair is unknown, or has a vote of this reviewer.
        """
        if path != "/vote":
            nothing = page("Nothing here", f"<p>{shown(path)}</p>")
            return Reply(text=nothing, status=HTTPStatus.NOT_FOUND)
        choice = fields.get("choice", "")
        if choice not in CHOICES:
            msg = f"{choice!r} is no choice: take one of {', '.join(CHOICES)}"
            raise ConfigError(msg)
        vote = Vote(
            pair_id=fields.get("pair", ""),
            reviewer=visitor.name,
            choice=choice,
            at=self.now().isoformat(timespec="seconds"),
        )
        self.office.votes.cast(vote, self.office.ballot(self.pairs))
        return Reply(leads_to="/review")

    def _next(self, visitor: Visitor) -> Reply:
        reviewer, done = visitor.name, self._done(visitor.name)
        order = list(self.pairs)
        Random(f"{self.office.settings.seed} {reviewer}").shuffle(order)  # noqa: S311  no secret
        left = [one for one in order if one.pair_id not in done]
        if not left:
            return Reply(text=done_page(reviewer))
        return Reply(text=pair_page(left[0], visitor.token, left_to_do=len(left)))

    def _done(self, reviewer: str) -> set[str]:
        """Pairs on which a reviewer has voted."""
        counted = self.office.counted(self.pairs).counted
        return {one.pair_id for one in counted if one.reviewer == reviewer}
