"""An outage written up from its records, while alerts are still being added."""

from dataclasses import asdict, astuple

from envplatform.cowork.conversation import (
    all_of,
    append,
    changes,
    has_fired,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet, csv_text
from envplatform.cowork.families.incident_postmortem.drawing import (
    Alert,
    Facets,
    Outage,
    clock,
    draw_outage,
)
from envplatform.cowork.families.incident_postmortem.papers import (
    channel_text,
    guide_text,
    instruction_of,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.user.plan import Plan
from envplatform.workspace import Fault

COLUMNS = ("alert", "service", "level", "opened", "closed", "what")


def specify(brief: Brief) -> Specification:
    """Draw an outage and how it is to be written up."""
    outage = draw_outage(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, outage),
        parameters={
            "facets": dict(asdict(outage.facets)),
            "service": outage.service,
            "offset": outage.offset,
            "limits": list(outage.limits),
            "customers": dict(outage.customers),
        },
        criteria=criteria_of(outage.facets),
        facets=told(outage.facets),
        drawn=outage,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("times", "severity", "affected", "timeline", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the records out."""
    outage = specification.drawn_as(Outage)
    facets = outage.facets
    desk = Desk()
    desk.document(
        "guide",
        f"docs/{brief.pick('postmortems', 'incident_guide', 'writing_up')}.md",
        guide_text(outage),
        about="How post-mortems are written.",
        kind="schema",
    )
    desk.document(
        "alerts",
        facets.alerts,
        csv_text(COLUMNS, map(_line, outage.alerts)),
        about="Alerts of the day.",
        kind="state",
    )
    desk.document(
        "channel",
        facets.channel,
        channel_text(outage),
        about="The incident channel, saved.",
    )
    sheet = Sheet(
        columns={
            "release": "TEXT PRIMARY KEY",
            "service": "TEXT NOT NULL",
            "at": "TEXT NOT NULL",
            "by": "TEXT NOT NULL",
        },
        rows=[(o.number, o.service, clock(o.minute), o.by) for o in outage.deployments],
    )
    desk.store("releases", facets.store, {"releases": sheet}, about="Table releases.")
    return Build(
        desk=desk,
        user=_user(brief, outage),
        operations=TALKING,
        transformable=("channel", "guide"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    edits = {
        "times": (
            "postmortem.json",
            r'"minutes_to_resolve": \d+',
            '"minutes_to_resolve": 1',
        ),
        "severity": ("postmortem.json", r'"severity": \d', '"severity": 9'),
        "affected": (
            "postmortem.json",
            r'"affected": \[\s*"\w+"',
            '"affected": ["none"',
        ),
        "timeline": ("timeline.csv", r",critical$", ",info"),
    }
    if "services.csv" in view.specification.instruction:
        edits["extra"] = ("services.csv", r"\d$", "x")
    if "people.json" in view.specification.instruction:
        edits["extra"] = ("people.json", r": \d+", ": 99")
    return faults_of(view, edits)


def _line(one: Alert) -> tuple[str, ...]:
    number, service, level, opened, closed, what = astuple(one)
    return (number, service, level, clock(opened), clock(closed), what)


def _user(brief: Brief, outage: Outage) -> Plan:
    facets = outage.facets
    late = csv_text(COLUMNS, map(_line, outage.late)).partition("\n")[2]
    looked = brief.chance.choice(
        (
            has_read(facets.alerts),
            all_of(has_read(facets.alerts), has_read(facets.channel)),
        )
    )
    return plan(
        brief,
        name=outage.manager,
        goal="wants the alerts in it that an agent of monitoring sent late",
        signals=(
            changes("late", looked, append(facets.alerts, late)),
            tells(
                "tell",
                all_of(has_fired("late"), has_spoken()),
                brief.pick(
                    "One of our collectors was offline and sent its alerts only now. I "
                    "have added them to the file.",
                    "The list of alerts was not whole: two came late and are in it now.",
                ),
            ),
        ),
    )


FAMILY = Family(
    name="incident_postmortem",
    title="An outage written up from its records",
    scenario="operations",
    capabilities=(
        "extract",
        "cross_reference",
        "calculate",
        "follow_policy",
        "recover_from_change",
        "summarise",
    ),
    artefacts=("record", "table"),
    pattern="patches",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
