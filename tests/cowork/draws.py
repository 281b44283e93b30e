"""What a family draws, looked at without a sandbox: are all its rules needed, is all hidden?

The verifier runs here, over what is held once the user has changed it. Its own answer
stands for the oracle's.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment
from envplatform.cowork.blueprint import Blueprint
from envplatform.cowork.detection.pass_mark import PASS_MARK
from envplatform.grading.checks.leak_scan import leak_scan
from envplatform.grading.evidence import Evidence
from envplatform.sandbox.base import ExecResult
from envplatform.tree import File, Tree
from envplatform.user.sidecar import read_user
from envplatform.ws import MemoryHoldings
from envplatform.ws.changes import Change, apply_changes
from tests.made_cowork import made_environment

_CHILD = r"""
import json, shutil, sys
from pathlib import Path

def put(root, files):
    for path, text in files.items():
        full = root / "served" / "held" / path[5:] if path.startswith("held:") else root / "workspace" / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

def score(criteria, final):
    found = {}
    for name, one in criteria.items():
        try:
            found[name] = max(0.0, min(float(one(final)), 1.0))
        except Exception as error:
            found[name] = 0.0
    return found

before = set(sys.modules)
for folder in map(Path, sys.argv[1:]):
    for name in set(sys.modules) - before:
        del sys.modules[name]
    sys.path.insert(0, str(folder / "tests"))
    from seedlib import Final
    import verifier
    final = Final(folder / "workspace", folder / "served")
    due = verifier.CRITERIA.due(final)
    held = {path: text for path, text in due.items() if path.startswith("held:")}
    log = [
        {"by": "agent", "error": None, "op": "write", "args": {"name": path[5:]}}
        for path in held
    ]
    (folder / "served" / "dispatch.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in log)
    )
    misread = {name: dict(one(final)) for name, one in verifier.MISREADINGS.items()}
    put(folder, due)
    right = score(verifier.CRITERIA, final)
    rewards = {}
    for name, files in misread.items():
        shutil.rmtree(folder / "workspace")
        (folder / "workspace").mkdir()
        put(folder, held)
        put(folder, files)
        rewards[name] = score(verifier.CRITERIA, final)
    print(json.dumps({"due": due, "right": right, "misread": rewards}), flush=True)
    sys.path.pop(0)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One draw, and what its verifier said of it."""

    environment: Environment
    due: Mapping[str, str]
    """The right deliverables by path; those that are held begin with `held:`."""
    right: Mapping[str, float]
    """What they get by criterion; less than 1 where more than files is wanted."""
    misread: Mapping[str, Mapping[str, float]]
    """What each misreading gets."""

    def idle(self) -> list[str]:
        """Return misreadings that reach the pass mark: here the rule decides nothing."""
        return [
            name for name, of in self.misread.items() if self._reward(of) >= PASS_MARK
        ]

    def _reward(self, scores: Mapping[str, float]) -> float:
        """What is not seen without a session counts as right."""
        known = [
            score if self.right[name] == 1 else 1.0 for name, score in scores.items()
        ]
        return sum(known) / len(known)

    def leaks(self) -> str:
        """Return what the gate finds of the answer in public; empty if nothing."""
        solved = {
            path: File(text.encode())
            for path, text in self.due.items()
            if not path.startswith("held:")
        }
        evidence = Evidence(
            environment=self.environment,
            solved={**self.environment.workspace, **solved},
            solved_served=None,
            solve=_ENDED,
            oracle=(),
            nop=(),
        )
        check = leak_scan(evidence)
        return "" if check.status == "passed" else check.evidence


_ENDED = ExecResult(
    ending="exited", exit_code=0, stdout=b"", stderr=b"", truncated=False, seconds=0.0
)


def drawn(blueprints: Sequence[Blueprint], folder: Path) -> Iterator[Drawn]:
    """Draw, and have the verifiers run over it; one process for all."""
    environments = [made_environment(one) for one in blueprints]
    places = [folder / one.environment_id for one in environments]
    for environment, place in zip(environments, places, strict=True):
        _write(environment.tests, place / "tests")
        _write(environment.workspace, place / "workspace")
        _write(_in_the_end(environment), place / "served" / "held")
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", _CHILD, *map(str, places)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = map(json.loads, done.stdout.splitlines())
    for environment, told in zip(environments, lines, strict=True):
        yield Drawn(environment=environment, **told)


def _in_the_end(environment: Environment) -> Tree:
    """What is held once the user has changed all that it changes."""
    holdings = MemoryHoldings({p: f.data for p, f in environment.served.items()})
    if environment.user:
        for signal in read_user(environment.user).signals:
            apply_changes(
                holdings, [Change(**one.model_dump()) for one in signal.changes]
            )
    return {path: File(holdings.read(path)) for path in holdings.below("")}


def _write(tree: Tree, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path, file in tree.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(file.data)
