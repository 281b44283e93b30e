"""The explorer over cowork environments: turns decide, and the user is met."""

import json
import subprocess
import sys
from pathlib import Path

from envplatform.sandbox.bubblewrap import BubblewrapProvider

HERE = Path(__file__).parents[2]


def test_few_turns_fail_and_enough_pass_in_the_same_environments(
    bubblewrap: BubblewrapProvider,
) -> None:
    assert bubblewrap.info.kind == "bubblewrap"
    words = ["--drawn", "--environments", "2", "--turns", "40", "2"]
    families = ["--family", "thread_reply", "--family", "invoice_matching"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cowork_explorer", *words, *families],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    few, enough = (told["overall"][turns] for turns in ("2", "40"))
    assert (few["passed"], few["turn_limit_rate"]) == (0, 1)
    assert (enough["passed"], enough["turn_limit_rate"]) == (2, 0)
    assert enough["interval"][0] < 1
    assert set(told["by_scenario"]["40"]) == {"finance", "messaging"}
