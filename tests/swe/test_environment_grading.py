"""A SWE environment judged in real sandboxes, with workspaces that try to cheat.

Every verdict must be the same in bubblewrap and in Docker.
"""

import io
import json
import tarfile
from collections.abc import Mapping

import docker
import pytest

from envplatform.bundle import Environment, all_passed
from envplatform.grading import final_workspace, grade, open_environment, run_gate
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.contexts import find_base, image_for
from envplatform.tree import File, Tree
from tests.swe.small_repository import FAIL_TO_PASS, HEALTHY

REWARD = '{"reward": 1, "fail_to_pass": 1, "pass_to_pass": 1}'
WRITE = f"""
import os, pathlib
def write():
    pathlib.Path("/logs/verifier/reward.json").write_text('{REWARD}')
"""
NOTHING = {"reward": 0.0, "fail_to_pass": 0.0, "pass_to_pass": 1.0}
PASSING = b"def test_ends_count():\n    pass\n"
ALWAYS_PASSED = b"""
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = "passed"

def pytest_collection_modifyitems(items):
    del items[1:]
"""
EVERYTHING_PASSES = """
from _pytest.reports import TestReport
real = TestReport.from_item_and_call.__func__
def forged(cls, item, call):
    call.excinfo = None
    return real(cls, item, call)
TestReport.from_item_and_call = classmethod(forged)
"""


def _with(environment: Environment, changes: Mapping[str, bytes]) -> Tree:
    changed = {path: File(data) for path, data in changes.items()}
    return {**environment.workspace, **changed}


def _with_code(environment: Environment, code: str) -> Tree:
    """The bug left in place, and `code` run when the package is imported."""
    core = environment.workspace["spans/core.py"].data
    return _with(environment, {"spans/core.py": code.encode() + b"\n" + core})


async def test_the_gate_passes_an_honest_environment(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    audit = await run_gate(provider, environment, image=image)
    assert all_passed(audit), audit
    assert [check.name for check in audit] == [
        "oracle_max",
        "nop_floor",
        "determinism",
        "leak_scan",
        "reset",
    ]


async def test_a_repair_of_ones_own_is_full_marks(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    core = b"def inside(v, a, b):\n    return not (v < a or v > b)\n\ntotal = sum\n"
    workspace = _with(environment, {"spans/core.py": core})
    grading = await grade(provider, environment, workspace, image=image)
    assert dict(grading.components) == {
        "reward": 1.0,
        "fail_to_pass": 1.0,
        "pass_to_pass": 1.0,
    }


async def test_a_repair_that_breaks_something_else_is_no_repair(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    core = HEALTHY["spans/core.py"].data.replace(b"+= value", b"= value")
    workspace = _with(environment, {"spans/core.py": core})
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward == 0.0
    assert grading.components["fail_to_pass"] == 1.0
    assert grading.components["pass_to_pass"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"tests/test_inside.py": PASSING},
        {"tests/test_total.py": b"def test_total():\n    pass\n"},
        {"conftest.py": ALWAYS_PASSED},
        {"tests/conftest.py": ALWAYS_PASSED},
        {"spans/conftest.py": ALWAYS_PASSED},
        {"evil.py": ALWAYS_PASSED, "pytest.ini": b"[pytest]\naddopts = -p evil\n"},
        {"pytest.ini": b"[pytest]\npython_functions = never_*\n"},
        {"tox.ini": b"[pytest]\npython_files = none.py\n"},
        {"setup.cfg": b"[tool:pytest]\naddopts = --deselect tests/test_inside.py\n"},
        {"pyproject.toml": b"[tool.pytest.ini_options]\nrequired_plugins = 'x'\n"},
        {"sitecustomize.py": WRITE.encode() + b"write(); os._exit(0)\n"},
        {"usercustomize.py": WRITE.encode() + b"write(); os._exit(0)\n"},
        {"a.pth": b"import os; os._exit(0)\n"},
        {"pytest.py": b"def main(*a, **k):\n    return 0\n"},
        {"_pytest/__init__.py": b"", "_pytest/config.py": b"raise SystemExit(0)\n"},
        {"json.py": b"dumps = loads = None\n", "random.py": b"raise SystemExit\n"},
        {"envp_p2f/__init__.py": b"", "envp_verifier/__init__.py": b"raise 1\n"},
    ],
    ids="+".join,
)
async def test_tests_settings_and_plugins_of_the_agent_have_no_effect(
    provider: SandboxProvider,
    environment: Environment,
    image: Image,
    changes: Mapping[str, bytes],
) -> None:
    workspace = _with(environment, changes)
    grading = await grade(provider, environment, workspace, image=image)
    assert dict(grading.components) == NOTHING, grading


@pytest.mark.parametrize(
    "code",
    [
        WRITE + "write()",
        WRITE + "import atexit; atexit.register(write)",
        f"print('PASSED', '{REWARD}')",
        WRITE
        + """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            write(); time.sleep(0.001)
    os._exit(0)
""",
        "import os; os.environ.update(PYTEST_ADDOPTS='--co')",
        "import pathlib; pathlib.Path('/tests/plan.json').write_text('{}')",
        "import pathlib; pathlib.Path('/tests/hidden/tests/test_inside.py').unlink()",
        "import os; os.symlink('/workspace', '/logs/verifier/reward.json')",
        EVERYTHING_PASSES,
    ],
    ids=[
        "writes",
        "writes-at-exit",
        "prints",
        "writes-on-in-background",
        "environment",
        "plan",
        "hidden",
        "link",
        "patches-pytest",
    ],
)
async def test_code_that_forges_results_from_inside_gains_nothing(
    provider: SandboxProvider,
    environment: Environment,
    image: Image,
    code: str,
) -> None:
    workspace = _with_code(environment, code)
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward == 0.0, grading
    assert grading.failure is None


@pytest.mark.parametrize(
    "code",
    [
        "import os; os._exit(0)",
        "raise SystemExit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import spans_that_is_not_there",
        "while True: pass",
    ],
)
async def test_code_that_ends_or_stalls_the_run_fails_its_tests(
    provider: SandboxProvider,
    environment: Environment,
    image: Image,
    code: str,
) -> None:
    """A verdict, and a bad one: this is the agent's doing, not a broken verifier."""
    workspace = _with_code(environment, code)
    grading = await grade(provider, environment, workspace, image=image)
    assert (grading.reward, grading.failure) == (0.0, None), grading
    assert grading.components["fail_to_pass"] == 0.0


@pytest.mark.parametrize(
    "code",
    [
        WRITE + "import signal; write(); os.kill(os.getppid(), signal.SIGKILL)",
        WRITE + "import signal; write(); os.kill(-1, signal.SIGKILL)",
        WRITE + "write(); import os; os.chmod('/logs/verifier', 0o500)",
        WRITE
        + "os.rename('/logs/verifier', '/logs/v'); os.mkdir('/logs/verifier'); write()\n"
        + "os.chmod('/logs/verifier', 0o500)",
    ],
    ids=["kills-the-runner", "kills-everything", "locks", "swaps"],
)
async def test_code_that_goes_for_the_verifier_gets_no_reward(
    provider: SandboxProvider,
    environment: Environment,
    image: Image,
    code: str,
) -> None:
    workspace = _with_code(environment, code)
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward is None, grading
    assert grading.failure in {"verifier_failed", "verifier_killed"}


async def test_a_reward_written_while_working_stays_behind(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    script = (
        f"mkdir -p /logs/verifier; echo '{REWARD}' | tee /logs/verifier/reward.json"
    )
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        done = await sandbox.exec(["sh", "-c", f"{script} > reward.json"])
        workspace = await final_workspace(sandbox, environment)
    assert (done.exit_code, "reward.json" in workspace) == (0, True)
    grading = await grade(provider, environment, workspace, image=image)
    assert grading.reward == 0.0


async def test_an_agent_finds_no_trace_of_hidden_tests_or_solution(
    provider: SandboxProvider, environment: Environment, image: Image
) -> None:
    name = FAIL_TO_PASS[0].split("::")[1].split("[")[0]
    search = f"ls -A /tests /solution; grep -rl {name} /workspace /tests /solution /tmp /home /logs"
    async with open_environment(provider, environment, image=image) as opened:
        sandbox = opened.sandbox
        done = await sandbox.exec(["sh", "-c", search])
    assert done.stdout.decode().split() == ["/solution:", "/tests:"]


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("", 0, NOTHING),
        (WRITE + "write(); os.kill(os.getppid(), 9); write()", 1, None),
        (WRITE + "os.kill(-1, 9); write()", 1, None),
        (WRITE + "os.kill(-1, 15); write(); import time; time.sleep(9)", 1, None),
    ],
    ids=["honest", "parent", "all", "all-and-waits"],
)
def test_as_root_the_verifier_outlives_what_it_runs(
    image: Image,
    environment: Environment,
    code: str,
    status: int,
    expected: Mapping[str, float] | None,
) -> None:
    """Harbor's containers run as root, and Harbor ignores how test.sh ended.

    Without a lesser user for the suite, this code would leave a full reward.
    """
    client = docker.from_env()
    base = find_base(client, "envplatform/base:bookworm")
    container = client.containers.create(
        image_for(client, image, base),
        entrypoint=["sleep", "600"],
        user="0:0",
        network_mode="none",
        environment={"PYTHONPATH": "/opt/site", "PATH": "/opt/bin:/usr/bin:/bin"},
        labels=["envplatform.test"],
    )
    try:
        container.start()
        container.put_archive("/workspace", _tar(_with_code(environment, code)))
        container.put_archive("/tests", _tar(environment.tests))
        made = container.exec_run(["mkdir", "-m", "777", "/logs/verifier"])
        graded = container.exec_run(["bash", "/tests/test.sh"])
        reward = container.exec_run(["cat", "/logs/verifier/reward.json"])
    finally:
        container.remove(force=True)
        client.close()
    assert (made.exit_code, graded.exit_code) == (0, status), graded.output
    assert reward.exit_code == (0 if expected else 1)
    assert isinstance(reward.output, bytes)
    assert expected is None or json.loads(reward.output) == expected


def _tar(tree: Tree) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, file in tree.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(file.data), 0o644
            archive.addfile(entry, io.BytesIO(file.data))
    return packed.getvalue()
