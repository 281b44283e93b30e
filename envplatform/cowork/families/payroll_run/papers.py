"""How pay rules, contracts and the request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.payroll_run.records import Contract, Payroll
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction

SCALE = "hr/pay_scale.md"


def policy_text(run: Payroll) -> str:
    """Return the pay rules; what decides an amount stands here."""
    facets, rules = run.facets, run.rules
    rounding = {
        "exact": "Time is paid to the minute; nothing is rounded.",
        "quarter": "The time of each entry, breaks taken off, is rounded down to full "
        "quarters of an hour before anything else is done with it.",
        "five": "The time of each entry, breaks taken off, is rounded to the nearest "
        "five minutes before anything else is done with it.",
    }[facets.rounding]
    limit = f"{rules.daily_limit_min // 60}:{rules.daily_limit_min % 60:02}"
    overtime = {
        "daily": f"the time by which somebody works more than {limit} hours on a day, "
        "all entries of the day together",
        "weekly": "the time by which somebody works more than the weekly hours of the "
        "contract in a week from Monday to Sunday, each week for itself",
        "period": "the time by which somebody works more than twice the weekly hours of "
        "the contract in both weeks together",
    }[facets.overtime]
    premium = {
        "saturday": f"Work on a Saturday has a premium of {rules.premium_percent} % of "
        "the hourly rate.",
        "sunday_holiday": f"Work on a Sunday and on a public holiday has a premium of "
        f"{rules.premium_percent} % of the hourly rate. The only public holiday of this "
        f"period is {run.holiday:%A}, {run.holiday.isoformat()}; who was off on that day "
        "is paid for it with the monthly correction, not here.",
        "late": f"Work in a late shift (`L`) has a premium of {_eur(rules.late_cents)} an "
        "hour.",
    }[facets.premium]
    sick = {
        "full": "Sick days are paid in full from the first day on",
        "waiting_day": "The first sick day that somebody has in the period is not paid, "
        "every other one in full",
        "percent": f"Sick days are paid with {rules.sick_percent} % of the hourly rate",
    }[facets.sick]
    grades = ", ".join(f"{name}: {_eur(of)}" for name, of in rules.grade_cents.items())
    allowance = {
        "meal": f"A meal allowance of {_eur(rules.meal_cents)} is paid for each day on "
        "which somebody works 6 hours or more.",
        "travel": "Travel money is paid for each day on which somebody works, as the "
        "contract has it.",
        "grade": "A function allowance is paid for each hour worked, by grade "
        f"({grades}), part hours in proportion.",
    }[facets.allowance]
    return filled(f"""# Pay of hourly staff

Human Resources. The rules hold for everybody who is paid by the hour; salaried staff are
paid elsewhere.

## Time

- An entry that nobody has approved is not paid, whatever it is for. It stays open until
  the next run.
- An entry that was handed in twice (same person, day, kind and start) counts once.
- {rounding}
- A day of absence counts a fifth of the weekly hours of the contract.

## Elements of pay

1. Base: time worked at the hourly rate.
2. Overtime: a surcharge of {rules.overtime_percent} % of the hourly rate, on top of the base, on
   {overtime}. Absences are not time worked.
3. Premium: {premium} It is paid on top of base and overtime.
4. Absence: {sick}, days of leave in full.
5. Allowance: {allowance}

Each element of a person is rounded to the cent once, half a cent up. Gross pay is the sum
of the five elements.

## Changes

Rates and time sheets count as they stand when the run is closed. A change of a rate that
is entered before then holds for the whole period.
""")


def letter_text(one: Contract) -> str:
    """Return the summary of a contract; `rate_text` stands in it once."""
    travel = (
        f"Travel money of {_eur(one.travel_cents)} is paid for each day worked."
        if one.travel_cents
        else "No travel money was agreed."
    )
    return filled(f"""Summary of the contract of {one.name}, number {one.number}

Department {one.department}, grade {one.grade}. Weekly hours: {one.weekly_hours}. {rate_text(one)}
{travel} Notice is six weeks to the end of a quarter on either side.
""")


def rate_text(one: Contract) -> str:
    """Return the sentence that a pay rise changes."""
    return f"The hourly rate is {_eur(one.rate_cents)}."


def scale_text(contracts: tuple[Contract, ...]) -> str:
    """Return the pay scale of these contracts."""
    scale = {one.grade: one.rate_cents for one in contracts}
    rows = [(grade, _eur(scale[grade])) for grade in sorted(scale)]
    return filled(f"""# Pay scale

Hourly rates by grade. The scale holds for all departments.

{markdown_table(("Grade", "Hourly rate"), rows)}
""")


def scale_line(grade: str, cents: int) -> str:
    """Return the row of a grade, as the scale has it."""
    return f"| {grade} | {_eur(cents)} |"


def instruction_of(brief: Brief, run: Payroll) -> str:
    """Return the request."""
    last = run.first.toordinal() + 13
    until = type(run.first).fromordinal(last).isoformat()
    period = f"{run.first.isoformat()} to {until}"
    task = brief.pick(
        f"the payroll of the hourly staff from {period} is due; work it out.",
        f"prepare the pay run for the two weeks from {period}.",
        f"hourly staff have to be paid for {period}. Work out what each of them gets.",
    )
    points = [_table(brief, run), _record(brief, run), _extra(brief, run)]
    return instruction(
        brief,
        task,
        points=points,
        marks=(_where(brief, run), _user(brief, run)),
    )


def _table(brief: Brief, run: Payroll) -> str:
    facets = run.facets
    columns = {
        "elements": "`number`, `name`, `base`, `overtime`, `premium`, `absence`, "
        "`allowance` and `gross`, the elements of pay and their sum",
        "hours": "`number`, `name`, `worked` (the time worked that is paid, as `H:MM`), "
        "`absent_days` (sick and leave together, approved ones) and `gross`",
        "short": "`number`, `department`, `base`, `extras` (all other elements together) "
        "and `gross`",
    }[facets.columns]
    order = {
        "number": brief.pick("by number", "sorted by staff number"),
        "name": brief.pick(
            "by surname (no two are the same)", "in the order of the surnames"
        ),
        "gross": brief.pick(
            "the highest gross pay first", "by gross pay, falling (no two get the same)"
        ),
    }[facets.order_by]
    unit = {
        "cents": brief.pick("Amounts are whole cents.", "All amounts in whole cents."),
        "euros": brief.pick(
            "Amounts are euros with two decimals, like `1234.50`.",
            "Write amounts in euros, a point and two decimals, no separators.",
        ),
    }[facets.unit]
    who = brief.pick(
        "one line for everybody who has a contract",
        "a line for each person with a contract",
    )
    return f"- `/workspace/pay.csv`: the columns {columns}; {who}, {order}. {unit}"


def _record(brief: Brief, run: Payroll) -> str:
    what = {
        "by_department": "the gross pay of each department, by its name",
        "by_element": "`base`, `overtime`, `premium`, `absence` and `allowance`, each "
        "summed up over all people",
        "control": "`people` (how many), `minutes` (time worked that is paid, of all of "
        "them), `gross` and `highest` (the number of whoever has the highest gross pay, "
        "as a string)",
    }[run.facets.record]
    return brief.pick(
        f"- `/workspace/totals.json` for the accounts, in cents whatever the table has: "
        f"an object with {what}.",
        f"- Accounting books from `/workspace/totals.json`, one object with {what}; "
        "amounts are integers, in cents.",
    )


def _extra(brief: Brief, run: Payroll) -> str:
    match run.facets.extra:
        case "unapproved":
            return brief.pick(
                "- `/workspace/open.csv`: the entries that were not approved, columns "
                "`entry`, `number` and `day`, by entry.",
                "- The team leads want to know what is still open: `/workspace/open.csv` "
                "with `entry`, `number` and `day` of each entry without approval, sorted "
                "by entry.",
            )
        case "overtime":
            return brief.pick(
                "- `/workspace/overtime.txt`: a line `NUMBER H:MM` for everybody who has "
                "overtime, by number, with the time that has the surcharge.",
                "- The works council gets `/workspace/overtime.txt`, where everybody with "
                "overtime has a line `NUMBER H:MM` (the time with a surcharge), sorted by "
                "number.",
            )
        case _:
            return brief.pick(
                "- `/workspace/absences.json`: the number of everybody with approved "
                "absences, each with an object of `sick` and `leave`, days of the period "
                "(0 if none).",
                "- Also `/workspace/absences.json` for the file of absences: who was away, "
                "by number, and for each the approved days `sick` and `leave`, also where "
                "one of them is 0.",
            )


def _where(brief: Brief, run: Payroll) -> str:
    sheets = {
        "store": "time sheets are the table `entries` of the store `time/clock`",
        "csv": "the time sheets are one list, `time/entries.csv`",
        "folder": "everybody has a time sheet in `time/sheets/`",
    }[run.facets.sheets_in]
    contracts = {
        "csv": "contracts with their rates stand in `hr/contracts.csv`",
        "letters": "contracts are summed up in `hr/contracts/`, one a person",
        "scale": f"`hr/contracts.csv` has the contracts and `{SCALE}` the rates",
    }[run.facets.contracts_in]
    return brief.pick(
        f"{sheets}, {contracts}, and the rules are in `docs/pay_rules.md`",
        f"{contracts}; {sheets}; how pay is worked out says `docs/pay_rules.md`",
    )


def _user(brief: Brief, run: Payroll) -> str:
    return brief.pick(
        f"{run.clerk} from payroll is at it, too, and enters what comes in late; have a "
        "word through `ws say` when you have been through time sheets and contracts, and "
        "before you close the run",
        f"say what you have read to {run.clerk} (payroll, `ws say`) before you write "
        "anything down, since time sheets and contracts are still worked on",
        f"{run.clerk} hears you through `ws say` and should, once you have seen contracts "
        "and time sheets; the run counts as things stand after that",
    )


def _eur(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02} EUR"
