"""Harbor folders come in: ours whole, foreign ones through Docker, all others with a reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import ImageReference, environment_digest, write_environment
from envplatform.errors import BundleError
from envplatform.interop.harbor.importing import HarborImporting, import_tasks
from envplatform.interop.imported import ImportedTask
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.sandbox.docker import DockerProvider
from envplatform.workspace import seed_environment

TOML = """\
schema_version = "1.4"
[task]
name = "made/sum"
[environment]
network_mode = "no-network"
[verifier]
timeout_sec = 60.0
"""
DOCKERFILE = """\
FROM python:3.12-slim
COPY numbers.txt /workspace/data/numbers.txt
RUN ln -s numbers.txt /workspace/data/same.txt && chmod -R a+rX /workspace
WORKDIR /workspace
"""
TEST = """\
if [ "$(cat total.txt)" = 6 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
exit 1
"""
JSON_TEST = """\
right=$(test "$(cat total.txt)" = 6 && echo 1 || echo 0)
echo "{\\"right\\": $right, \\"there\\": $right}" > /logs/verifier/reward.json
"""
SOLVE = "awk '{s += $1} END {print s}' data/numbers.txt > total.txt\n"


def write_task(
    folder: Path, *, toml: str = TOML, test: str = TEST, solve: str | None = SOLVE
) -> Path:
    files = {
        "task.toml": toml,
        "instruction.md": "Sum data/numbers.txt into total.txt.\n",
        "environment/Dockerfile": DOCKERFILE,
        "environment/numbers.txt": "1\n2\n3\n",
        "tests/test.sh": test,
    }
    if solve is not None:
        files["solution/solve.sh"] = solve
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def _reference(image: Image) -> ImageReference:
    return ImageReference(
        name=image.name, python=image.python, requirements=(), digest=image.digest
    )


async def _all(source: Path, works: HarborImporting) -> dict[str, ImportedTask]:
    return {task.task_id: task async for task in import_tasks(source, works)}


@pytest.fixture
def works(bubblewrap: BubblewrapProvider, tmp_path: Path) -> HarborImporting:
    return HarborImporting(provider=bubblewrap, cache=tmp_path / "cache")


@pytest.mark.docker
async def test_foreign_tasks_are_built_and_proven(
    works: HarborImporting, docker_provider: DockerProvider, tmp_path: Path
) -> None:
    source = tmp_path / "tasks"
    write_task(source / "text")
    write_task(source / "json", test=JSON_TEST, solve="echo 7 > total.txt\n")
    write_task(source / "silent", test="true\n")
    write_task(source / "above", test="echo 1.5 > /logs/verifier/reward.txt\n")
    write_task(source / "unsolved", solve=None)
    elsewhere = write_task(source / "elsewhere") / "environment" / "Dockerfile"
    elsewhere.write_text(DOCKERFILE.replace("WORKDIR /workspace", "WORKDIR /app"))
    breaks = write_task(source / "breaks") / "environment" / "Dockerfile"
    breaks.write_text(DOCKERFILE + "RUN false\n")
    docker = replace(works, docker=docker_provider, base="envplatform/base:bookworm")
    found = await _all(source, docker)
    assert {name for name, task in found.items() if task.accepted} == {"text"}
    json_task = found["json"].environment
    assert json_task is not None
    assert json_task.criteria == ("reward", "right", "there")
    assert json_task.workspace.keys() == {"data/numbers.txt"}
    assert (found["text"].floor, found["text"].oracle) == (0, 1)
    assert (found["json"].floor, found["json"].oracle) == (0, 0)
    reasons = {
        name: [problem.reason for problem in task.problems]
        for name, task in found.items()
        if not task.accepted
    }
    assert reasons == {
        "json": ["oracle_failed"],
        "silent": ["verifier_broken"],
        "above": ["verifier_broken"],
        "unsolved": ["no_oracle"],
        "elsewhere": ["image_unavailable"],
        "breaks": ["image_unavailable"],
    }


async def test_without_docker_that_is_the_reason(
    works: HarborImporting, tmp_path: Path
) -> None:
    found = await _all(write_task(tmp_path / "task"), works)
    (problem,) = found["task"].problems
    assert problem.reason == "image_unavailable"
    assert "no Docker Engine" in problem.detail


UNSUPPORTED = {
    "allow_internet = true": "network",
    'network_mode = "allowlist"': "network",
    "gpus = 1": "GPUs",
    'os = "windows"': "the system windows",
    'mcp_servers = [{name = "a", url = "http://b"}]': "MCP servers",
    'env = {KEY = "${SECRET}"}': "variables (KEY)",
    "healthcheck = {command = 'true'}": "a health check",
}


@pytest.mark.parametrize("line", UNSUPPORTED)
async def test_what_no_sandbox_here_gives_is_named(
    works: HarborImporting, tmp_path: Path, line: str
) -> None:
    kept = TOML.replace('network_mode = "no-network"\n', f"{line}\n")
    found = await _all(write_task(tmp_path / "task", toml=kept), works)
    (problem,) = found["task"].problems
    assert problem.reason == "unsupported"
    assert UNSUPPORTED[line] in problem.detail


MALFORMED = {
    "version": (TOML.replace("1.4", "2.0"), "'2.0'; what is read is 1.x"),
    "no_version": ("[task]\nname = 'a/b'\n", "''; what is read is 1.x"),
    "steps": (TOML + "[[steps]]\nname = 'one'\n", "several steps"),
    "twice": (TOML + "[verifier]\n", "not valid TOML"),
    "type": (TOML.replace("60.0", "'soon'"), "verifier.timeout_sec"),
    "long": (f"a = '{'x' * 10_000_000}'\n", "larger than 1000000 bytes"),
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_task_costs_no_other(
    works: HarborImporting, tmp_path: Path, name: str
) -> None:
    toml, said = MALFORMED[name]
    write_task(tmp_path / "tasks" / "a_bad", toml=toml)
    write_task(tmp_path / "tasks" / "b_compose")
    compose = tmp_path / "tasks" / "b_compose" / "environment" / "docker-compose.yaml"
    compose.write_text("services: {}\n")
    found = await _all(tmp_path / "tasks", works)
    (bad,), (other,) = found["a_bad"].problems, found["b_compose"].problems
    assert (bad.reason, other.reason) == ("malformed", "unsupported")
    assert said in bad.detail
    assert "docker compose" in other.detail


async def test_links_and_missing_files_are_refused(
    works: HarborImporting, tmp_path: Path
) -> None:
    link = write_task(tmp_path / "tasks" / "link")
    (link / "tests" / "passwd").symlink_to("/etc/passwd")
    (write_task(tmp_path / "tasks" / "untested") / "tests" / "test.sh").unlink()
    found = await _all(tmp_path / "tasks", works)
    assert "tests/passwd is a link" in found["link"].problems[0].detail
    assert "test.sh is missing" in found["untested"].problems[0].detail
    with pytest.raises(BundleError, match="holds no Harbor task"):
        await _all(tmp_path / "nowhere", works)


async def test_a_user_of_pawbench_is_read_and_told_of(
    works: HarborImporting, tmp_path: Path
) -> None:
    for name, action in (("read", "append"), ("wrong", "explode")):
        user = write_task(tmp_path / "tasks" / name) / "user"
        (user / "patches").mkdir(parents=True)
        (user / "persona.md").write_text("# Ada\n\nAn accountant.\n")
        change = f"- path: numbers.txt\n  action: {action}\n  new: '4'\n"
        patch = user / "patches" / "turn_02_more.md"
        patch.write_text(f"---\n{change}---\nOne more.\n")
    found = await _all(tmp_path / "tasks", works)
    (read,), (wrong,) = found["read"].problems, found["wrong"].problems
    assert (read.reason, wrong.reason) == ("unsupported", "malformed")
    assert "a user inside" in read.detail
    assert "turn_02_more.md" in wrong.detail


async def test_our_own_environments_come_back_as_they_were(
    works: HarborImporting, bare_image: Image, tmp_path: Path
) -> None:
    seed = seed_environment("contract_clauses", _reference(bare_image))
    write_environment(seed, tmp_path / "own" / "seed")
    changed = write_environment(seed, tmp_path / "own" / "changed")
    (tmp_path / "own" / "changed" / "instruction.md").write_text("Do nothing.\n")
    found = await _all(tmp_path / "own", works)
    assert found["seed"].accepted
    assert found["seed"].environment is not None
    assert environment_digest(found["seed"].environment) == changed
    assert found["seed"].environment.views == seed.views
    assert found["changed"].problems[0].reason == "malformed"
