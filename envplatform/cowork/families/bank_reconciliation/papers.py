"""How procedure, statements and the request are worded."""

from envplatform.cowork.desk import Cell, csv_text
from envplatform.cowork.families.bank_reconciliation.drawing import Line, Month
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def procedure_text(brief: Brief, month: Month) -> str:
    """Return the procedure; what decides stands here."""
    facets = month.facets
    fee = {
        "percent": f"From card payouts (`CARD` in the text) the bank keeps {month.fee / 100:g} % "
        "of what was booked, of a batch on its sum, rounded to the cent, half a cent up. "
        "A line that is short by exactly that is matched, kind `fee`.",
        "fixed": f"From card payouts (`CARD` in the text) the bank keeps {_euros(month.fee)} EUR, "
        "for a batch once. A line that is short by exactly that is matched, kind `fee`.",
        "at_most": "Card payouts (`CARD` in the text) come in less a commission that "
        f"varies. A line that is short by {_euros(month.fee)} EUR or less is matched, kind "
        "`fee`.",
    }[facets.fee]
    transit = {
        "days_3": "booked on one of the last 3 days of the month",
        "days_6": "booked on one of the last 6 days of the month",
        "by_method": "booked by transfer or card on one of the last 3 days of the month, "
        "or by cheque on one of the last 7",
    }[facets.transit]
    stays = {"earlier": "lower", "later": "higher"}[facets.twice]
    aside = brief.pick(
        "Statements are kept for ten years; the controller signs the reconciliation.",
        "The bank numbers its lines anew each month. Ask treasury for older statements.",
        "If the bank corrects a line later, the correction is a line of its own.",
    )
    return filled(f"""# Bank reconciliation

Once a month every line of the bank is matched with entries of the ledger, by reference. Banks
print references with or without the hyphen: `RE4711` is `RE-4711`. A text with `BATCH` stands
for all references of that batch in the list of batches. Days play no part in matching.

## Matched

1. Amounts agree, one line with one entry: `exact`.
2. A batch agrees with the sum of its entries: `batch`.
3. Several lines name the same entry and agree with it together: each of them `split`.
4. {fee} That goes before `batch`.

If a reference was booked twice with the same amount, the entry with the {stays} number is the
one that is matched.

## Open

Lines: a text that begins with `CHARGE` is `bank_charge`, with `INTEREST` is `interest`; a line
that names a reference but does not agree is `amount`; the rest is `unknown`.

Entries: the other one of two that were booked twice is `duplicate`; an entry that a line names,
and that does not agree with it, is `amount`; an entry that no line names is `in_transit` if it was
{transit}, and `missing` otherwise.

## Closing

Bank and ledger both opened the month with {_euros(month.opening_cents)} EUR. Closing is the opening balance and
everything that was booked in the month, on either side. {aside}
""")


def statements(month: Month) -> dict[str, str]:
    """Return files of the bank by name."""
    facets = month.facets
    if facets.bank_as == "csv":
        columns = {
            "signed": ("line", "day", "text", "amount"),
            "two_columns": ("line", "day", "text", "debit", "credit"),
            "marked": ("line", "day", "text", "amount", "dc"),
        }[facets.sign]
        rows: list[tuple[Cell, ...]] = [
            (one.number, str(one.day), one.text, *_amounts(one, facets.sign))
            for one in month.lines
        ]
        return {"statement.csv": csv_text(columns, rows)}
    if facets.bank_as == "text":
        return {"statement.txt": _sheet(month, month.lines, 1)}
    weeks: dict[int, list[Line]] = {}
    for one in month.lines:
        weeks.setdefault((one.day.day - 1) // 7 + 1, []).append(one)
    return {
        f"week_{week}.txt": _sheet(month, tuple(lines), week)
        for week, lines in weeks.items()
    }


def _sheet(month: Month, lines: tuple[Line, ...], number: int) -> str:
    sign = month.facets.sign
    head = {
        "signed": "  amount",
        "two_columns": "  debit | credit",
        "marked": "  amount, D for debit and C for credit",
    }[sign]
    body = "".join(
        f"{one.number:>4} | {one.day} | {one.text:<52} | "
        f"{' | '.join(f'{cell:>11}' for cell in _amounts(one, sign))}\n"
        for one in lines
    )
    return (
        f"ACCOUNT STATEMENT {month.last_day:%m/%Y} - SHEET {number}\n"
        f"line | day | text |{head}\n{'=' * 90}\n{body}{'=' * 90}\n"
        "No guarantee; objections within six weeks.\n"
    )


def _amounts(one: Line, sign: str) -> tuple[str, ...]:
    euros = _euros(abs(one.cents))
    if sign == "signed":
        return (("-" if one.cents < 0 else "") + euros,)
    if sign == "marked":
        return (euros, "D" if one.cents < 0 else "C")
    return (euros, "") if one.cents < 0 else ("", euros)


def instruction_of(brief: Brief, month: Month) -> str:
    """Return the request."""
    name = f"{month.last_day:%B %Y}"
    task = brief.pick(
        f"reconcile the bank account for {name}.",
        f"match the bank statement of {name} with our ledger and tell me what is left "
        "open.",
        f"the bank reconciliation of {name} is still missing.",
    )
    points = [_matches(brief, month), *_opens(brief, month), _closing(brief, month)]
    where = {
        "csv": "the bank's export is in `bank/`",
        "text": "the statement is in `bank/`, as printed",
        "weekly": "`bank/` has the statement, a sheet a week",
    }[month.facets.bank_as]
    ledger = {
        "store": "the ledger is a table store",
        "csv": "the ledger was exported to `books/`",
    }[month.facets.ledger_in]
    return instruction(
        brief,
        task,
        points=(
            brief.pick("Deliver this:", "I need the following.", "What I want to see:"),
            *brief.chance.sample(points, len(points)),
        ),
        marks=(
            f"{where}, {ledger}",
            brief.pick(
                "the procedure in `docs` says what matches and what the kinds mean",
                "kinds and rules are those of our procedure in `docs`",
                "nothing is booked or corrected; what does not agree stays open, with the "
                "kind that the procedure has for it",
            ),
        ),
    )


def _matches(brief: Brief, month: Month) -> str:
    facets = month.facets
    order = {
        "line": brief.pick("by line of the bank", "in the order of the bank's lines"),
        "entry": "by entry (the first one) and then by line",
        "kind": "by kind in alphabetical order, then by line",
    }[facets.order_by]
    if facets.matches == "joined":
        form = brief.pick(
            "one row for each line of the bank that is matched, with `line`, `entries` "
            "(their numbers in rising order, joined by `+`), `kind` and `fee_cents`, what "
            "the line is short, 0 without a fee",
            "columns `line`, `entries`, `kind`, `fee_cents`: the matched lines of the bank, "
            "the entries joined by `+` from the lowest number on, and the cents that the "
            "bank kept, 0 if none",
        )
    else:
        form = brief.pick(
            "one row for each pair of a line and an entry that belong together: `line`, "
            "`entry`, `kind`",
            "pairs of `line` and `entry` with their `kind`; a batch takes as many rows as "
            "it has entries",
        )
        if facets.order_by == "line":
            order += " and then by entry"
        if facets.order_by == "kind":
            order += " and by entry"
    return f"- `/workspace/matches.csv`: {form}; sorted {order}."


def _opens(brief: Brief, month: Month) -> list[str]:
    match month.facets.opens:
        case "one_file":
            return [
                "- `/workspace/open_items.csv`: "
                + brief.pick(
                    "whatever is open on either side, as `side` (`bank` or `ledger`), `id` "
                    "(line or entry), `kind` and `amount_cents`, signed; the bank first, "
                    "each side by number.",
                    "columns `side`, `id`, `kind`, `amount_cents` (signed). First the open "
                    "lines, side `bank`, then the open entries, side `ledger`, both in "
                    "the order of their numbers.",
                )
            ]
        case "two_files":
            what = brief.pick(
                "`kind` and `amount_cents` (signed), by number",
                "its `kind` and its signed `amount_cents`, in the order of the numbers",
            )
            return [
                f"- `/workspace/open_bank.csv`: each open `line` with {what}.",
                f"- `/workspace/open_ledger.csv`: each open `entry` with {what}.",
            ]
        case _:
            return [
                "- `/workspace/open_items.json`: "
                + brief.pick(
                    "an object with `bank` and `ledger`, each an object with the sorted "
                    "list of open lines (numbers) or entries for every kind that occurs.",
                    "under `bank` and `ledger`, per kind that occurs, the list of open "
                    "items: line numbers as numbers, entries as texts, ascending.",
                )
            ]


def _closing(brief: Brief, month: Month) -> str:
    both = "`bank_closing_cents`, `ledger_closing_cents`"
    detail = {
        "bridge": f"{both}, and what lies between: `open_bank_cents` and "
        "`open_ledger_cents` (sums of the open items, signed) and `fees_cents`, what the "
        "bank kept on matched lines",
        "by_kind": f"{both}, and `bank` and `ledger`: for each kind of open item that "
        "occurs there the signed sum in cents",
        "balances": f"{both}, `matched_lines` and `open_lines` of the bank, "
        "`matched_entries` and `open_entries` of the ledger, these four as counts",
    }[month.facets.closing]
    return "- `/workspace/closing.json`: " + brief.pick(
        f"an object with {detail}.", f"one object: {detail}."
    )


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"
