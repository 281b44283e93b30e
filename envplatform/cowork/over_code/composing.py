"""From an environment of code to one in which a colleague wants the repair handed over.

Pure: the same environment and seed give the same bytes. What the code's own grader
consists of lies below `code/`, byte for byte, and so does its oracle.
"""

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib import resources

from envplatform.bundle import (
    Core,
    Environment,
    Lineage,
    Permissions,
    checked,
    environment_digest,
    handed_down,
    without_repository,
)
from envplatform.cowork.assembling import BESIDE, LICENCE, joined_licences
from envplatform.cowork.desk import Desk
from envplatform.cowork.family import TALKING, Brief
from envplatform.cowork.library import Library
from envplatform.cowork.over_code.drawing import Handover, draw_handover
from envplatform.cowork.over_code.papers import (
    CALENDAR,
    OWNERS,
    POLICY,
    REPORT,
    TRACKER,
    TRANSFORMABLE,
    desk_of,
    instruction_of,
    report_of,
    user_of,
)
from envplatform.cowork.personas import draw_persona
from envplatform.cowork.words import Names
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, tree_digest
from envplatform.user.sidecar import plan_files
from envplatform.workspace.programs import frozen_digests, grader_files, oracle_files

CODE = "code/"
"""Where the code's own grader and oracle lie, in tests and in solution."""
NOTE_CRITERIA = ("ticket", "release", "scope", "approval")
PRODUCER = "cowork.over_code"
_OLDEST_PYTHON = (3, 10)
_VISIBLE = "visible/"
"""Of the code's grader: tests that the agent has too."""
_SLACK_S = 30
_TEST = b"""\
#!/bin/sh
exec python3 -I -B "$(dirname "$0")/judge.py"
"""
_SOLVE = b"""\
#!/bin/sh
exec python3 -I -B /solution/solve.py
"""


def with_colleague(environment: Environment, *, seed: int) -> Environment:
    """Return `environment` with evidence served, a note to write and a user inside.

    Raises:
        BundleError: it is no environment of code, its evidence is served already, or its
            Python is too old for what judges a note.
    """
    _require_code(environment)
    report = report_of(environment)
    repository = environment.labels.get("repository", "it").rpartition("__")[2]
    files = without_repository(environment.workspace)
    chance = random.Random(f"over code {seed} {environment_digest(environment)}")  # noqa: S311  reproducible, not secret
    names = Names(chance)
    handover = draw_handover(
        chance, names, title=report.title, repository=repository, paths=files
    )
    brief = Brief(
        chance=chance,
        names=names,
        persona=draw_persona(chance),
        library=Library.builtin(),
    )
    desk = desk_of(handover, report, repository)
    goal = instruction_of(brief, handover, report, repository)
    tests = _tests(environment, handover, desk)
    return checked(
        replace(
            environment,
            environment_id=f"{environment.environment_id}.cowork{seed}",
            pillar="cowork",
            instruction=goal,
            tests=tests,
            solution=_solution(environment, handover),
            core=_core(environment, handover, desk, goal, tests),
            lineage=Lineage(
                producer=PRODUCER,
                seed=seed,
                parent=environment_digest(environment),
                origin=handed_down(environment.lineage),
            ),
            criteria=(*environment.criteria, *NOTE_CRITERIA),
            description=f"{environment.description}, and hand the repair over",
            labels={
                **environment.labels,
                "license": _licences(environment),
                "scenario": "software",
                "family": "over_code",
                "pattern": "patches",
            },
            allowance=replace(
                environment.allowance,
                verifier_timeout_s=environment.allowance.verifier_timeout_s + _SLACK_S,
            ),
            permissions=Permissions(operations=TALKING),
            providers=(*environment.providers, *desk.providers),
            resources=(*environment.resources, *desk.resources),
            views=tuple(desk.views),
            served=desk.served,
            user=plan_files(user_of(brief, handover)),
            audit=(),
        )
    )


def _require_code(environment: Environment) -> None:
    name = environment.environment_id
    python = tuple(int(part) for part in environment.image.python.split("."))
    why = ""
    if environment.pillar != "swe":
        why = f"is of the pillar {environment.pillar}, and no environment of code"
    elif environment.views:
        why = "serves its evidence already; take the environment that it was made of"
    elif python < _OLDEST_PYTHON:
        oldest = ".".join(map(str, _OLDEST_PYTHON))
        why = f"runs on Python {environment.image.python}; a note is judged from {oldest} on"
    if why:
        msg = f"{name} {why}"
        raise BundleError(msg)


def _tests(environment: Environment, handover: Handover, desk: Desk) -> dict[str, File]:
    return {
        "test.sh": File(_TEST, executable=True),
        "seedlib.py": grader_files({}, ())["seedlib.py"],
        "judge.py": _inside("over_code/inside", "judge.py"),
        "verifier.py": _inside("over_code/inside", "verifier.py"),
        **{name: _inside("inside", name) for name in BESIDE},
        "parameters.json": _json(
            {
                "held": _locations(desk),
                "note": handover.note,
                "ticket": handover.ours.key,
                "words": {str(number): w for number, w in handover.words.items()},
                "limits": [handover.limit, handover.later_limit],
                "policy_digest": hashlib.sha256(desk.served[POLICY].data).hexdigest(),
                "approval": handover.approval,
                "files": _digests(environment),
                **asdict(handover.facets),
            }
        ),
        **_below_code(environment.tests),
    }


def _solution(environment: Environment, handover: Handover) -> dict[str, File]:
    names = {
        "report": REPORT,
        "policy": POLICY,
        "tracker": TRACKER,
        "calendar": CALENDAR,
        "owners": OWNERS,
    }
    ours = oracle_files(
        {
            "oracle.py": _inside("over_code/inside", "oracle.py"),
            "parameters.json": _json({"names": names, "note": handover.note}),
        }
    )
    return {
        **ours,
        "solve.sh": File(_SOLVE, executable=True),
        **_below_code(environment.solution),
    }


def _core(
    environment: Environment, handover: Handover, desk: Desk, goal: str, tests: Tree
) -> Core:
    core = environment.core
    facets = {f"facet {name}": value for name, value in asdict(handover.facets).items()}
    return Core(
        goal=goal,
        facts={**core.facts, "family": "over_code", **facets},
        grader_digest=tree_digest(tests),
        observables=tuple(sorted({*core.observables, "file:/logs/ws/**"})),
        frozen={**core.frozen, **frozen_digests(desk.resources, desk.served)},
        transformable=tuple(sorted(TRANSFORMABLE)),
    )


def _digests(environment: Environment) -> dict[str, str]:
    """Return the files that a note is about; the agent's tests are put back anyway."""
    return {
        path: hashlib.sha256(file.data).hexdigest()[:16]
        for path, file in without_repository(environment.workspace).items()
        if f"{_VISIBLE}{path}" not in environment.tests
    }


def _locations(desk: Desk) -> dict[str, str]:
    return {one.name: one.location for one in desk.resources}


def _licences(environment: Environment) -> str:
    return joined_licences((environment.labels.get("license", ""), LICENCE))


def _below_code(tree: Tree) -> dict[str, File]:
    return {f"{CODE}{path}": file for path, file in tree.items()}


def _json(value: Mapping[str, object]) -> File:
    return File(json.dumps(value, indent=1, sort_keys=True).encode() + b"\n")


def _inside(folder: str, name: str) -> File:
    where = resources.files("envplatform.cowork") / folder
    return File((where / name).read_bytes())
