"""Many final states graded in one sandbox, each by a child of one process.

For verifiers that are started as ours are, and where a sandbox lets us run its first
process. What goes on inside stands in `inside/rounds`; here is what is sent and what is
made of the answers. No answer is no verdict: such a state is graded by itself.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources

from envplatform.bundle import TEST_SCRIPT, Environment, environment_digest
from envplatform.grading.grade import SERVED, TESTS, Grading, log_of, scores_of
from envplatform.grading.runtime import with_byte_code
from envplatform.grading.sessions import WORKSPACE, Final, limits_of
from envplatform.sandbox.base import Sandbox
from envplatform.tree import File
from envplatform.workspace.programs import grader_files

_OURS = ("grade.py", "seedlib.py")
_INSIDE = "envplatform.grading.inside"
_MODULES = ("held", "ready", "rounds")
_START = """\
import sys, types
whose, *rest = sys.argv[1:]
for name, source in zip(rest[::2], rest[1::2]):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
code = module.main(ours=whose == "ours")
if code is not None:
    exec(code, sys.modules["__main__"].__dict__)
    if whose == "ours":
        module.leave()
"""
_MOST_BYTES = 64_000_000
"""Of answers; what comes later is graded by itself."""


def starts_as_ours(environment: Environment) -> bool:
    """Whether its verifier starts as ours do: the script that does it is the same."""
    return environment.tests.get(TEST_SCRIPT) == grader_files({}, ())[TEST_SCRIPT]


async def grade_together(
    sandbox: Sandbox, environment: Environment, finals: Sequence[Final]
) -> tuple[Grading | None, ...]:
    """Grade in an open sandbox, in which nothing may lie yet; None: no verdict.

    All together have the time of one grading.

    Raises:
        SandboxError: the sandbox failed.
    """
    await sandbox.upload(with_byte_code(environment.tests), TESTS)
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    result = await sandbox.exec_first(
        ["python3", "-I", "-B", "-c", _START, _whose(environment), *_sources()],
        stdin=b"".join(_states(finals)),
        limits=replace(limits, output_bytes=_MOST_BYTES),
    )
    digest = environment_digest(environment)
    said = f"{sandbox.info.kind} {sandbox.info.version}"
    found: list[Grading | None] = [None] * len(finals)
    for line in result.stdout.split(b"\n")[:-1]:
        one = json.loads(line)
        scores = scores_of(base64.b64decode(one["reward"]), environment)
        if not isinstance(scores, tuple):
            found[one["at"]] = Grading(
                environment_digest=digest,
                reward=scores["reward"],
                components=scores,
                log=log_of(base64.b64decode(one["said"])),
                seconds=one["seconds"],
                sandbox=said,
            )
    return tuple(found)


def _whose(environment: Environment) -> str:
    ours = grader_files({}, ())
    is_ours = all(environment.tests.get(name) == ours[name] for name in _OURS)
    return "ours" if is_ours else "theirs"


def _sources() -> Iterator[str]:
    """Yield name and text of each module, those that others import first."""
    for name in _MODULES:
        yield f"{_INSIDE}.{name}"
        yield (resources.files(_INSIDE) / f"{name}.py").read_text()


def _files(final: Final) -> Mapping[str, File]:
    """Return all of a state by its path inside."""
    held = final.served.files() if final.served is not None else {}
    return {
        **{f"{WORKSPACE}/{path}": file for path, file in final.workspace.items()},
        **{f"{SERVED}/{path}": file for path, file in held.items()},
    }


def _states(finals: Sequence[Final]) -> Iterator[bytes]:
    """Yield what is otherwise than in the state before."""
    before: Mapping[str, File] = {}
    for final in finals:
        files = _files(final)
        fresh = sorted(path for path, file in files.items() if before.get(path) != file)
        head = {
            "gone": sorted(before.keys() - files.keys()),
            "put": [
                [path, files[path].executable, len(files[path].data)] for path in fresh
            ],
        }
        said = json.dumps(head).encode("ascii")
        yield len(said).to_bytes(8, "big")
        yield said
        yield from (files[path].data for path in fresh)
        before = files
