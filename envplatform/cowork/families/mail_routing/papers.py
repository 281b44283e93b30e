"""How policy, mails and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.mail_routing.records import Facets, Inbox, Mail
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def policy_text(inbox: Inbox) -> str:
    """Return the rules by which mails are routed."""
    facets = inbox.facets
    steps = [step for step in _steps(inbox) if step]
    numbered = "\n".join(f"{place}. {step}" for place, step in enumerate(steps, 1))
    table = markdown_table(
        ("Queue", "Words", "Hours"),
        [(one.name, ", ".join(one.words), one.hours) for one in inbox.queues],
    )
    where = {
        "subject": "in the subject; the text below is not looked at",
        "all": "in the subject and in the text below",
    }[facets.where]
    several = {
        "table": "the one that stands first in the table",
        "most": "the one of whose words most occurrences are counted (a word twice is two); "
        "of those with as many, the one that stands first in the table",
    }[facets.several]
    premium, standard, basic, unknown = inbox.hours
    due = {
        "contract": f"{premium} hours for customers with a premium contract, {standard} "
        f"for standard, {basic} for basic, {unknown} for senders who are no customers",
        "urgent": f"{premium} hours if the subject says `urgent`, {basic} hours otherwise",
        "queue": f"the hours that the table has for the queue; {unknown} hours in all "
        "other queues",
    }[facets.due]
    return filled(
        f"""# Who answers which mail

The inbox is gone through twice a day. Whoever is on duty routes and does not answer. A
customer is known by the domain of the sender, whoever writes.

The first step that applies decides:

{numbered}

## Words

A word counts wherever it stands alone as a word, in capitals or not, {where}. If the
words of several queues occur, the mail goes to {several}.

{table}
## Until when

A mail is due after {due}. What is `ignored` or a `duplicate` is never due.

Private mails are forwarded unread. We do not keep lists of who complains.
"""
    )


def _steps(inbox: Inbox) -> tuple[str, ...]:
    facets = inbox.facets
    same = {
        "subject": "the same subject as an earlier mail of the same sender, whatever the "
        "text says,",
        "text": "the same text as an earlier mail of the same sender, whatever the "
        "subject says,",
        "both": "the same subject and the same text as an earlier mail of the same sender",
    }[facets.same]
    replies = {
        "thread": "A reply goes where the mail went that it answers, whatever it says.",
        "own": "",
        "thread_without_files": "A reply goes where the mail went that it answers, "
        "unless it has an invoice attached: then it is treated like a new mail.",
    }[facets.replies]
    premium = "Whatever customers with a premium contract write goes to `key_accounts`."
    files = "A mail with an attached invoice (a file `invoice_...`) goes to `payables`."
    foreign = "A mail in another language than English goes to `international`."
    return (
        f"Mails from {' and '.join(inbox.blocked)} are `ignored`.",
        f"A mail with {same} is a `duplicate`. Sender means the whole address.",
        replies,
        premium if facets.premium == "first" else "",
        files if facets.files == "first" else "",
        foreign if facets.foreign == "first" else "",
        "A mail with a word from the table below goes to that queue.",
        premium if facets.premium == "after" else "",
        files if facets.files == "after" else "",
        foreign if facets.foreign == "after" else "",
        "All else is `unassigned`: nobody is responsible, and somebody has to be told.",
    )


def mail_text(one: Mail) -> str:
    """Return a mail as a file."""
    optional = (
        f"In-Reply-To: {one.answers}\n" if one.answers else "",
        f"Attachments: {', '.join(one.files)}\n" if one.files else "",
    )
    return (
        f"Mail: {one.number}\nFrom: {one.sender}\nDate: {one.date}\n"
        f"Subject: {one.subject}\nContent-Language: {one.language}\n"
        f"{''.join(optional)}\n{one.text}\n"
    )


def instruction_of(brief: Brief, inbox: Inbox) -> str:
    """Return the request."""
    facets = inbox.facets
    task = brief.pick(
        "route the mails in our inbox; answering them is for others.",
        "the shared inbox has not been looked at since Monday: who has to answer what?",
        f"{inbox.team} is ill, so somebody else has to sort the inbox this week.",
    )
    policy = brief.pick(
        "the rules are in `docs/`, and their steps have an order",
        "the policy in `docs/` decides, not how a mail sounds",
        "go step by step through the policy in `docs/`; the first that applies counts",
    )
    honest = brief.pick(
        "do not find a home for what has none",
        "what nobody is responsible for has to be told as such",
    )
    points = [
        _table(brief, facets),
        _counts(brief, facets),
        _nobody(brief, facets),
        *_extra(brief, facets),
    ]
    return instruction(brief, task, points=points, marks=(policy, honest))


def _table(brief: Brief, facets: Facets) -> str:
    rows = {
        "mail": "by the number of the mail",
        "queue": "by queue in alphabetical order, then by number",
        "newest": "the newest mail first",
    }[facets.rows]
    which = {
        "all": "every mail, ignored ones and duplicates too",
        "routed": "every mail that somebody has to see: all but ignored ones and "
        "duplicates",
    }[facets.listed]
    hours = "hours as a plain number" + (
        ", `-` if never" if facets.listed == "all" else ""
    )
    return brief.pick(
        "- `/workspace/routing.csv` with the columns `mail`, `queue`, `customer` and "
        f"`due` has a line for {which}, {rows}. The customer is the name from our list, "
        f"`-` if the sender is none; due is in {hours}.",
        f"- Put {which} into `/workspace/routing.csv`, {rows}: `mail` (number), `queue`, "
        f"`customer` (name as in our list, `-` for others), `due` ({hours}).",
    )


def _counts(brief: Brief, facets: Facets) -> str:
    what = {
        "queue": "how many of all mails went to each queue that got any; `ignored`, "
        "`duplicate` and `unassigned` count as queues",
        "customer": "how many of all mails each customer sent, those that sent any; all "
        "other senders together as `others`",
        "due": "how many mails are due after how many hours (the hours as text), without "
        "those that never are",
    }[facets.counts]
    return brief.pick(
        f"- `/workspace/counts.json` is one object: {what}.",
        f"- Count in `/workspace/counts.json`, as one JSON object, {what}.",
    )


def _nobody(brief: Brief, facets: Facets) -> str:
    return {
        "csv": "- `/workspace/nobody.csv` lists what is unassigned, by number, in the "
        "columns `mail`, `sender` (the address) and `due`.",
        "json": "- `/workspace/nobody.json` is for what is unassigned: an object, number "
        "of the mail to its subject as it stands there.",
        "txt": brief.pick(
            "- `/workspace/nobody.txt`: a line `NUMBER ADDRESS: SUBJECT` for every mail "
            "that is unassigned, by number.",
            "- Unassigned mails are told one a line in `/workspace/nobody.txt`, by "
            "number: `NUMBER ADDRESS: SUBJECT`.",
        ),
    }[facets.nobody]


def _extra(brief: Brief, facets: Facets) -> tuple[str, ...]:
    digest = brief.pick(
        "- `/workspace/digest.md` has a line `QUEUE: N N N` for each queue that got any "
        "mail, in alphabetical order, with the numbers of its mails in order; again "
        "without ignored ones and duplicates.",
        "- For the morning round write `/workspace/digest.md`: queues by name, a line "
        "`QUEUE: N N N` each with the numbers of their mails; neither ignored ones nor "
        "duplicates.",
    )
    duplicates = (
        "- `/workspace/duplicates.csv` has for every duplicate, by number, `mail` and "
        "`earlier`: the first mail that it repeats."
    )
    return {"digest": (digest,), "duplicates": (duplicates,)}.get(facets.extra, ())
