"""What is stored as a site to look at: environments, their files, levels and rollouts.

Read-only: there is no form. Everything shown is of strangers and escaped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlencode

from envplatform.bundle import Environment, environment_files
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import StoreError
from envplatform.evaluation.attempts import RolloutRecord
from envplatform.evaluation.realism.page import page, shown, table
from envplatform.evaluation.realism.server import Fields, Reply, Visitor
from envplatform.evaluation.tasks import Task, tasks_of
from envplatform.grading.kept import kept_environment
from envplatform.res.rows import LevelRow
from envplatform.store import Store
from envplatform.trajectories import Trajectory

_PLAIN = ("swe_environments", "seed_environments", "cowork_environments")
_NESTED = "res_lineages"
_ON_PAGE = 100
_MAX_TEXT = 200_000
_DIGEST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseSite:
    """The store of one home."""

    store: Store

    def show(self, path: str, fields: Fields, visitor: Visitor) -> Reply:  # noqa: ARG002  all see the same
        """Return the list, an environment, one of its files, or a rollout.

        Raises:
            StoreError: what is asked for is not stored, or damaged.
            BundleError: an environment is not what its digest says.
        """
        digest = fields.get("digest", "")
        match path:
            case "/":
                return self._list(_number(fields.get("from", "")))
            case "/environment":
                return self._environment(digest)
            case "/file":
                return self._file(digest, fields.get("path", ""))
            case "/rollout":
                return self._rollout(fields.get("batch", ""), fields.get("id", ""))
        nothing = page("Nothing here", f"<p>{shown(path)}</p>")
        return Reply(text=nothing, status=HTTPStatus.NOT_FOUND)

    def act(self, path: str, fields: Fields, visitor: Visitor) -> Reply:  # noqa: ARG002  as its protocol has it
        """Change nothing."""
        return Reply(
            text=page("Read-only", "<p>There is nothing to change here.</p>"),
            status=HTTPStatus.METHOD_NOT_ALLOWED,
        )

    def _list(self, first: int) -> Reply:
        rows, tasks = self._rows()
        first = min(first, len(rows))
        part = rows[first : first + _ON_PAGE]
        cells = [
            (
                _link(one.environment_id, "/environment", digest=one.digest),
                shown(one.pillar),
                shown(one.scenario or one.repository),
                str(tasks[one.digest].depth),
                shown(one.operator),
                shown(one.licence),
            )
            for one in part
        ]
        titles = ("environment", "pillar", "of", "depth", "operator", "licence")
        last = first + len(part)
        more = (
            f"<p>{_link('more', '/', **{'from': str(last)})}</p>"
            if last < len(rows)
            else ""
        )
        said = f"<p>{first + 1 if part else 0} to {last} of {len(rows)}</p>"
        return Reply(text=page("Environments", said + table(titles, cells) + more))

    def _environment(self, digest: str) -> Reply:
        row, environment, tasks = self._found(digest)
        parts = [
            f"<p>digest {shown(digest)}</p>",
            _lineage(tasks, tasks[digest]),
            f"<h2>Instruction</h2><pre>{shown(environment.instruction)}</pre>",
            "<h2>Gate</h2>",
            table(
                ("check", "status", "evidence"),
                [
                    (shown(one.name), shown(one.status), shown(one.evidence))
                    for one in environment.audit
                ],
            ),
            "<h2>Files</h2>",
            _files(digest, environment),
            "<h2>Rollouts</h2>",
            self._rollouts(digest),
        ]
        return Reply(text=page(row.environment_id, "".join(parts)))

    def _file(self, digest: str, path: str) -> Reply:
        row, environment, _ = self._found(digest)
        files = environment_files(environment)
        if path not in files:
            msg = f"{row.environment_id} has no file {path!r}"
            raise StoreError(msg)
        data = files[path].data
        text = data[:_MAX_TEXT].decode("utf-8", "replace")
        left = len(data) - _MAX_TEXT
        more = f"<p>and {left} bytes more</p>" if left > 0 else ""
        body = f"<pre>{shown(text)}</pre>{more}"
        return Reply(text=page(f"{row.environment_id}: {path}", body))

    def _rollouts(self, digest: str) -> str:
        found = [
            (
                _link(one.trajectory_id, "/rollout", batch=batch, id=one.trajectory_id),
                shown(batch),
                shown(one.policy),
                shown(one.ending),
                "-" if one.reward is None else f"{one.reward:g}",
            )
            for batch, one in self._records()
            if one.environment_digest == digest
        ]
        titles = ("rollout", "batch", "policy", "ending", "reward")
        return table(titles, found) if found else "<p>none</p>"

    def _rollout(self, batch: str, trajectory_id: str) -> Reply:
        if self.store.manifest("rollouts", batch) is None:
            msg = f"there is no batch {batch!r} of rollouts"
            raise StoreError(msg)
        for one in self.store.scan(Trajectory, "rollouts", batch):
            if one.trajectory_id == trajectory_id:
                return Reply(text=page(trajectory_id, "".join(_messages(one))))
        msg = f"batch {batch!r} has no rollout {trajectory_id!r}"
        raise StoreError(msg)

    def _records(self) -> Iterator[tuple[str, RolloutRecord]]:
        for manifest in self.store.manifests("rollouts"):
            batch = manifest.partition or ""
            for one in self.store.scan(RolloutRecord, "rollouts", batch):
                yield batch, one

    def _found(
        self, digest: str
    ) -> tuple[EnvironmentRow, Environment, dict[str, Task]]:
        rows, tasks = self._rows()
        row = next((one for one in rows if one.digest == digest), None)
        if row is None:
            msg = f"no environment {digest[:_DIGEST]!r} is published"
            raise StoreError(msg)
        return row, kept_environment(self.store, row), tasks

    def _rows(self) -> tuple[list[EnvironmentRow], dict[str, Task]]:
        """All environments, each once, and what they are as tasks."""
        plain = [
            row
            for asset in _PLAIN
            for row in self.store.all_rows(EnvironmentRow, asset)
        ]
        levels = self.store.all_rows(LevelRow, _NESTED)
        rows = {one.digest: one for one in (*plain, *(o.environment for o in levels))}
        return list(rows.values()), tasks_of(plain, levels)


def _lineage(tasks: dict[str, Task], task: Task) -> str:
    """Links to what it was made of, and to what was made of it."""
    above = [tasks[task.parent]] if task.parent in tasks else []
    below = [one for one in tasks.values() if one.parent == task.task]
    rows = [
        (name, _link(one.environment_id, "/environment", digest=one.task))
        for name, several in (("made of", above), ("parent of", below))
        for one in several
    ]
    writers = f"<p>written by {shown(', '.join(task.writers) or 'no model')}</p>"
    return writers + (table(("", "environment"), rows) if rows else "")


def _files(digest: str, environment: Environment) -> str:
    rows = [
        (_link(path, "/file", digest=digest, path=path), str(len(file.data)))
        for path, file in sorted(environment_files(environment).items())
    ]
    return table(("file", "bytes"), rows)


def _messages(one: Trajectory) -> Iterator[str]:
    reward = "no verdict" if one.reward is None else f"reward {one.reward:g}"
    yield f"<p>{shown(one.harness)} by {shown(one.policy)}: {shown(one.ending)}, {reward}</p>"
    for message in one.messages:
        yield f"<h3>{shown(message.role)}</h3><pre>{shown(message.content)}</pre>"
        for call in message.tool_calls:
            yield f"<pre>-&gt; {shown(call.name)} {shown(call.arguments)}</pre>"


def _link(text: str, path: str, /, **fields: str) -> str:
    address = f"{quote(path)}?{urlencode(fields, errors='replace')}"
    return f'<a href="{shown(address)}">{shown(text)}</a>'


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0  # noqa: PLR2004  a page of it
