"""Right answers are full marks however they are spelt, and wrong ones stay wrong."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path, PurePosixPath

import pytest

from envplatform.bundle import Environment
from envplatform.cowork.blueprint import plan_shard
from envplatform.cowork.detection.pass_mark import PASS_MARK
from envplatform.cowork.families import family, family_names
from envplatform.grading.batch import Bench
from envplatform.grading.grade import SERVED, TESTS
from envplatform.grading.pieces import is_writable
from envplatform.grading.sessions import (
    WORKSPACE,
    Final,
    apply_solution,
    image_reference,
    open_environment,
)
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.tree import File
from tests.cowork.spellings import SPELLINGS, Spelling
from tests.made_cowork import made_environment

TEXTS = (".csv", ".json", ".md", ".txt")
HELD = "held:"
LIKE = 0.1
"""How much of a wrong answer's credit may hang on its spelling."""


async def _worked(bench: Bench) -> Final:
    """What the oracle leaves."""
    async with open_environment(
        bench.provider, bench.environment, image=bench.image, attend=bench.attend
    ) as opened:
        done = await apply_solution(opened.sandbox, bench.environment)
        assert done.exit_code == 0, done.stderr
        return await opened.final()


async def _misread(bench: Bench, final: Final) -> Mapping[str, Mapping[str, str]]:
    """What who misreads something delivers, by misreading and path."""
    async with bench.provider.open(bench.image) as sandbox:
        await sandbox.upload(bench.environment.tests, TESTS)
        await sandbox.upload(final.workspace, WORKSPACE)
        assert final.served is not None
        await sandbox.upload(final.served.files(), SERVED)
        done = await sandbox.exec(["python3", "-I", "-B", f"{TESTS}/misread.py"])
    found: Mapping[str, Mapping[str, str]] = json.loads(done.stdout)
    return found


def _delivered(environment: Environment, final: Final) -> dict[str, str]:
    """The oracle's texts by path; those held by the broker marked as such."""
    assert final.served is not None
    files = {
        path: file
        for path, file in final.workspace.items()
        if path not in environment.workspace
    }
    files |= {
        f"{HELD}{path}": file
        for path, file in final.served.held.items()
        if is_writable(environment, path) and path.endswith(TEXTS)
    }
    return {path: file.data.decode() for path, file in files.items()}


def _with(final: Final, texts: Mapping[str, str]) -> Final:
    files = {path: File(text.encode()) for path, text in texts.items()}
    assert final.served is not None
    held = {
        path.removeprefix(HELD): file
        for path, file in files.items()
        if path.startswith(HELD)
    }
    mine = {path: file for path, file in files.items() if not path.startswith(HELD)}
    return Final(
        workspace={**final.workspace, **mine},
        served=replace(final.served, held={**final.served.held, **held}),
    )


def _spelt(spelling: Spelling, texts: Mapping[str, str]) -> dict[str, str]:
    return {
        path: spelling(PurePosixPath(path).suffix, text) for path, text in texts.items()
    }


def _ways(texts: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    for name, spelling in SPELLINGS.items():
        spelt = _spelt(spelling, texts)
        if spelt != texts:
            yield name, spelt


@pytest.mark.parametrize("name", family_names())
async def test_a_right_answer_is_right_and_a_wrong_one_wrong_in_each_spelling(
    name: str, bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    (blueprint,) = plan_shard(2, 1, [family(name)])
    environment = made_environment(blueprint, image=image_reference(bare_image))
    bench = Bench(
        provider=bubblewrap,
        environment=environment,
        image=bare_image,
        attend=attending(),
    )
    final = await _worked(bench)
    ways = list(_ways(_delivered(environment, final)))
    assert len(ways) >= 6
    graded = await bench.grade([_with(final, texts) for _, texts in ways])
    lost = {
        way: grading.components
        for (way, _), grading in zip(ways, graded, strict=True)
        if grading.reward != 1
    }
    assert lost == {}

    for misreading, plain in (await _misread(bench, final)).items():
        others = [plain, *(texts for _, texts in _ways(plain))]
        gradings = await bench.grade([_with(final, texts) for texts in others])
        rewards = [one.reward for one in gradings]
        assert all(reward is not None for reward in rewards), misreading
        known = [reward for reward in rewards if reward is not None]
        assert max(known) < PASS_MARK, misreading
        assert max(known) - min(known) < LIKE, misreading


def _respelt(path: str, given: str, due: str) -> str:
    """Ask the module as it lies beside a verifier."""
    folders = [
        str(Path(str(resources.files("envplatform.cowork"))) / "inside"),
        str(Path(str(resources.files("envplatform.workspace"))) / "inside"),
    ]
    program = (
        "import json, sys; sys.path[:0] = json.loads(sys.argv[1])\n"
        "from spelling import respelt\n"
        "print(json.dumps(respelt(*json.loads(sys.argv[2]))))"
    )
    words = [json.dumps(folders), json.dumps([path, given, due])]
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", program, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    found: str = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("path", "given", "due"),
    [
        ("a.csv", "id,sum\n1,nan\n", "id,sum\n1,3\n"),
        ("a.csv", "id,sum\n1,1e999\n", "id,sum\n1,3\n"),
        ("a.csv", "id,sum\n1,3e0\n", "id,sum\n1,3\n"),
        ("a.csv", "id,sum\n1,\u0663\n", "id,sum\n1,3\n"),
        ("a.csv", "id,sum\n01,3\n", "id,sum\n1,3\n"),
        ("a.csv", 'id,sum\n1,"12,00"\n', "id,sum\n1,1200\n"),
        ("a.csv", "id,to\n1,yes\n", "id,to\n1,no\n"),
        ("a.csv", "id,to\n1,Hold\n2,hold\n", "id,to\n1,hold\n2,hold\n"),
        ("a.csv", "sum,id\n3,1\n", "id,sum\n1,3\n"),
        ("a.csv", "id,version\n1,1.1\n", "id,version\n1,1.1\n2,1.10\n"),
        ("a.json", '{"a": NaN}', '{"a": 1}'),
        ("a.json", '{"a": 1e999}', '{"a": 1}'),
        ("a.json", '{"a": true}', '{"a": 1}'),
        ("a.json", '{"a": "1"}', '{"a": 1}'),
        ("a.json", '{"a": 2, "a": 1}', '{"a": 1}'),
        ("a.json", "[" * 100_000, '{"a": 1}'),
        ("a.txt", "S-1: 13\n", "S-1: 12\n"),
        ("a.txt", "12 days\nmore\n", "12 days\n"),
        ("a.md", "- **b**: 2\n- **a**: 1\n", "- **a**: 1\n- **b**: 2\n"),
        ("a.properties", "  x=1\n", "x=1\n"),
        ("a.properties", "x=1.0\n", "x=1\n"),
    ],
)
def test_what_says_something_else_does_not_become_right(
    path: str, given: str, due: str
) -> None:
    assert _respelt(path, given, due) != due


@pytest.mark.parametrize(
    ("path", "given", "due"),
    [
        ("a.csv", "ID;Sum EUR\r\n1;1,200.50\r\n", "id,sum_eur\n1,1200.5\n"),
        ("a.csv", "id,ok\n1,TRUE\n2,FALSE\n", "id,ok\n1,true\n2,false\n"),
        ("a.csv", '"id","to"\n"1","a, b"\n\n', 'id,to\n1,"a, b"\n'),
        (
            "a.json",
            '```json\n{"a": [3.0, 0.30000000000000004]}\n```',
            '{"a": [3, 0.3]}',
        ),
        ("a.json", '\ufeff{"a": "HOLD"}', '{"a": "hold"}'),
        ("a.md", "* **a**:  `1`\n\n*  __b__: 2", "- a: 1\n- b: 2\n"),
        (
            "a.md",
            "| a   | b |\n|:--|--:|\n| 1 | 2.0 |\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
        ),
        ("NOTICE", "a 1.0  \r\n  b", "a 1.0\n  b\n"),
    ],
)
def test_what_says_the_same_is_read_as_it_is_due(
    path: str, given: str, due: str
) -> None:
    assert _respelt(path, given, due) == due
