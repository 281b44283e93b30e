"""Views with a life of their own: jobs, publications, indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import CONFLICT, INVALID, NOT_FOUND, NOT_READY, REFUSED, WsError
from .view import View, required, token
from .wire import Reply


class JobView(View):
    """A resource that is absent until a job has prepared it.

    `act create` starts one, `act poll` with its id tells `running` as often as option
    `polls` says and then `done`; `read` with the id gives the content. Option `after`:
    names of other job views of which a finished job is to be passed on at `create`, by
    name.
    """

    operations = ("read", "act")
    needs = ("polls", "salt")

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        if operation == "read":
            self.takes(arguments, "job")
            job = required(arguments, "job", "`act` with action `create` gives an id")
            if not self.is_done(job):
                raise WsError(NOT_READY, f"{job} is running; poll it until it is done")
            return Reply(content=self.source())
        action, given = arguments["action"], arguments.get("input", {})
        if action == "create":
            return self._create(given)
        if action == "poll":
            return self._poll(required(given, "job", "the id that `create` gave"))
        raise WsError(INVALID, f"{self.spec.name} offers create and poll")

    def is_done(self, job: str) -> bool:
        """Whether that job has ended.

        Raises:
            WsError: `not_found`; there is no such job here.
        """
        polled = self._jobs().get(job)
        if polled is None:
            raise WsError(NOT_FOUND, f"{self.spec.name} has no job {job!r}")
        return bool(polled >= self.option("polls"))

    def _jobs(self) -> dict[str, int]:
        jobs: dict[str, int] = self.memory.setdefault("jobs", {})
        return jobs

    def _create(self, given: Mapping[str, Any]) -> Reply:
        after: list[str] = list(self.spec.options.get("after", []))
        if set(given) != set(after):
            wanted = ", ".join(after) or "nothing"
            raise WsError(REFUSED, f"create takes the finished jobs of: {wanted}")
        for name in after:
            other = JobView(self.room.manifest.views[name], self.room)
            if not other.is_done(str(given[name])):
                raise WsError(NOT_READY, f"the job of {name} is running")
        jobs = self._jobs()
        job = token(str(self.option("salt")), self.spec.name, str(len(jobs)))
        jobs[job] = 0
        return Reply(data={"job": job, "status": "running"})

    def _poll(self, job: str) -> Reply:
        done = self.is_done(job)
        if not done:
            self._jobs()[job] += 1
            done = self.is_done(job)
        return Reply(data={"job": job, "status": "done" if done else "running"})


class TransitionView(View):
    """A resource that can be read in its last stage only, stages taken in order.

    Option `stages`: their names, the first being where it stands at the beginning.
    """

    operations = ("read", "act")
    needs = ("stages",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        stages, at = self.option("stages"), self.memory.get("stage", 0)
        if operation == "read":
            self.takes(arguments)
            if at + 1 < len(stages):
                msg = f"{self.spec.name} is in {stages[at]}; it is read in {stages[-1]}"
                raise WsError(NOT_READY, msg)
            return Reply(content=self.source())
        if arguments["action"] != "advance":
            raise WsError(INVALID, f"{self.spec.name} offers advance")
        to = required(arguments.get("input", {}), "to", f"one of {', '.join(stages)}")
        if to not in stages:
            raise WsError(INVALID, f"{self.spec.name} has no stage {to!r}")
        if stages.index(to) > at + 1:
            msg = f"{self.spec.name} is in {stages[at]}; next is {stages[at + 1]}"
            raise WsError(CONFLICT, msg)
        self.memory["stage"] = max(at, stages.index(to))
        return Reply(data={"stage": stages[self.memory["stage"]]})


class IndexView(View):
    """Hits by term, from the stale resource until `act reindex`, then from the source.

    Both hold a JSON object, term to list of hits.
    """

    operations = ("search", "act")
    needs = ("stale",)

    def answer(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        """See the base class."""
        if operation == "act":
            if arguments["action"] != "reindex":
                raise WsError(INVALID, f"{self.spec.name} offers reindex")
            self.memory["fresh"] = True
            return Reply(data={"status": "rebuilt"})
        is_fresh = self.memory.get("fresh", False)
        name = self.spec.source if is_fresh else str(self.option("stale"))
        hits = self.room.object(name).get(arguments["query"].strip().lower(), [])
        return Reply(data={"hits": hits, "built": "now" if is_fresh else "earlier"})
