"""What every benchmark prints: the machine it ran on, and one JSON line at the end."""

import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NoReturn


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where a figure was measured."""

    cores: int
    """That this process may use."""
    memory_gb: float
    system: str
    python: str


def this_machine() -> Machine:
    """Describe the machine we run on."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(pages / 2**30, 1),
        system=platform.platform(),
        python=platform.python_version(),
    )


def progress(text: str) -> None:
    """Tell a person how far it got."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def print_result(
    figures: Mapping[str, object], *, made_from: str, repeats: int
) -> None:
    """Print the last line: figures, and under what conditions they were measured."""
    whole = {
        **figures,
        "input": made_from,
        "machine": asdict(this_machine()),
        "repeats": repeats,
    }
    sys.stdout.write(json.dumps(whole) + "\n")
    sys.stdout.flush()


def refuse(reason: str) -> NoReturn:
    """End without a figure.

    Raises:
        SystemExit: always.
    """
    sys.exit(f"no figure: {reason}")
