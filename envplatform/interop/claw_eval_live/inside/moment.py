"""Run one of the set's servers at a fixed moment: `python3 moment.py WHEN SCRIPT`.

Some of them show only what is a few days old, and all of them stamp what they record.
By the clock of the machine their answers would be others every day.
"""

from __future__ import annotations

import datetime as dt
import runpy
import sys
from pathlib import Path
from typing import Any

_REAL = dt.datetime


class _Kind(type):
    """Times that were made before are times too."""

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, _REAL)


def main() -> None:
    """Stop the clock, then run the script as Python itself would."""
    moment = _REAL.fromisoformat(sys.argv[1])

    class Fixed(dt.datetime, metaclass=_Kind):
        """What the script takes for `datetime.datetime`."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:  # noqa: ANN401  theirs
            there = moment.astimezone(tz) if tz else moment.replace(tzinfo=None)
            return cls.fromisoformat(there.isoformat())

        @classmethod
        def utcnow(cls) -> Any:  # noqa: ANN401  theirs
            return cls.now()

        @classmethod
        def today(cls) -> Any:  # noqa: ANN401  theirs
            return cls.now()

    vars(dt)["datetime"] = Fixed
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
