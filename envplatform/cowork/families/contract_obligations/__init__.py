"""A register of contracts: what is due when, and what can't be told."""

from envplatform.cowork.desk import Desk
from envplatform.cowork.families.contract_obligations.drawing import (
    Archive,
    draw_archive,
)
from envplatform.cowork.families.contract_obligations.papers import (
    amendment_text,
    contract_text,
    instruction_of,
    rules_text,
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

CRITERIA = ("entries", "details", "unclear", "overview")


def specify(brief: Brief) -> Specification:
    """Draw the rules, then contracts in which each of them decides something."""
    archive = draw_archive(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, archive),
        parameters=archive.parameters(),
        criteria=CRITERIA,
        facets=told(archive.facets),
        drawn=archive,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay contracts, amendments and rules out."""
    del brief
    archive = specification.drawn_as(Archive)
    facets = archive.facets
    contracts = {
        f"{one.number}.md": contract_text(one, archive) for one in archive.contracts
    }
    amendments = {
        f"{one.number}.md": amendment_text(one, archive) for one in archive.amendments
    }
    desk = Desk()
    desk.document(
        "rules",
        "docs/register.md",
        rules_text(archive),
        about="How the register is kept.",
        kind="schema",
    )
    if facets.kept_in == "beside":
        contracts |= amendments
    desk.folder("contracts", "contracts", contracts, about="Contracts, one a file.")
    about = "Amendments of contracts."
    if facets.kept_in == "folder":
        desk.folder("amendments", "amendments", amendments, about=about)
    if facets.kept_in == "list":
        text = "\n".join(amendments.values())
        desk.document("amendments", "docs/amendments.md", text, about=about)
    if facets.owners_in == "csv":
        rows = sorted(archive.owners.items())
        about = "Who is responsible."
        desk.rows("owners", "docs/owners.csv", ("subject", "owner"), rows, about=about)
    return Build(desk=desk, transformable=("contracts", "rules"))


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    form = str(view.specification.facets["unclear"])
    details = {"action": (r",(decide|replace|review)$", ",ignore")}
    edits = {
        "entries": ("register.csv", r"C-\d+", "C-999"),
        "details": (
            "register.csv",
            *details.get(
                str(view.specification.facets["columns"]), (r"\d{4}-\d\d-", "1999-01-")
            ),
        ),
        "unclear": (f"unclear.{form}", r"C-\d+", "C-999"),
        "overview": ("overview.json", r": \d+", ": 77"),
    }
    return faults_of(view, edits)


FAMILY = Family(
    name="contract_obligations",
    title="A register of what contracts and their amendments oblige us to",
    scenario="legal",
    capabilities=("extract", "classify", "schedule", "report_honestly"),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
