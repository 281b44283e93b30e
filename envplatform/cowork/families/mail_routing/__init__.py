"""A shared inbox routed by a policy whose steps have an order."""

from dataclasses import asdict, astuple

from envplatform.cowork.desk import Desk, Route, Sheet
from envplatform.cowork.families.mail_routing.drawing import draw_inbox
from envplatform.cowork.families.mail_routing.papers import (
    instruction_of,
    mail_text,
    policy_text,
)
from envplatform.cowork.families.mail_routing.records import Facets, Inbox, Mail
from envplatform.cowork.family import (
    READING,
    Brief,
    Build,
    Family,
    Json,
    Specification,
    VerifierView,
    faults_of,
)
from envplatform.workspace import Fault

_CUSTOMER = ("customer", "domain", "contract")


def specify(brief: Brief) -> Specification:
    """Draw policy, customers and mails."""
    inbox = draw_inbox(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, inbox),
        parameters=inbox.parameters(),
        criteria=criteria_of(inbox.facets),
        facets={n: str(value) for n, value in asdict(inbox.facets).items()},
        drawn=inbox,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("routing", "counts", "nobody", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay policy, customers and mails out."""
    inbox = specification.drawn_as(Inbox)
    facets = inbox.facets
    desk = Desk()
    desk.document(
        "policy",
        f"docs/{brief.pick('routing', 'inbox_policy', 'who_answers_what')}.md",
        policy_text(inbox),
        about="How mails are routed.",
        kind="schema",
    )
    rows = [astuple(one) for one in inbox.customers]
    about = "Our customers."
    if facets.customers_in == "csv":
        desk.rows("customers", "customers.csv", _CUSTOMER, rows, about=about)
    else:
        columns = dict.fromkeys(_CUSTOMER, "TEXT NOT NULL")
        sheets = {"customers": Sheet(columns=columns, rows=rows)}
        desk.store(
            "customers", "crm/customers", sheets, about=f"Table customers. {about}"
        )
    _lay_mails(desk, inbox)
    return Build(
        desk=desk,
        operations=READING,
        transformable=("customers", "mails", "policy")
        if facets.mails_in == "folder"
        else ("customers", "policy"),
    )


def _lay_mails(desk: Desk, inbox: Inbox) -> None:
    about = "The shared inbox."
    if inbox.facets.mails_in == "folder":
        files = {f"{one.number}.txt": mail_text(one) for one in inbox.mails}
        desk.folder("mails", inbox.facets.folder, files, about=about)
        return
    numbers = [one.number for one in inbox.mails]
    routes = [Route(path="/mails", body=numbers)]
    routes += [Route(path=f"/mails/{o.number}", body=_body(o)) for o in inbox.mails]
    about += " GET /mails for the numbers, GET /mails/NUMBER for one."
    desk.service("mails", "services/mail", routes, about=about)


def _body(one: Mail) -> dict[str, Json]:
    return {
        "mail": one.number,
        "from": one.sender,
        "date": one.date,
        "subject": one.subject,
        "language": one.language,
        "in_reply_to": one.answers or None,
        "attachments": list(one.files),
        "text": one.text,
    }


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    edits = {
        "routing": ("routing.csv", r"^(\d{3}),[a-z_]+,", "999,nowhere,"),
        "counts": ("counts.json", r": \d+", ": 99"),
        "nobody": (
            f"nobody.{facets['nobody']}",
            r'"\d{3}"' if facets["nobody"] == "json" else r"^\d{3}",
            '"999"' if facets["nobody"] == "json" else "999",
        ),
    }
    if facets["extra"] == "digest":
        edits["extra"] = ("digest.md", r"\d{3}$", "999")
    if facets["extra"] == "duplicates":
        edits["extra"] = ("duplicates.csv", r",\d{3}$", ",999")
    return faults_of(view, edits)


FAMILY = Family(
    name="mail_routing",
    title="A shared inbox routed by a policy",
    scenario="messaging",
    capabilities=(
        "classify",
        "extract",
        "cross_reference",
        "follow_policy",
        "report_honestly",
    ),
    artefacts=("table", "record"),
    pattern="single_turn",
    horizon="long",
    specify=specify,
    build=build,
    faults=faults,
)
