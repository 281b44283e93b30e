"""Open answers of a survey coded by a book that leaves one thing to its owner."""

from dataclasses import asdict, astuple

from envplatform.cowork.conversation import (
    all_of,
    any_of,
    has_queried,
    has_read,
    has_spoken,
    plan,
    tells,
)
from envplatform.cowork.desk import Desk, Sheet, csv_text
from envplatform.cowork.families.survey_coding.drawing import (
    Facets,
    Survey,
    draw_survey,
)
from envplatform.cowork.families.survey_coding.papers import book_text, instruction_of
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
from envplatform.user.plan import Fact, Plan
from envplatform.user.predicates import Predicate
from envplatform.workspace import Fault

COLUMNS = ("answer", "batch", "person", "text")


def specify(brief: Brief) -> Specification:
    """Draw a survey and how it is coded."""
    survey = draw_survey(brief.chance, brief.names)
    facets = survey.facets
    book = f"docs/{brief.pick('code_book', 'coding', 'book')}.md"
    return Specification(
        instruction=instruction_of(brief, survey),
        parameters={
            "facets": dict(asdict(facets)),
            "book": book,
            "codes": [
                [one.number, one.name, list(one.terms), one.weight]
                for one in survey.codes
            ],
            "unclear": survey.unclear,
            "target": survey.target,
        },
        criteria=criteria_of(facets),
        facets=told(facets),
        drawn=survey,
    )


def criteria_of(facets: Facets) -> tuple[str, ...]:
    """Return what is scored."""
    extra = () if facets.extra == "none" else ("extra",)
    return ("codes", "frequencies", "unclassified", *extra)


def build(brief: Brief, specification: Specification) -> Build:
    """Lay book and answers out."""
    survey = specification.drawn_as(Survey)
    facets = survey.facets
    desk = Desk()
    book = str(specification.parameters["book"])
    about = "The code book."
    desk.document("book", book, book_text(survey), about=about, kind="schema")
    rows = [astuple(one) for one in survey.answers]
    about = "Open answers of the survey."
    match facets.data:
        case "csv":
            desk.rows("answers", f"{facets.place}.csv", COLUMNS, rows, about=about)
        case "store":
            columns = dict.fromkeys(COLUMNS, "TEXT NOT NULL")
            sheets = {"answers": Sheet(columns=columns, rows=rows)}
            desk.store("answers", facets.place, sheets, about=f"{about} Table answers.")
        case _:
            desk.folder("answers", facets.place, _batches(survey), about=about)
    return Build(
        desk=desk,
        user=_user(brief, survey, book),
        operations=TALKING,
        transformable=("book", "answers"),
    )


def faults(view: VerifierView) -> tuple[Fault, ...]:
    """Edit one thing of a right answer for each criterion."""
    wanted = view.specification.instruction
    unclassified = ("unclassified.json", r'"A\d+"', '"A999"')
    if "unclassified.txt" in wanted:
        unclassified = ("unclassified.txt", r"^A\d+:", "A999:")
    edits = {
        "codes": ("coded.csv", r"^A\d+,", "A999,"),
        "frequencies": ("frequencies.json", r'\d+(?=["\s,.}]*\Z)', "777"),
        "unclassified": unclassified,
    }
    if "examples.csv" in wanted:
        edits["extra"] = ("examples.csv", r",A\d+,", ",A999,")
    if "repeats.csv" in wanted:
        edits["extra"] = ("repeats.csv", r"A\d+$", "A999")
    return faults_of(view, edits)


def _batches(survey: Survey) -> dict[str, str]:
    """Return a file for each batch."""
    names = sorted({one.batch for one in survey.answers})
    return {
        f"{name.lower()}.csv": csv_text(
            COLUMNS, [astuple(one) for one in survey.answers if one.batch == name]
        )
        for name in names
    }


def _looked(survey: Survey) -> Predicate:
    place = survey.facets.place
    match survey.facets.data:
        case "csv":
            return has_read(f"{place}.csv")
        case "store":
            return has_queried(place)
        case _:
            return any_of(*(has_read(f"{place}/{path}") for path in _batches(survey)))


def _user(brief: Brief, survey: Survey, book: str) -> Plan:
    unclear = survey.unclear
    text = {
        "merged": f"code {unclear} is merged into {survey.target}, so its terms are "
        f"terms of {survey.target} from now on",
        "dropped": f"code {unclear} is dropped, so its terms mean nothing any more",
        "batch_out": f"the batch {unclear} is left out of everything, as it was invented "
        "at a desk",
        "batch_apart": f"all answers of the batch {unclear} that count get code 97, named "
        "`apart`, and no other, whatever they say",
    }[survey.facets.open]
    fact = Fact(id="open", text=text, literals=(unclear,))
    ready = brief.chance.choice(
        (
            all_of(has_read(book), _looked(survey), has_spoken()),
            all_of(_looked(survey), has_spoken()),
        )
    )
    return plan(
        brief,
        name=survey.owner,
        goal="wants the open point of the code book settled this way and no other",
        facts=(fact,),
        signals=(
            tells(
                "settle",
                ready,
                brief.pick(
                    "Good that you ask before you count: {open}.",
                    "I have slept over it, and {open}.",
                    "The panel met this morning; {open}. The rest of the book stands.",
                ),
            ),
        ),
    )


FAMILY = Family(
    name="survey_coding",
    title="Open answers coded by a code book",
    scenario="research",
    capabilities=("classify", "extract", "ask_when_unclear", "follow_policy"),
    artefacts=("table", "record"),
    pattern="dialogue",
    horizon="short",
    specify=specify,
    build=build,
    faults=faults,
)
