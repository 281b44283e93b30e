"""Runbooks edited in place from change requests, while requests still change."""

from dataclasses import asdict, astuple

from envplatform.cowork.conversation import (
    all_of,
    append,
    changes,
    create,
    edit,
    has_fired,
    has_queried,
    has_read,
    has_spoken,
    overwrite,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet, csv_text, insert_row
from envplatform.cowork.families.runbook_update.drawing import (
    Facets,
    Request,
    Shelf,
    draw_shelf,
)
from envplatform.cowork.families.runbook_update.papers import (
    instruction_of,
    request_text,
    rules_text,
    texts_of,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
)
from envplatform.user.plan import Plan, WorkspaceChange
from envplatform.user.predicates import Predicate
from envplatform.workspace import Fault

COLUMNS = (
    "request",
    "service",
    "fact",
    "value",
    "status",
    "approver",
    "approved",
    "effective",
)


def specify(brief: Brief) -> Specification:
    """Draw runbooks and what is to become of them."""
    shelf = draw_shelf(brief.chance, brief.names)
    facets = asdict(shelf.facets)
    return Specification(
        instruction=instruction_of(brief, shelf),
        parameters=shelf.parameters(texts_of(shelf)),
        criteria=criteria_of(shelf.facets),
        facets={name: str(value) for name, value in facets.items()},
        drawn=shelf,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("edits", "reviewed", "decisions", "values", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay runbooks and requests out."""
    shelf = specification.drawn_as(Shelf)
    desk = Desk()
    desk.document(
        "rules",
        f"docs/{brief.pick('runbook_rules', 'reviewing', 'change_rules')}.md",
        rules_text(shelf),
        about="Which requests are taken over into runbooks.",
        kind="schema",
    )
    desk.folder(
        "runbooks",
        shelf.facets.runbooks,
        texts_of(shelf),
        about="Runbooks, one a service. They may be edited.",
        kind="state",
    )
    _lay_requests(desk, shelf)
    return Build(
        desk=desk,
        user=_user(brief, shelf),
        operations=(*TALKING, "write", "edit"),
        writable_names=(f"{shelf.facets.runbooks}/",),
        transformable=("rules",),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    path = {"owners": "owners.json", "pending": "pending.txt"}
    edits = {
        "decisions": ("changelog.csv", r",superseded,", ",not_yet,"),
        "values": ("changelog.csv", r"(?<=,applied,)\w+,", "nothing,"),
        "extra": (path.get(view.specification.facets["extra"], ""), r"CR-\d", "CR-9"),
    }
    folder = view.specification.facets["runbooks"]
    first = min(path for path in view.served if path.startswith(f"{folder}/"))
    return (
        _held("edits", first, r"^- Backup: ", "- Backups: "),
        _held("reviewed", first, r"^Last reviewed: ", "Reviewed: "),
        *(
            Fault(criterion=name, where="workspace", path=path, old=old, new=new)
            for name, (path, old, new) in edits.items()
            if name in view.specification.criteria
        ),
    )


def _held(criterion: str, path: str, old: str, new: str) -> Fault:
    return Fault(criterion=criterion, where="held", path=path, old=old, new=new)


def _lay_requests(desk: Desk, shelf: Shelf) -> None:
    facets, about = shelf.facets, "Requests for changes of runbooks."
    match facets.requests:
        case "csv":
            text = csv_text(COLUMNS, map(astuple, shelf.requests))
            desk.document("requests", f"{facets.at}.csv", text, about=about)
        case "store":
            texts = dict.fromkeys(COLUMNS, "TEXT NOT NULL")
            sheet = Sheet(
                columns={**texts, "request": "TEXT PRIMARY KEY"},
                rows=[astuple(one) for one in shelf.requests],
            )
            about = "Table requests, one row a request for a change of a runbook."
            desk.store("requests", facets.at, {"requests": sheet}, about=about)
        case _:
            files = {f"{one.number}.txt": request_text(one) for one in shelf.requests}
            desk.folder("requests", facets.at, files, about=about)


def _looked(shelf: Shelf) -> Predicate:
    facets = shelf.facets
    match facets.requests:
        case "csv":
            return has_read(f"{facets.at}.csv")
        case "store":
            return has_queried(facets.at)
        case _:
            return has_read(f"{facets.at}/{shelf.requests[-1].number}.txt")


def _edited(shelf: Shelf, old: Request, new: Request) -> WorkspaceChange:
    at = shelf.facets.at
    match shelf.facets.requests:
        case "csv":
            line, other = (csv_text(astuple(one), ()) for one in (old, new))
            return edit(f"{at}.csv", line, other)
        case "store":
            row, later = (insert_row("requests", astuple(one)) for one in (old, new))
            return edit(f"{at}.sql", row, later)
        case _:
            return overwrite(f"{at}/{old.number}.txt", request_text(new))


def _added(shelf: Shelf, one: Request) -> WorkspaceChange:
    at = shelf.facets.at
    match shelf.facets.requests:
        case "csv":
            return append(f"{at}.csv", csv_text(astuple(one), ()))
        case "store":
            line = insert_row("requests", astuple(one))
            return edit(f"{at}.sql", "COMMIT;", f"{line}\nCOMMIT;")
        case _:
            return create(f"{at}/{one.number}.txt", request_text(one))


def _user(brief: Brief, shelf: Shelf) -> Plan:
    before = {one.number: one for one in shelf.requests}
    news = [_edited(shelf, before[new.number], new) for new in shelf.edited.values()]
    news += [_added(shelf, one) for one in shelf.added]
    looked = _looked(shelf)
    if brief.chance.random() < 0.5:
        first = min(texts_of(shelf))
        looked = all_of(looked, has_read(f"{shelf.facets.runbooks}/{first}"))
    return plan(
        brief,
        name=shelf.manager,
        goal="wants the runbooks to follow what was decided this morning",
        signals=(
            changes("news", looked, *news),
            tells(
                "tell",
                all_of(has_fired("news"), has_spoken()),
                brief.pick(
                    "The board met this morning, and I have just put its decisions into "
                    "the requests. What you have read is not the latest.",
                    "Please look at the requests again: I had to change some of them "
                    "while you were reading.",
                    "Some of that has moved on; the requests are now as they were "
                    "decided today.",
                ),
            ),
        ),
    )


FAMILY = Family(
    name="runbook_update",
    title="Runbooks edited in place from change requests",
    scenario="knowledge",
    capabilities=(
        "edit_in_place",
        "follow_policy",
        "cross_reference",
        "recover_from_change",
    ),
    artefacts=("shared_resource", "table"),
    pattern="patches",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
