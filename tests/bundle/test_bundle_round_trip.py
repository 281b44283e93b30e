import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.bundle import (
    CheckResult,
    Dependency,
    Environment,
    Lineage,
    Provider,
    Resource,
    Spending,
    View,
    core_digest,
    environment_digest,
    environment_files,
    read_environment,
    write_environment,
)
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, read_tree
from tests.bundle.sample import SOLUTION, TESTS, sample_environment

Value = TypeVar("Value")

names = st.text("abcXYZ.-_ é", min_size=1, max_size=6).filter(
    lambda name: name not in {".", ".."}
)
files = st.builds(File, st.binary(max_size=40), st.booleans())
flat_trees = st.dictionaries(names, files, min_size=1, max_size=4)


def _deepen(tree: dict[str, File]) -> Tree:
    return {f"pkg-{name}/{name}": file for name, file in tree.items()}


LABELS = ("kind", "license", "repository", "a_1")
trees = st.one_of(flat_trees, flat_trees.map(_deepen))
texts = st.text(st.characters(codec="utf-8"), max_size=30)


options = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, Any]:
    held = draw(st.lists(names, unique=True, max_size=3))
    shown = draw(st.lists(names, unique=True, max_size=3))
    source = st.sampled_from(["", *held])
    return {
        "providers": (Provider(name="files", kind="file"),),
        "resources": tuple(
            Resource(name=name, kind="content", provider="files", location=name)
            for name in held
        ),
        "views": tuple(
            View(
                name=name,
                kind="content",
                source=draw(source),
                options=draw(st.dictionaries(texts, options, max_size=2)),
                about=draw(texts),
                listed=draw(st.booleans()),
            )
            for name in shown
        ),
        "dependencies": tuple(
            Dependency(view=name, needs=shown[0], kind="key") for name in shown
        ),
    }


@st.composite
def environments(draw: st.DrawFn) -> Environment:
    tests = {**draw(flat_trees.map(_deepen)), **TESTS}
    solution = {**draw(flat_trees.map(_deepen)), **SOLUTION}
    base = sample_environment(workspace=draw(trees), tests=tests, solution=solution)
    lineage = Lineage(
        producer=draw(texts),
        seed=draw(st.integers()),
        parent=draw(st.none() | st.just("f" * 64)),
        origin=draw(st.dictionaries(texts, texts, max_size=2)),
        plan=tuple(draw(st.lists(texts, max_size=2))),
        spent=Spending(seconds=draw(st.floats(0, 1e9))),
    )
    return replace(
        base,
        instruction="Do it. " + draw(texts),
        description=draw(texts),
        lineage=lineage,
        labels=draw(st.dictionaries(st.sampled_from(LABELS), texts)),
        core=replace(base.core, facts=draw(st.dictionaries(texts, texts))),
        user=draw(trees),
        served=draw(trees),
        **draw(graphs()),
        audit=draw(st.sampled_from([(), base.audit])),
    )


@given(environment=environments())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back(environment: Environment) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place, "env")
        digest = write_environment(environment, folder)
        again = read_environment(folder, digest=digest)
        assert again == environment
        assert environment_digest(again) == digest
        assert [path.name for path in Path(place).iterdir()] == ["env"]


@given(environment=environments(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_digest_knows_no_order(
    environment: Environment, data: st.DataObject
) -> None:
    def shuffled(mapping: Mapping[str, Value]) -> dict[str, Value]:
        return dict(data.draw(st.permutations(list(mapping.items()))))

    other = replace(
        environment,
        workspace=shuffled(environment.workspace),
        labels=shuffled(environment.labels),
        core=replace(environment.core, facts=shuffled(environment.core.facts)),
        lineage=replace(
            environment.lineage, origin=shuffled(environment.lineage.origin)
        ),
    )
    assert environment_digest(other) == environment_digest(environment)


def test_the_digest_of_a_known_environment_stays() -> None:
    """A change here means a change of the format: raise FORMAT and add a migration."""
    assert environment_digest(sample_environment()) == (
        "3a2e0949035cc41b92a46480e47faf2f0d0f4a8df7638cb939d9e748f3c00f52"
    )


def test_cost_and_audit_lie_outside_the_identity() -> None:
    environment = sample_environment()
    lineage = replace(environment.lineage, spent=Spending(tokens=9))
    assert environment_digest(
        replace(environment, lineage=lineage, audit=())
    ) == environment_digest(environment)


@pytest.mark.parametrize(
    "changed",
    [
        sample_environment(workspace={"answer.txt": File(b"40\n")}),
        sample_environment(workspace={"answer.txt": File(b"41\n", executable=True)}),
        sample_environment(tests={**TESTS, "more": File(b"")}),
        sample_environment(solution={**SOLUTION, "more": File(b"")}),
        replace(sample_environment(), instruction="Another goal."),
        replace(
            sample_environment(),
            image=replace(sample_environment().image, digest="1" * 64),
        ),
        replace(sample_environment(), user={"persona.md": File(b"Grumpy.")}),
        replace(sample_environment(), served={"ledger.csv": File(b"1,2")}),
        replace(sample_environment(), views=(View(name="a", kind="folder"),)),
        replace(
            sample_environment(),
            lineage=replace(sample_environment().lineage, seed=8),
        ),
    ],
)
def test_whatever_agent_or_grader_can_see_is_identity(changed: Environment) -> None:
    assert environment_digest(changed) != environment_digest(sample_environment())


def test_the_core_keeps_its_digest_while_the_rest_changes() -> None:
    environment = sample_environment()
    changed = replace(environment, workspace={"other": File(b"")})
    assert core_digest(changed.core) == core_digest(environment.core)


def test_harbor_finds_its_parts_where_it_looks(tmp_path: Path) -> None:
    write_environment(sample_environment(), tmp_path / "env")
    files = read_tree(tmp_path / "env")
    assert {
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/workspace/answer.txt",
        "tests/test.sh",
        "solution/solve.sh",
        ".envp/core.json",
        ".envp/env.json",
        ".envp/lineage.json",
        ".envp/audit.json",
        ".envp/identity.json",
    } <= files.keys()
    task = tomllib.loads(files["task.toml"].data.decode())
    assert task["schema_version"] == "1.4"
    assert task["task"]["description"] == 'A "quoted" \\ description'
    assert task["environment"]["network_mode"] == "no-network"
    assert task["verifier"]["environment_mode"] == "separate"
    assert task["agent"]["user"] == "agent"


@given(text=texts)
def test_any_label_is_valid_toml(text: str) -> None:
    environment = replace(sample_environment(), labels={"kind": text})
    task = tomllib.loads(environment_files(environment)["task.toml"].data.decode())
    assert task["metadata"]["label_kind"] == text


def test_two_writers_of_one_environment_are_no_conflict(tmp_path: Path) -> None:
    environment = sample_environment()
    first = write_environment(replace(environment, audit=()), tmp_path / "env")
    assert write_environment(environment, tmp_path / "env") == first
    assert read_environment(tmp_path / "env").audit == environment.audit
    write_environment(replace(environment, audit=()), tmp_path / "env")
    assert read_environment(tmp_path / "env").audit == environment.audit


def test_another_environment_is_never_overwritten(tmp_path: Path) -> None:
    write_environment(sample_environment(), tmp_path / "env")
    other = replace(sample_environment(), instruction="Another goal.")
    with pytest.raises(BundleError, match="already holds another environment"):
        write_environment(other, tmp_path / "env")
    assert read_environment(tmp_path / "env") == sample_environment()
    assert [path.name for path in tmp_path.iterdir()] == ["env"]


def test_a_later_audit_replaces_an_earlier_one(tmp_path: Path) -> None:
    write_environment(sample_environment(), tmp_path / "env")
    audit = (CheckResult(name="reset", status="failed", evidence="left-overs"),)
    write_environment(replace(sample_environment(), audit=audit), tmp_path / "env")
    assert read_environment(tmp_path / "env").audit == audit
