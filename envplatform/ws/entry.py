"""Where a process of this package begins: the command line, or with `serve` a broker."""

from __future__ import annotations

from .cli import main
from .serve import serve


def run(words: list[str]) -> None:
    """Do what `words` say and end the process with its status."""
    if words[:1] == ["serve"]:
        serve(words[1:])
    else:
        raise SystemExit(main(words))
