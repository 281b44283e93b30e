"""States graded by one process: what one does reaches no other, and all count as alone."""

from dataclasses import replace

import pytest

from envplatform.bundle import Allowance, Environment
from envplatform.grading import Final, Grading, grade_all
from envplatform.grading.batch import SAMPLE, grade_states
from envplatform.grading.together import starts_as_ours
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File, tree_digest
from envplatform.workspace.programs import grader_files
from tests.bundle.sample import sample_environment
from tests.fakes import CountingProvider
from tests.grading.made import on

RUNS = b"""
import ctypes, os, pathlib, resource, signal, subprocess, sys, time
PLACES = "/tmp /home/agent /dev/shm /logs /tests /solution /workspace".split()
SEEN = [place for place in PLACES if pathlib.Path(place, "left").exists()]
OTHERS = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 1]

def shared():
    return len(open("/proc/sysvipc/shm").readlines()) > 1

def clean(final):
    # A verifier that runs what it finds, and scores how clean the place was before.
    fine = not SEEN and len(OTHERS) == 1 and not shared()
    fine = fine and resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 99
    exec(final.text("do.py") or "")
    return fine

CRITERIA = {"clean": clean}
"""
QUIET = b"pass"
LEAVES = {
    "a file": b"open('/tmp/left', 'w')",
    "a file of the verifier": b"open('/tests/verifier.py', 'a').write('CRITERIA = {}')",
    "the work otherwise": b"pathlib.Path('/workspace/do.py').write_text('raise KeyError')",
    "shared memory": b"open('/dev/shm/left', 'w')",
    "a segment": b"ctypes.CDLL(None).shmget(7, 4096, 0o1666)",
    "a process": (
        b"subprocess.Popen(['sh', '-c', 'sleep 1; while :; do touch /tmp/left; done'],"
        b" start_new_session=True)"
    ),
    "a limit": b"resource.prlimit(1, resource.RLIMIT_NOFILE, (50, 50))",
    "a dead first process": b"os.kill(1, 9); os.kill(1, 2); os.kill(1, 19)",
    "a spoilt first process": (
        b"for name in 'mem', 'fd/1', 'fd/0':\n"
        b"    try: open(f'/proc/1/{name}', 'r+b').write(b'x')\n"
        b"    except OSError: pass\n"
        b"ctypes.CDLL(None).ptrace(16, 1, 0, 0)"
    ),
    "forged answers": (
        b'for at in range(9): print(\'{"at": %d, "reward": "e30="}\' % at, flush=True)'
    ),
}


def environment(image: Image, verifier: bytes = RUNS) -> Environment:
    tests = grader_files({"verifier.py": File(verifier)}, ["clean"])
    base = on(image, sample_environment(tests=tests))
    core = replace(base.core, grader_digest=tree_digest(tests))
    return replace(base, criteria=("reward", "clean"), core=core)


def doing(code: bytes, number: int) -> Final:
    """A state like no other."""
    return Final(
        workspace={"do.py": File(code), "number": File(b"%d" % number)}, served=None
    )


def told(gradings: tuple[Grading, ...]) -> list[object]:
    return [(one.reward, dict(one.components), one.failure) for one in gradings]


@pytest.mark.parametrize("code", LEAVES.values(), ids=LEAVES)
async def test_what_a_verifier_leaves_reaches_no_other_state(
    bubblewrap: SandboxProvider, bare_image: Image, code: bytes
) -> None:
    finals = [doing(QUIET, 0), doing(code, 1), doing(QUIET, 2), doing(QUIET, 3)]
    graded = await grade_states(
        bubblewrap, environment(bare_image), finals, image=bare_image
    )
    assert told(graded.gradings) == [(1.0, {"reward": 1.0, "clean": 1.0}, None)] * 4
    assert not graded.note  # it was seen at once, and not by the sample


async def test_states_that_leave_nothing_share_one_sandbox_and_equal_ones_a_grading(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    counting = CountingProvider(bubblewrap)
    bad = Final(workspace={"do.py": File(b"raise KeyError")}, served=None)
    finals = [*(doing(QUIET, number) for number in range(6)), bad, doing(QUIET, 0)]
    graded = await grade_states(
        counting, environment(bare_image), finals, image=bare_image
    )
    assert [one.reward for one in graded.gradings] == [1, 1, 1, 1, 1, 1, 0, 1]
    assert "clean: KeyError" in graded.gradings[6].log
    assert (graded.note, counting.opened) == ("", 1 + SAMPLE)


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (b"os._exit(3)", "verifier_failed"),
        (b"os.abort()", "verifier_killed"),
        (b"os._exit(0)", "reward_missing"),
        (b"time.sleep(60)", "verifier_timeout"),
    ],
    ids=["ends", "aborts", "says nothing", "hangs"],
)
async def test_a_state_without_a_verdict_costs_itself_alone(
    bubblewrap: SandboxProvider, bare_image: Image, code: bytes, failure: str
) -> None:
    finals = [doing(QUIET, 0), doing(code, 1), doing(QUIET, 2), doing(QUIET, 3)]
    hasty = replace(environment(bare_image), allowance=Allowance(verifier_timeout_s=3))
    found = await grade_all(bubblewrap, hasty, finals, image=bare_image)
    assert [one.failure for one in found] == [None, failure, None, None]
    assert [one.reward for one in found] == [1, None, 1, 1]


LATE = b"""
import atexit, threading
go = threading.Event()
def later(go=go, said=sys.stderr):
    go.wait()
    said.write("a thread")
threading.Thread(target=later).start()
threading._register_atexit(go.set)
atexit.register(sys.stdout.write, "an exit, ")
"""


async def test_what_a_verifier_does_at_its_end_counts_as_it_would_alone(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    """Threads that go on, what is registered for the end, and output not yet written."""
    finals = [doing(LATE, number) for number in range(4)]
    graded = await grade_states(
        bubblewrap, environment(bare_image), finals, image=bare_image
    )
    assert not graded.note
    for one in graded.gradings:
        assert one.reward == 1
        assert one.log == "an exit, a thread"


async def test_what_a_verifier_wrote_itself_counts_as_it_would_alone(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    writes = b"open('/logs/verifier/reward.json', 'w').write('%s'); os._exit(0)"
    half = writes % b'{"reward": 0.5, "clean": 0}'
    links = b"os.symlink('/workspace/do.py', '/logs/verifier/reward.json'); os._exit(0)"
    codes = [half, writes % b"[]", writes % (b"1" * 70_000), links]
    finals = [doing(code, number) for number, code in enumerate(codes)]
    found = await grade_all(
        bubblewrap, environment(bare_image), finals, image=bare_image
    )
    alone = await grade_all(
        bubblewrap, environment(bare_image), finals, image=bare_image, share=False
    )
    assert told(found) == told(alone)
    assert [one.failure or one.reward for one in found] == [
        0.5,
        "reward_malformed",
        "reward_malformed",
        "reward_missing",
    ]


async def test_a_verifier_that_is_otherwise_in_company_is_asked_alone(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    shy = (
        b"def clean(final): return open('/proc/1/comm').read() == 'bwrap\\n'\n"
        b"CRITERIA = {'clean': clean}"
    )
    graded = await grade_states(
        bubblewrap,
        environment(bare_image, shy),
        [doing(QUIET, number) for number in range(4)],
        image=bare_image,
    )
    assert [one.reward for one in graded.gradings] == [1] * 4
    assert "clean 0.0 among others" in graded.note
    assert "clean 1.0 alone" in graded.note


def test_a_verifier_with_a_start_of_its_own_shares_no_process(
    bare_image: Image,
) -> None:
    ours = environment(bare_image)
    tests = {**ours.tests, "test.sh": File(b"#!/bin/sh\ntrue\n", executable=True)}
    assert starts_as_ours(ours)
    assert not starts_as_ours(replace(ours, tests=tests))
