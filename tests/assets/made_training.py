"""A home with one bug to learn on and one task that is done already, and what trains there.

A scripted server is both the agent that is learnt from and the judge; the tiny models
with random weights are trained, play and teach.
"""

import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from assets.definitions import build_definitions
from assets.terminal_run import Terminal
from envplatform.bundle import Environment
from envplatform.sandbox.base import Image
from envplatform.store import Store
from envplatform.tree import File, tree_digest
from tests.assets.test_trajectories import keep
from tests.model_server import Call, Reply, Request, answer
from tests.rollout.tiny import BUGGY, FIX, tiny_environment

SCORE = 0.25
"""What the judge says of all that it is shown."""
_RUBRIC = {
    "text": "The change is small.",
    "paths": ["calc.py"],
    "code_weight": 0.5,
    "votes": 1,
}
_CONFIGURATION = """\
[sandbox]
kind = "bubblewrap"
[targets]
builtin = []
[seeds]
builtin = []
[cowork]
shards = 0
[model]
attempts = 1
record = "off"
{judge}
[rollouts]
command_seconds = 30.0
[rollouts.own]
model = "scripted"
base_url = "{url}"
where = "environment_id = 'tiny'"
[selection.small]
metric = "reward"
reward = 0.5
bins = 1
keep = 1.0
[training.small]
base = "{student}"
base_licence = "Apache-2.0"
dtype = "float32"
rank = 4
max_length = 4000
[training.small.sft]
steps = 2
batch = 1
[grpo.small]
where = "environment_id = 'done'"
steps = 1
batch = 2
group = 2
max_length = 4000
answer_tokens = 6
turns = 2
learning_rate = 1e-3
[distillation.small]
teacher = "{teacher}"
batches = ["own"]
steps = 2
batch = 1
max_length = 4000
learning_rate = 1e-3
{more}
"""
_JUDGE = """\
[judge_model]
kind = "openai"
name = "{name}"
base_url = "{url}"
attempts = 1
record = "off"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The project's file, and the terminal that is told of what is made."""

    file: Path
    terminal: Terminal
    out: io.StringIO
    student: Path
    teacher: Path

    @property
    def said(self) -> str:
        """What the terminal was told."""
        return self.out.getvalue()

    def configure(self, url: str, *, judge: str = "scripted", more: str = "") -> None:
        """Write the configuration; `url` answers for the agent and for the judge."""
        text = _CONFIGURATION.format(
            url=url,
            judge=_JUDGE.format(name=judge, url=url) if judge else "",
            student=self.student,
            teacher=self.teacher,
            more=more,
        )
        self.file.write_text(text, encoding="utf-8")


def make_place(
    folder: Path, store: Store, instance: dg.DagsterInstance, image: Image, base: Path
) -> Place:
    """Publish both tasks; `base` is the model that is trained, and whose copy teaches."""
    keep(store, image, judged(tiny_environment()), _done())
    instance.add_dynamic_partitions("res_seed", ["tiny", "done"])
    out = io.StringIO()
    teacher = folder / "teacher"
    shutil.copytree(base, teacher)
    return Place(
        file=folder / "envplatform.toml",
        terminal=Terminal(
            instance=instance,
            definitions=build_definitions(),
            folder=store.home / "dagster",
            out=out,
        ),
        out=out,
        student=base,
        teacher=teacher,
    )


def judged(environment: Environment) -> Environment:
    """The same task with a rubric beside its hidden tests."""
    rubric = File(json.dumps(_RUBRIC).encode())
    tests = {**environment.tests, "rubric.json": rubric}
    core = replace(environment.core, grader_digest=tree_digest(tests))
    return replace(environment, tests=tests, core=core)


def _done() -> Environment:
    """A task that who does nothing passes, so that a judge is asked of anyone's play."""
    right = {"calc.py": File(BUGGY.replace(b"a - b", b"a + b"))}
    return judged(replace(tiny_environment(), environment_id="done", workspace=right))


def agent_and_judge(request: Request) -> Reply:
    """Fix, then submit; of finished work, always the same score."""
    if is_vote(request):
        return answer(json.dumps({"score": SCORE, "reason": "It is."}))
    if any(message["role"] == "tool" for message in request["messages"]):
        return answer("It is fixed.", Call(name="submit", arguments="{}"))
    return answer(
        "I fix it.", Call(name="shell", arguments=json.dumps({"command": FIX}))
    )


def is_vote(request: Request) -> bool:
    """Whether a judge is asked."""
    return "You score one piece of work" in request["messages"][0]["content"]


def votes(requests: Sequence[Request]) -> int:
    """How often a judge was asked."""
    return sum(map(is_vote, requests))
