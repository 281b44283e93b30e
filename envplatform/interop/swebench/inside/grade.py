"""Run an instance's evaluation script and write reward.json from its log.

The log is read as the benchmark's own harness reads it, so code under test that prints
lines of results is believed as much as there; its exit status is held against it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ROOT = Path("/workspace")
REWARD = Path("/logs/verifier/reward.json")
START, END = ">>>>> Start Test Output", ">>>>> End Test Output"
EXIT = re.compile(r">>>>> Test Exit Code:\s*(-?\d+)")
BAD = (">>>>> Patch Apply Failed", ">>>>> Reset Failed", ">>>>> Tests Errored")
STATES = ("FAILED", "PASSED", "SKIPPED", "ERROR", "XFAIL")
PASSING = {"PASSED", "XFAIL"}
MOST_BYTES = 64_000_000


def main() -> None:
    """Grade what there is."""
    plan = json.loads((HERE / "plan.json").read_text(encoding="utf-8"))
    states = read_log(run())
    fail = share(states, plan["fail_to_pass"], PASSING)
    kept = share(states, plan["pass_to_pass"], {*PASSING, "SKIPPED"})
    scores = {"reward": float(fail == kept == 1.0), "fail_to_pass": fail}
    REWARD.write_text(json.dumps({**scores, "pass_to_pass": kept}))


def run() -> str:
    """Return the log; the repository is put back first, as it is never taken along."""
    repository = ROOT / ".git"
    if repository.is_symlink() or repository.is_file():
        repository.unlink()
    shutil.rmtree(str(repository), ignore_errors=True)
    shutil.copytree(str(HERE / "repository"), str(repository))
    log = REWARD.with_name("log.txt")
    with log.open("wb") as stream:
        subprocess.run(
            ["bash", str(HERE / "eval.sh")],
            cwd=str(ROOT),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    with log.open("rb") as stream:
        data = stream.read(MOST_BYTES)
    log.unlink()
    return data.decode("utf-8", "replace")


def read_log(text: str) -> dict[str, str]:
    """Test to state; none where the log says nothing that can be believed."""
    if START not in text or END not in text or any(bad in text for bad in BAD):
        return {}
    states = {}
    for line in text.split(START)[1].split(END, maxsplit=1)[0].split("\n"):
        words = line.replace(" - ", " ").split()
        if len(words) > 1 and line.startswith(STATES) and words[1] != "[1]":
            states[words[1]] = words[0]
    ended = EXIT.search(text)
    failed = any(state in {"FAILED", "ERROR"} for state in states.values())
    if ended and int(ended[1]) and states and not failed:
        return {}
    return states


def share(states: dict[str, str], tests: list[str], wanted: set[str]) -> float:
    """How many of the tests are in one of the states that are wanted, 0 to 1."""
    if not tests:
        return 1.0
    return sum(states.get(one) in wanted for one in tests) / len(tests)


if __name__ == "__main__":
    main()
