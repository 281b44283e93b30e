"""What a reference does, as tool calls: the oracle's dispatches, its files, its claims.

Read off an oracle that worked in a sandbox of its own: what it asked of the broker, in
order, then the files of /workspace that it left, written by the shell, then `submit`
with claims about them. The turns in which the user changed something are marked.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envplatform.bundle import Environment, without_repository
from envplatform.errors import SandboxError
from envplatform.grading import Final, apply_solution, open_environment
from envplatform.grading.faces import PREFIX
from envplatform.llm.chat import ToolCall
from envplatform.rollout.edits import commands_of
from envplatform.rollout.tools import SHELL, SUBMIT
from envplatform.rollout.user_session import attending
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.trajectories import Dispatch, dispatches_of
from envplatform.tree import Tree

_CLAIMS = 5
_CLAIMED_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One call of a script, and what it is for."""

    tool: str
    arguments: str
    is_delivery: bool = False
    """Whether it writes what is graded."""
    follows_patch: bool = False
    """Whether the user changed something before it, and the call before did not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What to call, in order; the last is `submit`."""

    calls: tuple[Said, ...]
    patched_at: int | None
    """Number of the first call after a change of the user; None: it changed nothing."""

    def numbered(self) -> tuple[ToolCall, ...]:
        """The calls as a model makes them."""
        return tuple(
            ToolCall(call_id=f"call-{number}", name=one.tool, arguments=one.arguments)
            for number, one in enumerate(self.calls, 1)
        )


async def reference_script(
    provider: SandboxProvider, environment: Environment, image: Image
) -> Script:
    """Have the oracle work, and return what it did.

    Raises:
        BundleError: the environment can't be served, or is not of this image.
        SandboxError: a sandbox failed, or the solution did.
    """
    async with open_environment(
        provider, environment, image=image, attend=attending()
    ) as opened:
        result = await apply_solution(opened.sandbox, environment)
        final = await opened.final()
    if result.exit_code != 0:
        said = result.stderr.decode("utf-8", "replace")[-300:].strip()
        msg = f"the solution of {environment.environment_id} failed: {said}"
        raise SandboxError(msg)
    return script_of(environment, final)


def script_of(environment: Environment, final: Final) -> Script:
    """Read a script off what the oracle left."""
    before = without_repository(environment.workspace)
    log = dispatches_of(final.served.log) if final.served else ()
    asked = list(_asked(log))
    written = [
        Said(tool=SHELL, arguments=json.dumps({"command": command}), is_delivery=True)
        for command in commands_of(before, final.workspace)
    ]
    claims = claims_of(before, final.workspace)
    submit = Said(tool=SUBMIT, arguments=json.dumps({"claims": claims}))
    marks = [number for number, one in enumerate(asked) if one.follows_patch]
    return Script(
        calls=(*asked, *written, submit), patched_at=marks[0] if marks else None
    )


def _asked(log: Sequence[Dispatch]) -> Iterator[Said]:
    after_patch = False
    for one in log:
        if one.by == "user":
            after_patch = True
            continue
        yield Said(
            tool=PREFIX + one.operation,
            arguments=one.arguments,
            is_delivery=one.operation in ("write", "edit", "delete", "act"),
            follows_patch=after_patch,
        )
        after_patch = False


def claims_of(before: Tree, after: Tree) -> list[dict[str, object]]:
    """Some claims that hold, about the first files that are not as they were."""
    changed = [
        path for path in sorted({*before, *after}) if _differs(path, before, after)
    ]
    found = (claim for path in changed for claim in _claims(path, before, after))
    return [claim for claim, _ in zip(found, range(_CLAIMS), strict=False)]


def _differs(path: str, before: Tree, after: Tree) -> bool:
    return before.get(path) != after.get(path)


def _claims(path: str, before: Tree, after: Tree) -> Iterator[dict[str, object]]:
    file, old = after.get(path), before.get(path)
    if file is None:
        yield {"path": path, "field": "exists", "value": False}
        return
    try:
        text = file.data.decode("utf-8")
        if path.endswith(".json"):
            yield from _of_json(path, json.loads(text))
        elif path.endswith(".csv"):
            yield from _of_csv(path, text)
        else:
            known = old.data.decode("utf-8") if old else ""
            yield from _of_text(path, known, text)
    except (ValueError, RecursionError, csv.Error):
        return


def _of_text(path: str, old: str, new: str) -> Iterator[dict[str, object]]:
    """Claim a line that is new and that says something."""
    known = set(old.split("\n"))
    for line in new.split("\n"):
        is_short = len(line) <= _CLAIMED_CHARACTERS
        if line not in known and line.strip() and is_short:
            yield {"path": path, "field": "contains", "value": line.strip()}
            return


def _of_json(path: str, value: object) -> Iterator[dict[str, object]]:
    items = value.items() if isinstance(value, dict) else ()
    for key, one in list(items)[:2]:
        if len(json.dumps(one, allow_nan=False)) <= _CLAIMED_CHARACTERS:
            pointer = str(key).replace("~", "~0").replace("/", "~1")
            yield {"path": path, "field": f"/{pointer}", "value": one}


def _of_csv(path: str, text: str) -> Iterator[dict[str, object]]:
    rows = list(csv.reader(io.StringIO(text), strict=True))[:2]
    if len(rows) == 2 and len(rows[1]) == len(rows[0]) > 1:  # noqa: PLR2004  a head and a row
        field = f"{rows[1][0].strip()}/{rows[0][1]}"
        yield {"path": path, "field": field, "value": rows[1][1].strip()}
