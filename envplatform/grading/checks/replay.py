"""replay: the oracle's dispatch log, asked again of a new broker, gives the same.

A log that was forged, or a broker that answers by chance or by the clock, does not.
"""

from envplatform.bundle import CheckResult, Environment
from envplatform.errors import BundleError
from envplatform.grading.broker import Served
from envplatform.grading.evidence import Evidence
from envplatform.grading.replaying import difference, entries_of, replayed

NAME = "replay"


def replay(evidence: Evidence) -> CheckResult:
    """Passed if every reply, all that is held and all that views remember agree."""
    served = evidence.solved_served
    if served is None:
        what = "the environment has no views, so there is no dispatch log"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    why = _unrepeatable(evidence.environment, served)
    if why:
        return CheckResult(name=NAME, status="not_run", evidence=why)
    try:
        broker = replayed(evidence.environment, served.log)
        found = difference(broker, served)
    except BundleError as error:
        return CheckResult(name=NAME, status="failed", evidence=str(error))
    if found:
        return CheckResult(name=NAME, status="failed", evidence=found)
    what = (
        f"{len(broker.log)} dispatches, all replies and {len(served.held)} files agree"
    )
    return CheckResult(name=NAME, status="passed", evidence=what)


def _unrepeatable(environment: Environment, served: Served) -> str:
    for view in environment.views:
        if {"port", "speaks"} & set(view.options):
            return f"{view.name} is answered by a process, which runs in sandboxes only"
    try:
        entries = entries_of(served.log)
    except BundleError:
        return ""  # to be told as a failure
    for number, entry in enumerate(entries, 1):
        args = entry["args"] if isinstance(entry["args"], dict) else {}
        if any(_is_shortened(value) for value in args.values()):
            return f"entry {number} keeps a long argument by its digest alone"
    return ""


def _is_shortened(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"sha256", "bytes"}
