"""One reply to a long thread, with prices, answers and what stays open."""

from dataclasses import asdict

from envplatform.cowork.conversation import (
    all_of,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet
from envplatform.cowork.families.thread_reply.drawing import Case, Facets, draw_case
from envplatform.cowork.families.thread_reply.papers import (
    COLUMNS,
    instruction_of,
    mail_text,
    prices_sheet,
    rules_text,
    sheet_text,
)
from envplatform.cowork.family import (
    TALKING,
    Brief,
    Build,
    Family,
    Specification,
    VerifierView,
)
from envplatform.user.plan import Fact, Plan
from envplatform.workspace import Fault


def specify(brief: Brief) -> Specification:
    """Draw a thread and what is wanted of the reply."""
    case = draw_case(brief.chance, brief.names)
    return Specification(
        instruction=instruction_of(brief, case),
        parameters=case.parameters(),
        criteria=criteria_of(case.facets),
        facets={n: str(value) for n, value in asdict(case.facets).items()},
        drawn=case,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    return ("reply", "open", *(() if facets.extra == "none" else ("extra",)))


def build(brief: Brief, specification: Specification) -> Build:
    """Lay thread, prices, sheet and rules out."""
    case = specification.drawn_as(Case)
    root, facets = case.facets.root, case.facets
    desk = Desk()
    texts = [mail_text(one, case) for one in case.mails]
    about = "The thread, oldest mail first."
    if facets.thread_in == "folder":
        files = {f"{place:02}.txt": text for place, text in enumerate(texts, 1)}
        desk.folder("thread", f"{root}/thread", files, about=about)
    else:
        text = f"{'-' * 40}\n".join(texts)
        desk.document("thread", f"{root}/thread.txt", text, about=about)
    _lay_prices(desk, case)
    about = "What customers ask, and who knows."
    desk.document("sheet", f"{root}/questions.md", sheet_text(case), about=about)
    about = "How replies with prices are written."
    rules = rules_text(case)
    desk.document("rules", f"{root}/rules.md", rules, about=about, kind="schema")
    return Build(
        desk=desk,
        user=_user(brief, case),
        operations=TALKING,
        transformable=("rules", "sheet", "thread"),
    )


def _lay_prices(desk: Desk, case: Case) -> None:
    place, about = f"{case.facets.root}/prices", "The price list."
    rows = [(one.name, *one.prices) for one in case.articles]
    match case.facets.prices_in:
        case "csv":
            desk.rows("prices", f"{place}.csv", COLUMNS, rows, about=about)
        case "store":
            kinds = ("TEXT PRIMARY KEY", *("INTEGER NOT NULL",) * 3)
            columns = dict(zip(COLUMNS, kinds, strict=True))
            sheets = {"prices": Sheet(columns=columns, rows=rows)}
            desk.store("prices", place, sheets, about=f"Table prices. {about}")
        case _:
            desk.document("prices", f"{place}.md", prices_sheet(case), about=about)


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    facets = view.specification.facets
    edits = {
        "reply": ("reply.txt", r"^Net: \d+", "Net: 9"),
        "open": {
            "csv": ("open.csv", r"^\d+,", "99,"),
            "json": ("open.json", r'\[\s*"', '["no '),
            "txt": ("open.txt", r"question \d+", "question 99"),
        }[facets["points"]],
        "extra": {
            "changes": ("changes.csv", r",\d+$", ",999"),
            "articles": ("articles.json", r'"quantity": \d+', '"quantity": 999'),
        }.get(facets["extra"], ("", "", "")),
    }
    return tuple(
        Fault(criterion=name, where="workspace", path=path, old=old, new=new)
        for name, (path, old, new) in edits.items()
        if path
    )


def _user(brief: Brief, case: Case) -> Plan:
    facets, root = case.facets, case.facets.root
    euros = f"{case.decision // 100}.00 EUR"
    text = {
        "discount": f"they get {case.decision} % discount on all articles this time",
        "freight": f"for them the freight comes to {euros}, not to the usual amount",
        "rounding": f"we take {euros} off for a round figure, as I told their boss",
    }[facets.untold]
    seen = has_read(
        f"{root}/thread.txt" if facets.thread_in == "file" else f"{root}/thread/01.txt"
    )
    prices = {
        "csv": has_read(f"{root}/prices.csv"),
        "store": has_queried(f"{root}/prices"),
        "sheet": has_read(f"{root}/prices.md"),
    }
    if facets.trigger == "prices":
        seen = all_of(seen, prices[facets.prices_in])
    message = brief.pick(
        "Before you write: {decided}.",
        "Good. One thing is not in the thread: {decided}. The rest is as the rules say.",
        "I spoke to them on the phone, and {decided}.",
    )
    return plan(
        brief,
        name=case.lead,
        goal="wants the reply to hold what was decided on the phone",
        facts=(Fact(id="decided", text=text),),
        signals=(tells("tell", all_of(seen, has_spoken()), message),),
    )


FAMILY = Family(
    name="thread_reply",
    title="One reply to a long thread",
    scenario="messaging",
    capabilities=(
        "summarise",
        "draft",
        "ask_when_unclear",
        "retrieve",
        "calculate",
        "report_honestly",
    ),
    artefacts=("message", "table"),
    pattern="dialogue",
    horizon="medium",
    specify=specify,
    build=build,
    faults=faults,
)
