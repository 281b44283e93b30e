"""`History`: where the files of one repository come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from envplatform.swe.fixes.instance import FixInstance
from envplatform.tree import File


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The files of one side of a fix, as far as its patch names them."""

    which: Literal["buggy", "fixed"]
    files: dict[str, File]
    """By repository path; a path that does not exist on this side is absent."""


class History(Protocol):
    """Reads one side of the instances of one repository. Closed by its opener."""

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Bring all that later reads need, in as few requests as can be.

        What does not exist is no error here: `read` refuses it.

        Raises:
            FixSourceError: the network or the repository failed; nothing was decided.
        """

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Read the files of the side that is at hand.

        Raises:
            Refused: no such commit, a blob is missing, a path is a link or submodule.
        """

    def licence(self, instance: FixInstance) -> str:
        """SPDX identifier that the repository had there; empty where unknown.

        Only of instances that were prefetched, and named no licence themselves.
        """

    def close(self) -> None:
        """Let processes and files go. May be called twice."""
