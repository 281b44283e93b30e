"""Where a process of this package begins: the command line, or with `serve` a broker."""

from __future__ import annotations


def run(words: list[str]) -> None:
    """Do what `words` say and end the process with its status."""
    if words[:1] == ["serve"]:
        from .serve import serve  # noqa: PLC0415  0.1 s that the command need not wait

        serve(words[1:])
    else:
        from .cli import main  # noqa: PLC0415  as above

        raise SystemExit(main(words))
