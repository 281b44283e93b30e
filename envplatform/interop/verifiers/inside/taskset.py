"""Environments as a taskset: set up, graded and proved by what lies in `tasks/`.

Each task's workspace is copied in at its start, its verifier and its solution only when
they are needed. The score is what the environment's own verifier writes.
"""

import json
import shlex
from collections.abc import Iterable
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.errors import TaskError

TASKS = Path(__file__).parent / "tasks"
_REWARD = "/logs/verifier/reward.json"
_MOST_BYTES = 1_000_000
_SHOWN = 500
_STAGING = "/tmp/envplatform-staging.tar"  # noqa: S108  inside the task's box

_BOXED: dict[str, object] = {
    "image": None,
    "workdir": None,
    "agent_user": None,
    "network_allow": ["*"],
    "resources": {},
}
"""Left to whoever keeps the whole process in a container."""


class EnvironmentData(vf.TaskData):
    """One environment."""

    digest: str
    """Of the environment: the same digest, the same task."""
    criteria: tuple[str, ...] = ("reward",)
    """What its verifier scores, each 0 to 1; all but `reward` become metrics."""


class EnvironmentTask(vf.Task[EnvironmentData]):
    """A workspace, a verifier and a solution."""

    @property
    def key(self) -> str:
        """Durable, wherever the package lies."""
        return str(self.data.digest)

    async def setup(self, runtime: vf.Runtime) -> None:
        """Copy the workspace in, for whoever the agent is."""
        await self._stage(runtime, "workspace.tar", "/workspace")
        user = self.data.agent_user
        if user:
            await self._run(runtime, f"chown -R {shlex.quote(user)}: /workspace")

    @vf.reward
    async def reward(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        """Grade what the agent left."""
        scores = await self._graded(runtime)
        trace.record_metrics(
            {name: scores[name] for name in self.data.criteria if name != "reward"}
        )
        return scores["reward"]

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the solution that comes with it is worth 1."""
        await self._stage(runtime, "solution.tar", "/solution")
        await self._run(runtime, "cd /workspace && bash /solution/solve.sh")
        return (await self._graded(runtime))["reward"] == 1.0

    async def _graded(self, runtime: vf.Runtime) -> dict[str, float]:
        # What lies there may be the agent's.
        await self._run(runtime, "rm -rf /logs/verifier && mkdir -p /logs/verifier")
        await self._stage(runtime, "tests.tar", "/tests")
        await self._run(runtime, "bash /tests/test.sh")
        try:
            said = json.loads(await runtime.read(_REWARD, max_bytes=_MOST_BYTES))
            scores = {name: float(said[name]) for name in self.data.criteria}
        except (OSError, ValueError, TypeError, KeyError) as error:
            msg = f"task {self.data.id}: the verifier gave no verdict ({error!r})"
            raise TaskError(msg) from error
        if not all(0 <= score <= 1 for score in scores.values()):
            msg = f"task {self.data.id}: a score is not between 0 and 1"
            raise TaskError(msg)
        return scores

    async def _stage(self, runtime: vf.Runtime, archive: str, to: str) -> None:
        """Put an archive's files in place of whatever is at `to`."""
        data = (TASKS / str(self.data.id) / archive).read_bytes()
        await runtime.write(_STAGING, data)
        inside = f"find {to} -mindepth 1 -delete"
        await self._run(
            runtime,
            f"mkdir -p {to} && {inside} && "
            f"tar --no-same-owner -xf {_STAGING} -C {to} && rm -f {_STAGING}",
        )

    async def _run(self, runtime: vf.Runtime, command: str) -> None:
        result = await runtime.run(["sh", "-c", command], {})
        if result.exit_code:
            said = (result.stderr or result.stdout).strip()[-_SHOWN:]
            msg = f"task {self.data.id}: {command!r} ended with {result.exit_code}: {said}"
            raise TaskError(msg)


class EnvironmentConfig(vf.TasksetConfig):
    """Where tasks run."""

    contained: bool = False
    """The whole process is in a container of its own already, with the packages that
    the tasks need: use no images. Else files of the machine would be overwritten.
    """


class EnvironmentTaskset(vf.Taskset[EnvironmentTask, EnvironmentConfig]):
    """All tasks of the package, by name."""

    def load(self) -> Iterable[EnvironmentTask]:
        """Yield them."""
        for folder in sorted(TASKS.iterdir()):
            said = json.loads((folder / "task.json").read_text(encoding="utf-8"))
            if self.config.contained:
                said = {**said, **_BOXED}
            data = EnvironmentData.model_validate(said)
            yield EnvironmentTask(data, self.config.task)
