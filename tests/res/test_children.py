"""Children of any workspace: the same bytes again, exact recovery, measured and not declared."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.bundle import Environment, checked, environment_digest
from envplatform.errors import PlanError
from envplatform.res import checks
from envplatform.res.child import child_of
from envplatform.res.measure import measure
from envplatform.res.plan import Step, TransformPlan, read_plan
from envplatform.res.primitives import primitive_names
from envplatform.res.trail import trail_of
from envplatform.workspace import Interface, workspace_of
from envplatform.workspace.draft import is_plain
from envplatform.workspace.recovery import Recovery
from tests.res.workspaces import LEDGER, environment

OLDEST = Path.home() / ".pyenv" / "versions" / "3.9.18" / "bin" / "python"


def applied(root: Environment, choices: list[tuple[int, int]]) -> list[Environment]:
    """Apply what fits of a choice of operators and names, a level for each two steps."""
    levels, steps = [root], list[Step]()
    for operator, place in choices:
        tip = (
            child_of(levels[-1], plan_of(*steps), seed=2, producer="drawn")
            if steps
            else levels[-1]
        )
        names = [one.name for one in tip.views if is_plain(one)]
        operators = primitive_names()
        step = Step(
            operator=operators[operator % len(operators)],
            name=names[place % len(names)],
        )
        try:
            child_of(levels[-1], plan_of(*steps, step), seed=2, producer="drawn")
        except PlanError:
            continue
        steps.append(step)
        if len(steps) == 2:
            levels.append(
                child_of(levels[-1], plan_of(*steps), seed=2, producer="drawn")
            )
            steps = []
    if steps:
        levels.append(child_of(levels[-1], plan_of(*steps), seed=2, producer="drawn"))
    return levels


def plan_of(*steps: Step) -> TransformPlan:
    return TransformPlan(steps=steps)


@given(
    content=st.one_of(
        st.just(LEDGER), st.text(st.characters(codec="utf-8"), max_size=60)
    ),
    choices=st.lists(
        st.tuples(st.integers(0, 16), st.integers(0, 40)), min_size=1, max_size=7
    ),
)
@settings(max_examples=25)
def test_any_sequence_is_exact_pure_and_measured(
    content: str, choices: list[tuple[int, int]]
) -> None:
    root = environment(content.encode())
    levels = applied(root, choices)
    for parent, child in pairwise(levels):
        again = child_of(parent, _plan_in(child), seed=2, producer="drawn")
        assert environment_digest(again) == environment_digest(checked(child))
        trail = trail_of(child)
        had = checks.session(child, trail)
        held = workspace_of(root)
        assert not had.failed
        assert had.contents == {
            name: held.content(held.views[name].source) for name in trail.wanted
        }
        counted = measure(child)
        reads = {"read", "search", "query", "call"}
        alone = counted.calls - len(had.exchanges)
        assert alone >= 0
        assert counted.reads - alone == sum(o in reads for o, _ in had.asked)
        assert 1 <= counted.chain <= len(had.exchanges) + 1
        assert not list(checks.frozen(parent, child))
        assert not list(checks.reset(child, trail, had))
        assert not list(checks.recovery(child, trail, had))


def _plan_in(child: Environment) -> TransformPlan:
    texts = child.lineage.bindings
    return TransformPlan(
        steps=tuple(read_plan(texts[one]).steps[0] for one in sorted(texts))
    )


@pytest.mark.skipif(not OLDEST.exists(), reason="there is no Python 3.9 here")
def test_the_way_back_runs_on_the_oldest_python_we_serve(tmp_path: Path) -> None:
    child = environment()
    for name in ("numeric_reencoding", "sharding", "archive_view"):
        step = Step(operator=name, name="books/ledger.csv")
        child = child_of(child, plan_of(step), seed=1, producer="hand")
    (tmp_path / "recovery").mkdir()
    for path, file in child.solution.items():
        if path.startswith("recovery"):
            (tmp_path / path).write_bytes(file.data)
    session, answers = Interface(child), list[str]()

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        content, data = session.request(operation, arguments)
        assert content is not None
        answers.append(content.hex())
        return content, data

    Recovery(trail_of(child).entries, ask).get("books/ledger.csv")
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    script = (
        "import json, recovery\n"
        "left = json.load(open('answers.json'))\n"
        "def ask(operation, arguments):\n"
        "    return bytes.fromhex(left.pop(0)), None\n"
        "trail = json.load(open('recovery.json'))\n"
        "found = recovery.Recovery(trail['entries'], ask)\n"
        "print(found.get('books/ledger.csv').decode(), end='')\n"
    )
    ended = subprocess.run(
        [OLDEST, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ended.stdout.decode() == LEDGER, ended.stderr.decode()


def test_what_ships_with_an_oracle_imports_nothing_of_ours() -> None:
    step = Step(operator="sharding", name="books/ledger.csv")
    child = child_of(environment(), plan_of(step), seed=1, producer="hand")
    ours = {"had", "recovery", "ws"}
    parts = {path for path in child.solution if path.startswith("recovery/")}
    assert len(parts) > 1
    for path in (*parts, "had.py", "recover.py", "relay.py"):
        tree = ast.parse(child.solution[path].data)
        names = {
            (node.module or "") if isinstance(node, ast.ImportFrom) else one.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            if not getattr(node, "level", 0)  # else of the same package
            for one in node.names
        }
        foreign = {name.split(".")[0] for name in names} - sys.stdlib_module_names
        assert foreign <= ours


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nothing", "the plan is not JSON"),
        ("[]", "steps: List should have at least 1 item"),
        ('[{"operator": "sharding"}]', "steps.0.name: Field required"),
        ('[{"operator": "a", "name": "b", "more": 1}]', "steps.0.more: Extra inputs"),
        ('[{"operator": "a", "name": "b", "options": {"x": []}}]', "steps.0.options"),
    ],
)
def test_what_is_no_plan_names_the_field(text: str, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        read_plan(text)


def test_a_step_that_does_not_fit_is_named() -> None:
    steps = [
        Step(operator="sharding", name="books/ledger.csv"),
        Step(operator="fly", name="books/ledger.csv"),
    ]
    with pytest.raises(
        PlanError, match=r"step 2 \(fly of books/ledger.csv\): there is"
    ):
        child_of(environment(), plan_of(*steps), seed=1, producer="hand")
    with pytest.raises(PlanError, match="nothing is read plainly"):
        child_of(
            environment(),
            plan_of(
                Step(operator="pagination", name="notes"),
                Step(operator="pagination", name="notes"),
            ),
            seed=1,
            producer="hand",
        )
