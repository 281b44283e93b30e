"""Reports of studies screened by a protocol and put into an evidence table."""

from dataclasses import asdict

from envplatform.cowork.desk import Desk
from envplatform.cowork.families.literature_table.drawing import (
    TOPICS,
    Facets,
    Review,
    draw_review,
)
from envplatform.cowork.families.literature_table.papers import (
    instruction_of,
    protocol_text,
    study_text,
)
from envplatform.cowork.family import (
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    faults_of,
    told,
)
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw studies and a protocol."""
    review = draw_review(brief.chance, brief.names)
    facets = review.facets
    return Specification(
        instruction=instruction_of(brief, review),
        parameters={
            "facets": dict(asdict(facets)),
            "side": TOPICS[facets.topic][3],
            "least": {
                "people": review.least_people,
                "weeks": review.least_weeks,
                "year": review.least_year,
            },
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        drawn=review,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("selection", "figures", "unresolved", "summary", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay protocol and reports out."""
    review = specification.drawn_as(Review)
    desk = Desk()
    desk.document(
        "protocol",
        f"docs/{brief.pick('protocol', 'review_protocol', 'methods')}.md",
        protocol_text(review),
        about="What is included, and what is taken.",
        kind="schema",
    )
    files = {f"{one.number}.md": study_text(review, one) for one in review.studies}
    desk.folder("studies", review.facets.place, files, about="Reports, one a file.")
    return Build(desk=desk, transformable=("protocol", "studies"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    wanted = view.specification.instruction
    edits = {
        "selection": ("evidence.csv", r"^S\d\d", "S99"),
        "figures": ("evidence.csv", r"-?\d\.\d", "9.9"),
        "unresolved": ("open.json", r'"S\d\d"', '"S99"'),
        "summary": ("summary.json", r"\d+(?=\D*\Z)", "77"),
    }
    if "excluded.csv" in wanted:
        edits["extra"] = ("excluded.csv", r",design$", ",year")
    if "references.txt" in wanted:
        edits["extra"] = ("references.txt", r"\(\d{4}\)", "(1900)")
    return faults_of(view, edits)


FAMILY = Family(
    name="literature_table",
    title="Reports of studies put into an evidence table",
    scenario="research",
    capabilities=("extract", "cross_reference", "report_honestly", "summarise"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
