"""A content that is absent until a job has prepared it."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import Primitive, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import job, read
from envplatform.workspace.recovery import Node


class ExportPreparation(Primitive):
    """Create a job, poll it, download."""

    name = "export_preparation"
    summary = "a content has to be exported by a job before it can be read"

    def options(self) -> tuple[str, ...]:
        """`polls`: how often the job says that it runs, from 1 to 6."""
        return ("polls",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        draft.same(
            "An export: `act create` starts a job, `act poll` it until it is done, then "
            "read with the job.",
            "job",
            polls=whole(draft, options, "polls", 1, 6),
            salt=draft.token("salt"),
        )
        return read(draft.name, job=job(draft.name))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """Nothing can be read before the job is done."""
        del content
        session = opened()
        early = session.ask("read", name=binding.name)
        made = session.ask("act", name=binding.name, action="create").data
        running = session.ask("read", name=binding.name, job=made["job"])
        if early.ok or running.ok:
            msg = (
                f"{self.name} of {binding.name}: it can be read before the job is done"
            )
            raise BundleError(msg)


PRIMITIVE = ExportPreparation()
