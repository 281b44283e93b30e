"""Going on from what documents and refusals tell: names, keys, terms, jobs of others."""

import re

from envplatform.rollout.explorer.leads import Leads
from envplatform.rollout.explorer.mentions import Mentions
from envplatform.ws import Reply, Request

_MOST_KEYS = 60
"""Tried at one name."""
_WANTS_JOBS = re.compile(r"takes the finished jobs of: (.+)$")


def follow(leads: Leads, mentions: Mentions, request: Request, reply: Reply) -> None:
    """Queue what an answer makes possible beyond the name that it is about."""
    if not reply.ok:
        _from_refusal(leads, mentions, request, reply.message)
        return
    going_on = _GOING_ON.get(request.operation)
    if going_on is not None:
        going_on(leads, mentions, request, reply)


def _from_list(leads: Leads, mentions: Mentions, _: Request, reply: Reply) -> None:
    for one in reply.data["names"]:
        _read_on(leads, mentions, mentions.named_by(str(one["name"])))
        if "search" in one["offers"]:
            for term in mentions.terms(str(one["name"])):
                leads.add(3, "search", name=str(one["name"]), query=term)


def _from_read(
    leads: Leads, mentions: Mentions, request: Request, reply: Reply
) -> None:
    content = reply.content
    if content is None:  # a part
        content = str(reply.data["content"]).encode("utf-8", "replace")
    name = str(request.arguments["name"])
    _read_on(leads, mentions, mentions.learn(name, content))


def _from_search(
    leads: Leads, mentions: Mentions, request: Request, reply: Reply
) -> None:
    hits = [str(hit["name"]) for hit in reply.data["hits"] if "name" in hit]
    for hit in hits:
        mentions.origin.setdefault(hit, str(request.arguments["name"]))
    _read_on(leads, mentions, hits)


def try_keys(leads: Leads, mentions: Mentions) -> None:
    """Queue values for names that want one, as they turn up."""
    for name, argument in mentions.locked.items():
        for value in mentions.keys_for(name)[:_MOST_KEYS]:
            leads.add(1, "read", name=name, **{argument: value})


def _read_on(leads: Leads, mentions: Mentions, told: list[str]) -> None:
    for one in told:
        if one not in mentions.about:
            leads.add(0, "read", name=one)
            leads.add(1, "list", prefix=one)  # its account, where no list gave it


def _from_refusal(leads: Leads, mentions: Mentions, request: Request, why: str) -> None:
    name = str(request.arguments.get("name", ""))
    wants = re.match(r"pass (key|version)\b", why)
    if request.operation == "read" and wants and name not in mentions.locked:
        mentions.locked[name] = wants[1]
    if request.operation == "read" and name in mentions.origin:
        leads.add(0, "list", prefix=name)  # tells what is offered there
    jobs = _WANTS_JOBS.search(why)
    if request.operation == "act" and jobs:
        mentions.waiting[name] = tuple(jobs[1].split(", "))
        _create_waiting(leads, mentions)


def _from_act(leads: Leads, mentions: Mentions, request: Request, reply: Reply) -> None:
    name, action = str(request.arguments["name"]), request.arguments["action"]
    if action in {"create", "poll"} and reply.data["status"] == "done":
        mentions.finished[name] = str(reply.data["job"])
        _create_waiting(leads, mentions)
    elif action == "reindex":
        for term in mentions.terms(name):
            leads.again(1, "search", name=name, query=term)


def _create_waiting(leads: Leads, mentions: Mentions) -> None:
    for name, others in mentions.waiting.items():
        if all(one in mentions.finished for one in others):
            given = {one: mentions.finished[one] for one in others}
            leads.add(0, "act", name=name, action="create", input=given)


_GOING_ON = {
    "list": _from_list,
    "read": _from_read,
    "search": _from_search,
    "act": _from_act,
}
