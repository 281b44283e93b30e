"""Many rollouts at once: `python -m benchmarks.rollouts`.

A scripted agent behind a real server works in real sandboxes, with 1, 8, 64 and 256
rollouts in flight. Then the same among injected faults, killed with SIGKILL in the
middle and begun again: no rollout may be lost, and none scored that failed.

`platform_ms_per_call` is the processor time of the platform's own process for one call
of the model: the conversation, the request, the tools' answers, the record, and its
share of opening sandboxes and of grading. What runs inside sandboxes is not in it.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.report import print_result, progress, refuse

_FAULT_EVERY = 5
_KILL_AFTER = 8
"""Rollouts that ended before the process is killed."""


@contextmanager
def served(*words: str) -> Iterator[str]:
    """Run the server; yields its address."""
    command = [sys.executable, "-m", "benchmarks.rollouts_server", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = process.stdout.readline().strip() if process.stdout else ""
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def run(
    folder: Path, url: str, *words: str, kill_after: int | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Run a schedule; returns its figures, empty if killed, and the keys told of."""
    command = [sys.executable, "-m", "benchmarks.rollouts_run"]
    command += ["--folder", str(folder), "--url", url, *words]
    told: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            if line.startswith("{"):
                return json.loads(line), told
            told.append(line.strip())
            if kill_after is not None and len(told) >= kill_after:
                process.send_signal(signal.SIGKILL)
                return {}, told
    return refuse(f"{' '.join(words)} ended with {process.returncode}")


def measure(in_flight: int, rollouts: int, delay_s: float) -> dict[str, Any]:
    """Run without faults; `platform_ms` is processor time for a call."""
    with _folder() as folder, served("--delay-s", str(delay_s)) as url:
        words = ["--rollouts", str(rollouts), "--in-flight", str(in_flight)]
        figures, _ = run(folder, url, *words)
    if figures["lost"]:
        refuse(f"{figures['lost']} of {rollouts} lost at {in_flight} in flight")
    figures["platform_ms"] = round(1000 * figures["cpu_s"] / figures["calls"], 2)
    figures["per_minute"] = round(60 * rollouts / figures["seconds"], 1)
    progress(f"{in_flight} in flight: {json.dumps(figures)}")
    return figures


def among_faults(in_flight: int, rollouts: int) -> tuple[int, dict[str, int]]:
    """Return how many rollouts were lost, and what was injected."""
    faults = ["--fault-every", str(_FAULT_EVERY), "--hold-s", "60"]
    words = ["--rollouts", str(rollouts), "--in-flight", str(in_flight)]
    words += ["--timeout-s", "5"]
    with _folder() as folder, served(*faults) as url:
        _, told = run(folder, url, *words, kill_after=_KILL_AFTER)
        progress(f"killed after {len(told)} of {rollouts}")
        figures, _ = run(folder, url, *words)
        address = url.removesuffix("/v1") + "/faults"
        with urllib.request.urlopen(address) as reply:  # noqa: S310  our own server
            injected: dict[str, int] = json.load(reply)
    progress(f"begun again: {json.dumps(figures)}")
    if figures["known"] < len(told):
        refuse(f"{len(told)} were told of before the kill, {figures['known']} stored")
    asked = injected.pop("asked")
    progress(f"{asked} requests, injected {injected}")
    return int(figures["lost"]), {**injected, "sigkill": 1}


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rollouts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def main(words: Sequence[str] | None = None) -> None:
    """Measure as asked on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--faulty", type=int, default=64, help="Rollouts among faults.")
    parser.add_argument("--delay-s", type=float, default=0.05, help="Of each answer.")
    options = parser.parse_args(words)
    found = {
        number: measure(number, max(number, 6), options.delay_s)
        for number in options.in_flight
    }
    lost, injected = among_faults(min(64, options.faulty), options.faulty)
    alone = found[min(found)]
    print_result(
        {
            "per_minute": {str(n): one["per_minute"] for n, one in found.items()},
            "platform_ms_per_call": max(one["platform_ms"] for one in found.values()),
            "platform_ms": {str(n): one["platform_ms"] for n, one in found.items()},
            "wall_ms_per_call_alone": round(
                alone["step_without_command_ms"] - 1000 * options.delay_s, 2
            ),
            "lost": lost,
            "injected": injected,
        },
        made_from=(
            "a scripted agent of three commands and a submission in an environment of "
            f"one file, bubblewrap, {1000 * options.delay_s:g} ms an answer"
        ),
        repeats=1,
    )


if __name__ == "__main__":
    main()
