"""What to run, as a value, and the job that the runner in the sandbox reads."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import PurePosixPath

from envplatform.sandbox.base import Limits
from envplatform.swe.targets.target import Target
from envplatform.tree import File, Tree, tree_digest

RUNNER_FOLDER = "/tests/.p2f"
START_FILE = f"{RUNNER_FOLDER}/start.py"
WORKSPACE = "/workspace"
_SCREEN = "screen_"
_STARTS = frozenset({"start.py", "screen_start.py"})
MAX_RESULT_BYTES = 128_000_000
_SLACK_S = 10.0
"""How much later than the runner the sandbox gives up: the runner says more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One execution of a suite."""

    ids: tuple[str, ...] | None = None
    """Tests to run; None for all that the target's paths hold."""
    without: tuple[str, ...] = ()
    """Tests to leave out."""
    seed: int = 0
    """For `random`, for the interpreter's hashes, and for the order if shuffled."""
    shuffle: bool = False
    rounds: int = 1
    """Repetitions, each from the state right after collection."""
    cover: bool = False
    keep_collecting: bool = False
    """Run the rest although some file can't be collected."""
    stop_on_timeout: bool = False
    """End the run at the first test that takes too long."""
    test_timeout_s: float
    suite_timeout_s: float


def runner_tree() -> Tree:
    """Return what to upload to RUNNER_FOLDER: our files as data, executed nowhere else."""
    tree = screen_tree()
    return {p: tree[p] for p in tree if not PurePosixPath(p).name.startswith(_SCREEN)}


def screen_tree() -> Tree:
    """Return what the screen takes: the runner's files, and its own beside them."""
    folder = resources.files("envplatform.swe.p2f") / "inside"
    names = sorted(entry.name for entry in folder.iterdir())
    sources = {n: (folder / n).read_bytes() for n in names if n.endswith(".py")}
    return {
        n if n in _STARTS else f"envp_p2f/{n}": File(data)
        for n, data in sources.items()
    }


def runner_digest() -> str:
    """Digest of what runs the suites: part of what decides a verdict."""
    return tree_digest(runner_tree())


def runner_argv() -> tuple[str, ...]:
    """Return how the runner is started: nothing of the workspace can be imported."""
    return ("python3", "-I", "-B", START_FILE)


def job_bytes(target: Target, request: RunRequest, *, nonce: str) -> bytes:
    """Return the job for the runner's standard input."""
    code, suite = target.code, target.suite
    job: dict[str, object] = {
        "nonce": nonce,
        "root": WORKSPACE,
        "directory": _absolute(suite.directory),
        "results": suite.results,
        "command": suite.command,
        "report": _absolute(suite.report) if suite.report else "",
        "services": [asdict(service) for service in target.services],
        "paths": _paths(target, request),
        "args": suite.args,
        "ids": request.ids,
        "without": request.without,
        "pythonpath": [_absolute(path) for path in suite.pythonpath],
        "env": _environment(suite.env, request.seed),
        "seed": request.seed,
        "shuffle": request.shuffle,
        "rounds": request.rounds,
        "keep_collecting": request.keep_collecting,
        "stop_on_timeout": request.stop_on_timeout,
        "test_timeout_s": request.test_timeout_s,
        "run_timeout_s": request.suite_timeout_s,
        "grace_s": 3.0,
        "report_chars": 4_000,
        "max_record_bytes": MAX_RESULT_BYTES // 2,
        "max_drain_bytes": 1_000_000,
        "tail_bytes": 8_000,
        "cover": {
            "include": [p for r in code.roots for p in _patterns(r)],
            "omit": [f"{WORKSPACE}/{glob}" for glob in code.exclude],
        }
        if request.cover
        else None,
    }
    return json.dumps(job).encode()


def limits_of(target: Target, request: RunRequest) -> Limits:
    """Return the sandbox's limits: wider in time than the job's own."""
    suite = target.suite
    services_s = sum(service.ready_timeout_s for service in target.services)
    wall_s = request.suite_timeout_s + services_s + _SLACK_S
    return Limits(
        wall_s=wall_s,
        cpu_s=2 * wall_s,
        memory_mb=suite.memory_mb,
        processes=suite.processes,
        disk_mb=suite.disk_mb,
        output_bytes=MAX_RESULT_BYTES,
    )


def _environment(extra: Mapping[str, str], seed: int) -> dict[str, str]:
    return {
        **extra,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "LINES": "24",
        "PYTHONHASHSEED": str(seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHON_COLORS": "0",
    }


def _paths(target: Target, request: RunRequest) -> list[str]:
    """Return what to collect: the files of the chosen tests, if there is a choice."""
    if request.ids is None:
        paths = list(target.suite.paths)
    else:
        files = {test.split("::")[0] for test in request.ids}
        paths = sorted({collected_from(file) for file in files})
    if target.suite.directory == ".":
        return paths
    return [_absolute(path) for path in paths]


def collected_from(file: str) -> str:
    """Return what pytest takes as an argument to find the tests of `file`.

    It reads `[` as the start of a parameter, so such a file is found from a folder
    above it, and a leading `-` or `@` as an option or a file of arguments.
    """
    place = PurePosixPath(file)
    while "[" in str(place):
        place = place.parent
    return f"./{place}" if str(place).startswith(("-", "@")) else str(place)


def _absolute(path: str) -> str:
    return WORKSPACE if path == "." else f"{WORKSPACE}/{path}"


def _patterns(root: str) -> tuple[str, str]:
    return _absolute(root), f"{_absolute(root)}/*"
