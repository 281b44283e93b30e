"""A retention schedule, while Legal still puts holds in force and releases them."""

from dataclasses import astuple

from envplatform.cowork.conversation import (
    all_of,
    append,
    changes,
    create,
    edit,
    has_fired,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.retention_schedule.drawing import (
    Archive,
    draw_archive,
)
from envplatform.cowork.families.retention_schedule.papers import (
    days_text,
    hold_text,
    instruction_of,
    rules_text,
    state_text,
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
from envplatform.user.plan import Plan, Signal, WorkspaceChange
from envplatform.workspace import Fault

CRITERIA = ("listing", "decisions", "overview", "extra")
COLUMNS = (
    *("record", "title", "class", "department", "project", "site", "created", "closed"),
    *("personal", "historic", "boxes"),
)
FOLDER, LIST = "legal/holds", "legal/holds.md"


def specify(brief: Brief) -> Specification:
    """Draw the rules, then records in which each of them decides something."""
    archive = draw_archive(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, archive),
        parameters=archive.parameters(),
        criteria=CRITERIA,
        facets=told(archive.facets),
        drawn=archive,
    )


def build(brief: Brief, specification: Specification) -> Build:
    """Lay rules, records and holds out."""
    archive = specification.drawn_as(Archive)
    desk = Desk()
    desk.document(
        "rules",
        "docs/retention.md",
        rules_text(archive),
        about="How long records are held.",
        kind="schema",
    )
    rows, about = [astuple(one) for one in archive.records], "Files of records."
    if archive.facets.records_in == "csv":
        desk.rows("records", "archive/inventory.csv", COLUMNS, rows, about=about)
    else:
        columns = dict.fromkeys(COLUMNS, "TEXT NOT NULL") | {
            "boxes": "INTEGER NOT NULL"
        }
        sheets = {"records": Sheet(columns=columns, rows=rows)}
        desk.store("records", "archive/inventory", sheets, about=about)
    texts = {f"{one.number}.md": hold_text(one, archive) for one in archive.holds}
    about = "Legal holds."
    if archive.facets.holds_in == "folder":
        desk.folder("holds", FOLDER, texts, about=about)
    else:
        desk.document("holds", LIST, "\n".join(texts.values()), about=about)
    return Build(
        desk=desk,
        user=_user(brief, archive),
        operations=TALKING,
        transformable=("records", "rules"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    extra = {
        "held": ("holds.json", r'"H-\d+"', '"H-99"'),
        "orders": ("shredding.txt", r"R-\d+", "R-9999"),
        "gone": ("gone.csv", r"^R-\d+", "R-9999"),
    }[str(view.specification.facets["extra"])]
    edits = {
        "listing": ("schedule.csv", r"R-\d+", "R-9999"),
        "decisions": (
            "schedule.csv",
            r"\b(delete|hold|keep|review|archive)(?=,)",
            "burn",
        ),
        "overview": ("overview.json", r": \d+", ": 777"),
        "extra": extra,
    }
    return faults_of(view, edits)


def _user(brief: Brief, archive: Archive) -> Plan:
    is_folder = archive.facets.holds_in == "folder"
    first = archive.holds[0].number
    looked = has_read(f"{FOLDER}/{first}.md" if is_folder else LIST)
    change, message = _change(archive), _message(brief, archive)
    signals: tuple[Signal, ...] = (
        changes("hold", all_of(looked, has_spoken()), change, message=message),
    )
    if archive.facets.telling == "quiet":
        signals = (
            changes("hold", looked, change),
            tells("tell", all_of(has_fired("hold"), has_spoken()), message),
        )
    return plan(
        brief,
        name=archive.clerk,
        goal="wants the schedule to rest on the holds of the day",
        signals=signals,
    )


def _change(archive: Archive) -> WorkspaceChange:
    is_folder = archive.facets.holds_in == "folder"
    old, new = archive.holds[0], archive.holds_after[0]
    path = f"{FOLDER}/{old.number}.md" if is_folder else LIST
    match archive.facets.event:
        case "new":
            added = archive.holds_after[-1]
            text = hold_text(added, archive)
            if is_folder:
                return create(f"{FOLDER}/{added.number}.md", text)
            return append(LIST, f"\n{text}")
        case "wider":
            return edit(path, days_text(old), days_text(new))
        case _:
            return edit(path, state_text(old), state_text(new))


def _message(brief: Brief, archive: Archive) -> str:
    is_named = archive.facets.telling == "named"
    number = archive.holds_after[0].number
    which = f"hold {number}" if is_named else "one of the holds"
    match archive.facets.event:
        case "new":
            number = archive.holds_after[-1].number
            which = f"hold {number}" if is_named else "a new hold"
            return brief.pick(
                f"We have been sued again: {which} is in force since a minute ago.",
                f"Please stop for a moment, {which} was filed just now with the others.",
            )
        case "wider":
            return brief.pick(
                f"The court wants more than we thought: {which} reaches further back now.",
                f"I have just changed the days of {which}. Please read it again.",
            )
        case _:
            return brief.pick(
                f"Good news, {which} has been released today. It is in the notice.",
                f"A case was settled, so {which} is released. I have changed the notice.",
            )


FAMILY = Family(
    name="retention_schedule",
    title="A retention schedule while legal holds change",
    scenario="compliance",
    capabilities=("classify", "follow_policy", "recover_from_change", "plan"),
    artefacts=("plan", "table", "record"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
