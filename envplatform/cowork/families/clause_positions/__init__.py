"""An agreement held against a playbook, with what sales alone knows of the deal."""

from dataclasses import asdict

from envplatform.cowork.conversation import (
    all_of,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk
from envplatform.cowork.families.clause_positions.drawing import (
    Deal,
    Facets,
    draw_deal,
)
from envplatform.cowork.families.clause_positions.papers import (
    agreement_text,
    files_of,
    instruction_of,
    limits_csv,
    playbook_text,
)
from envplatform.cowork.families.clause_positions.topics import TOPICS
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.user.plan import Fact, Plan
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw an agreement and what is to be told of it."""
    deal = draw_deal(brief.chance, brief.names)
    facets = asdict(deal.facets)
    return Specification(
        instruction=instruction_of(brief, deal),
        parameters=deal.parameters(),
        criteria=criteria_of(deal.facets),
        facets={name: str(value) for name, value in facets.items()},
        drawn=deal,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("positions", "redline", "escalation", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay playbook and agreement out."""
    deal = specification.drawn_as(Deal)
    facets = deal.facets
    name = f"docs/{brief.pick('playbook', 'positions', 'contracts')}.md"
    desk = Desk()
    desk.document(
        "playbook",
        name,
        playbook_text(deal),
        about="Our positions on clauses.",
        kind="schema",
    )
    shown = ["playbook", "agreement"]
    if facets.limits == "csv":
        about = "Limits of the playbook."
        desk.document("limits", "docs/limits.csv", limits_csv(deal), about=about)
        shown.append("limits")
    about = f"The draft of {deal.theirs}."
    if facets.agreement == "document":
        path = f"{facets.at}.md"
        desk.document("agreement", path, agreement_text(deal), about=about)
    else:
        desk.folder("agreement", facets.at, files_of(deal), about=about)
    return Build(
        desk=desk,
        user=_user(brief, deal, name),
        operations=TALKING,
        transformable=tuple(shown),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    redline = {
        "sections": ("redline.md", r"\d+(?=\D*\.\n)", "99999"),
        "object": ("redline.json", r"\d+", "99999"),
        "whole": ("redline.md", r"\d+(?=\D*\.\n)", "99999"),
    }
    note = {
        "lines": ("escalation.txt", r"^\d+", "99"),
        "table": ("escalation.csv", r"^\d+", "99"),
        "object": ("escalation.json", r"\d+", "99999"),
    }
    extra = {
        "counts": ("counts.json", r"\d+", "99"),
        "gaps": ("gaps.csv", r"\d$", "x"),
    }
    edits = {
        "positions": ("positions.csv", r",replace,", ",accept,"),
        "redline": redline[facets["redline"]],
        "escalation": note[facets["note"]],
        "extra": extra.get(facets["extra"], ("", "", "")),
    }
    return faults_of(view, edits)


def _user(brief: Brief, deal: Deal, playbook: str) -> Plan:
    facets = deal.facets
    kind = Fact(
        id="kind",
        text=f"for us this is a {deal.kind} deal",
        literals=(f"{deal.kind} deal",),
    )
    facts = [kind]
    if deal.conceded:
        facts.append(_conceded(deal))
        words = brief.pick(
            "You need to know two things: {kind}, and {conceded}.",
            "Before you write anything: {kind}. Besides, {conceded}.",
            "What is in no paper: {kind}, and last week I told them that {conceded}.",
        )
    else:
        words = brief.pick(
            "You need to know one thing: {kind}.",
            "Before you write anything: {kind}. Nothing has been promised so far.",
        )
    read = {
        "document": (has_read(f"{facets.at}.md"),),
        "folder": tuple(has_read(f"{facets.at}/{one}") for one in files_of(deal)),
    }[facets.agreement]
    papers = [has_read(playbook)]
    if facets.limits == "csv":
        papers.append(has_read("docs/limits.csv"))
    return plan(
        brief,
        name=deal.seller,
        goal="wants the deal treated as what it is, and promises kept",
        facts=tuple(facts),
        signals=(tells("tell", all_of(*read, *papers, has_spoken()), words),),
    )


def _conceded(deal: Deal) -> Fact:
    heading, figure = deal.conceded, deal.conceded_figure
    text = f"we take the clause on {heading} as they wrote it"
    if figure:
        unit = next(one.figure for one in TOPICS if one.heading == heading)
        text = f"on {heading} we have already gone to {figure} {unit}"
    return Fact(id="conceded", text=text)


FAMILY = Family(
    name="clause_positions",
    title="An agreement held against a playbook",
    scenario="legal",
    capabilities=("classify", "follow_policy", "ask_when_unclear", "draft"),
    artefacts=("table", "document", "message"),
    pattern="dialogue",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
