"""Progress of long work on one partition, as a few lines in the run's log."""

from collections.abc import Callable
from logging import Logger

_LINES = 10
"""For one partition at most: each is a row in the event log."""


def progress(log: Logger, partition: str, what: str) -> Callable[[int, int], None]:
    """Return a function of the number done and of all; it logs every tenth part."""
    said = 0

    def tell(done: int, total: int) -> None:
        nonlocal said
        tenth = done * _LINES // total
        if tenth > said:
            said = tenth
            log.info("%s: %d of %d %s", partition, done, total, what)

    return tell
