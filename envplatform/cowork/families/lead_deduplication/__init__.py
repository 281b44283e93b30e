"""Leads from three sources, merged into one record a contact by stated rules."""

from dataclasses import asdict

from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.lead_deduplication.drawing import Pool, draw_pool
from envplatform.cowork.families.lead_deduplication.papers import (
    GOLDEN,
    card_text,
    instruction_of,
    rules_text,
)
from envplatform.cowork.family import (
    READING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
    told,
)
from envplatform.workspace import Fault

CRITERIA = ("groups", "contacts", "left_out", "report")
STORE = "crm/contacts"
COLUMNS = (
    "id",
    "name",
    "company",
    "email",
    "phone",
    "city",
    "employees",
    "opt_in",
    "updated",
)


def specify(brief: Brief) -> Specification:
    """Draw the rules and records in which each of them decides something."""
    pool = draw_pool(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, pool),
        parameters=pool.parameters(),
        criteria=CRITERIA,
        facets=told(pool.facets),
        drawn=pool,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay the sources out."""
    pool = specification.drawn_as(Pool)
    is_stored = pool.facets.target == "store"
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('merging', 'contacts', 'leads')}.md",
        rules_text(pool),
        about="How contacts are merged.",
        kind="schema",
    )
    rows = {
        source: [
            tuple(str(value) for name, value in asdict(one).items() if name != "source")
            for one in pool.leads
            if one.source == source
        ]
        for source in ("crm", "form", "fair")
    }
    texts = dict.fromkeys(COLUMNS, "TEXT NOT NULL")
    leads = Sheet(columns={**texts, "id": "TEXT PRIMARY KEY"}, rows=rows["crm"])
    desk.store("crm", "crm/leads", {"leads": leads}, about="CRM, one row a record.")
    if is_stored:
        fields = dict.fromkeys(GOLDEN, "TEXT NOT NULL")
        empty = Sheet(columns={**fields, "id": "TEXT PRIMARY KEY"}, rows=())
        desk.store(
            "contacts",
            STORE,
            {"contacts": empty},
            about="Table contacts, to be filled.",
        )
    desk.rows(
        "form", "incoming/form.csv", COLUMNS, rows["form"], about="From the web form."
    )
    if pool.facets.cards == "csv":
        desk.rows(
            "fair", "incoming/fair.csv", COLUMNS, rows["fair"], about="From the fair."
        )
    else:
        cards = {
            f"{one.id}.txt": card_text(one)
            for one in pool.leads
            if one.source == "fair"
        }
        desk.folder("fair", "incoming/fair", cards, about="Cards of the fair.")
    return Build(
        desk=desk,
        operations=READING,
        writable_names=(STORE,) if is_stored else (),
        transformable=("fair", "form", "rules"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    path, pattern = {
        "file": ("left_out.csv", "no_contact"),
        "report": ("report.json", "no_contact"),
        "mapping": ("mapping.csv", "no_contact"),
    }[facets["leftovers"]]
    contacts = Fault(
        criterion="contacts",
        where="workspace",
        path="contacts.csv",
        old=r"\+43",
        new="+44",
    )
    if facets["target"] == "store":
        contacts = Fault(
            criterion="contacts",
            where="held",
            path=f"{STORE}.sql",
            old=r"(?<='\+)43(?=\d+',)",
            new="44",
        )
    return (
        contacts,
        _fault("groups", "mapping.csv", r"(?<=,)[CFT]\d{4}", "C0000"),
        _fault("left_out", path, pattern, "empty"),
        _fault("report", "report.json", r'(?<="contacts": )\d+', "1"),
    )


def _fault(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="workspace", path=path, old=old, new=new)


FAMILY = Family(
    name="lead_deduplication",
    title="Leads from several sources merged by stated rules",
    scenario="sales",
    capabilities=("transform", "classify", "edit_in_place"),
    artefacts=("table", "shared_resource", "record"),
    pattern="single_turn",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
