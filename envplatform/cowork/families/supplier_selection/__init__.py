"""Bids scored by a tender document, with reasons to exclude some."""

from dataclasses import astuple, fields

from envplatform.cowork.desk import Desk
from envplatform.cowork.families.supplier_selection.drawing import (
    Bid,
    Tender,
    draw_tender,
)
from envplatform.cowork.families.supplier_selection.papers import (
    form_text,
    instruction_of,
    letter_text,
    tender_text,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    told,
)
from envplatform.workspace import Fault

CRITERIA = ("exclusions", "points", "ranking", "memo")


def specify(brief: Brief) -> Specification:
    """Draw the rules and bids between which each of them decides."""
    tender = draw_tender(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, tender),
        parameters=tender.parameters(),
        criteria=CRITERIA,
        facets=told(tender.facets),
        drawn=tender,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay tender and bids out."""
    tender = specification.drawn_as(Tender)
    facets = tender.facets
    desk = Desk()
    desk.document(
        "tender",
        f"docs/{brief.pick('tender', 'call_for_bids', 'terms')}.md",
        tender_text(tender),
        about="The tender.",
        kind="schema",
    )
    desk.rows(
        "register",
        "register.csv",
        ("bid", "company", "received"),
        [(one.number, one.company, str(one.received)) for one in tender.bids],
        about="When each bid came in.",
    )
    if facets.quality == "ratings":
        rows = sorted(tender.ratings.items())
        about = "Our rating of earlier work."
        desk.rows("ratings", "ratings.csv", ("company", "rating"), rows, about=about)
    about = "The bids."
    if facets.bids_in == "table":
        names = [one.name for one in fields(Bid) if one.name != "received"]
        cells = [[str(value) for value in astuple(one)] for one in tender.bids]
        at = [one.name for one in fields(Bid)].index("received")
        desk.rows(
            "bids",
            "bids/bids.csv",
            names,
            [r[:at] + r[at + 1 :] for r in cells],
            about=about,
        )
    else:
        texts = {
            f"{one.number}.txt": letter_text(one, tender)
            if facets.bids_in == "letters"
            else form_text(one)
            for one in tender.bids
        }
        desk.folder("bids", "bids", texts, about=about)
    return Build(desk=desk, transformable=("bids", "register", "tender"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    where = {"file": "excluded.csv", "memo": "memo.md"}
    path = where[view.specification.facets["excluded_in"]]
    return (
        _fault("exclusions", path, "certificate", "late"),
        _fault("points", "evaluation.csv", r"(?<=,)\d+(?=\.\d\d$)", "1"),
        _fault("ranking", "evaluation.csv", r"^1,B", "2,B"),
        _fault("memo", "memo.md", r"(?<=^Score: )\d+", "99"),
        _fault("memo", "memo.md", r"(?<=^Price: )\d+", "99"),
    )


def _fault(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="workspace", path=path, old=old, new=new)


FAMILY = Family(
    name="supplier_selection",
    title="Bids scored by a tender document",
    scenario="procurement",
    capabilities=("extract", "calculate", "follow_policy", "summarise"),
    artefacts=("table", "document"),
    pattern="single_turn",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
