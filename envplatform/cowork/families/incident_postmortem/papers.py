"""How rules, channel and request are worded."""

from envplatform.cowork.families.incident_postmortem.drawing import (
    Facets,
    Outage,
    clock,
)
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import instruction


def guide_text(outage: Outage) -> str:
    """Return the guide: what the figures of a post-mortem are."""
    facets = outage.facets
    second, first = outage.limits
    starts = {
        "first_critical": "when the first critical alert of the day was opened",
        "deployment": "with the last release of the service before its first critical "
        "alert of the day",
        "first_of_service": "when the first alert, of whatever level, within the 15 "
        "minutes before the first critical alert of the day was opened for the service; "
        "with that critical alert where there was none",
    }[facets.starts]
    detected = {
        "acknowledged": "when somebody first wrote `ack` in the channel",
        "first_message": "with the first message in the channel",
        "declared": "when it was declared in the channel",
    }[facets.detected]
    ends = {
        "last_critical_closed": "when the last critical alert of the day was closed",
        "all_clear": "with the all clear in the channel",
        "rolled_back": "when the service was rolled back, as the channel says",
    }[facets.ends]
    what = {
        "minutes": "minutes from beginning to end",
        "services": "services with a critical alert",
        "customers": "customers of all services with a critical alert together",
    }[facets.severity]
    customers = "".join(
        f"- {name}: {count} customers\n" for name, count in outage.customers.items()
    )
    return f"""# Post-mortems

A post-mortem is written without blame and from records, not from memory. All records are
in UTC. Local time is {outage.offset} hours ahead of it.

## Times

- The incident **begins** {starts}.
- It is **detected** {detected}.
- It **ends** {ends}.
- Minutes to detect are counted from beginning to detection, minutes to resolve from
  beginning to end. A detection before the beginning counts as 0 minutes.

## Severity

By the number of {what}: severity 1 from {first} on, severity 2 from {second} on, else
severity 3.

A service is *affected* if it had a critical alert on that day. The *suspect* is the last
release of the service before its first critical alert.

## Customers

{customers}"""


def channel_text(outage: Outage) -> str:
    """Return the channel as it was saved."""
    lines = [f"[{clock(one.minute)}] {one.who}: {one.text}\n" for one in outage.channel]
    return f"# incident-{outage.service}\n\n{''.join(lines)}"


def instruction_of(brief: Brief, outage: Outage) -> str:
    """Return the request."""
    facets, service = outage.facets, outage.service
    task = brief.pick(
        f"write up the outage of `{service}` on 14 May 2025.",
        f"we owe everybody a post-mortem of what happened to `{service}` on 14 May 2025.",
        f"the incident with `{service}` of 14 May 2025 has to be documented from its "
        "records.",
    )
    manager = brief.pick(
        f"{outage.manager} runs monitoring and hears you through `ws say`; report when "
        "you have gone through alerts and channel",
        f"tell {outage.manager} (`ws say`), who keeps the alerts, what you have read "
        "before you write",
    )
    guide = brief.pick(
        "what the times and the severity mean stands in the guide in `docs/`",
        "count as the guide in `docs/` counts, not as people remember it",
    )
    points = [_record(brief, facets), _timeline(brief, facets), *_extra(brief, facets)]
    return instruction(brief, task, points=points, marks=(guide, manager))


def _zone(facets: Facets) -> str:
    return {
        "utc": "UTC, like `2025-05-14T09:07Z`",
        "local": "local time without a zone, like `2025-05-14 11:07`",
    }[facets.clock]


def _record(brief: Brief, facets: Facets) -> str:
    opening = brief.pick(
        "- `/workspace/postmortem.json` is an object with",
        "- Put the figures into `/workspace/postmortem.json`, one object:",
    )
    return (
        f"{opening} `begins`, `detected` and `ends` ({_zone(facets)}), "
        "`minutes_to_detect`, `minutes_to_resolve`, `severity` (numbers), `suspect` (the "
        "release's number) and `affected` (names of the affected services, sorted)."
    )


def _timeline(brief: Brief, facets: Facets) -> str:
    listed = {
        "all": "all alerts that were opened between beginning and end, both included",
        "critical": "the critical alerts opened between beginning and end, both included",
        "affected": "the alerts of affected services, of any level, opened between "
        "beginning and end, both included",
    }[facets.listed]
    order = {
        "oldest": "oldest first",
        "newest": "newest first",
        "service": "by service, then oldest first",
    }[facets.order]
    return brief.pick(
        f"- `/workspace/timeline.csv` lists {listed}: `opened`, `alert`, `service`, "
        f"`level` under a head line, {order}; alerts of the same minute by number.",
        "- The timeline goes into `/workspace/timeline.csv` with the columns `opened`, "
        f"`alert`, `service` and `level` and holds {listed}, {order} (and by number "
        "within a minute).",
    )


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    services = (
        "- `/workspace/services.csv`: for each affected service, by name, the columns "
        "`service`, `critical_minutes` (of its critical alerts together, each from opened "
        "to closed) and `customers`."
    )
    people = brief.pick(
        "- `/workspace/people.json`: how many messages each person wrote in the channel "
        "from detection to end, both included; who wrote none is left out.",
        "- Count in `/workspace/people.json` the messages of everybody who wrote in the "
        "channel between detection and end (both included), name to number.",
    )
    return {"services": (services,), "people": (people,)}.get(facets.extra, ())
