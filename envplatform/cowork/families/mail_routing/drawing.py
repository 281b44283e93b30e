"""What is drawn: queues, customers, and mails for each rule."""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from envplatform.cowork.families.mail_routing.records import (
    Customer,
    Facets,
    Inbox,
    Mail,
    Queue,
)
from envplatform.cowork.words import Names

_QUEUES = {
    "billing": ("refund", "payment", "reminder", "discount"),
    "shipping": ("parcel", "pallet", "carrier", "customs"),
    "technical": ("error", "login", "crash", "update"),
    "sales": ("quote", "catalogue", "sample", "price"),
    "returns": ("return", "damaged", "broken", "exchange"),
    "contracts": ("contract", "termination", "clause", "renewal"),
}
_SENTENCES = (
    "We have a question about the {word}.",
    "Could somebody look at the {word} that we talked about?",
    "I am writing because of the {word} of last week.",
    "There is something odd with the {word}, as far as we can tell.",
)
_FILLERS = (
    "Thank you for the quick answer the other day.",
    "We are back in the office from Thursday on.",
    "My colleague is on leave, so please write to me.",
    "It was good to meet you at the fair.",
    "Have a good week.",
)
_SUBJECTS = ("About the {word}", "Your {word}", "The {word} of last week", "{word}")
_EMPTY = ("Short question", "Hello", "Our visit", "Please call back", "As discussed")
_FOREIGN = (
    ("de", "Rückfrage", "Guten Tag, könnten Sie sich das bitte ansehen? Vielen Dank."),
    ("fr", "Une question", "Bonjour, pourriez-vous nous rappeler demain ? Merci bien."),
    ("it", "Richiesta", "Buongiorno, potete richiamarci domani? Grazie mille."),
)
_CASES = (
    *("word",) * 7,
    *("body", "body", "body", "two", "two", "two"),
    *("premium word", "premium word", "premium empty", "stranger", "stranger empty"),
    *("file word", "file word", "file empty", "foreign", "foreign", "foreign word"),
    *("empty", "empty", "newsletter", "newsletter"),
    *("reply", "reply", "reply file", "again both", "again subject", "again text"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What mails are drawn from."""

    chance: random.Random
    queues: tuple[Queue, ...]
    premium: tuple[str, ...]
    others: tuple[str, ...]
    blocked: tuple[str, ...]
    strangers: tuple[str, ...]

    def word(self, *but: Queue) -> tuple[Queue, str]:
        """Draw a queue and a word of it."""
        queue = self.chance.choice([one for one in self.queues if one not in but])
        return queue, self.chance.choice(queue.words)

    def subject(self, word: str) -> str:
        """Put a word into a subject."""
        subject = self.chance.choice(_SUBJECTS).format(word=word)
        return subject[:1].upper() + subject[1:]

    def sentence(self, word: str) -> str:
        """Put a word into a sentence."""
        return self.chance.choice(_SENTENCES).format(word=word)


def draw_inbox(chance: random.Random, names: Names) -> Inbox:
    """Draw an inbox in which every rule decides at least one mail."""
    facets = draw_facets(chance)
    queues = tuple(
        Queue(name=name, words=_QUEUES[name], hours=chance.choice((4, 8, 12, 24)))
        for name in chance.sample(list(_QUEUES), 5)
    )
    companies = names.companies(10)
    contracts = ("premium", "premium", "standard", "standard", "standard", "basic")
    customers = tuple(
        Customer(name=name, domain=_domain(name), contract=contract)  # type: ignore[arg-type]
        for name, contract in zip(companies, contracts, strict=False)
    )
    first, last = names.people(40), names.people(1)
    domains = [_domain(one) for one in companies[6:]]
    desk = _Desk(
        chance=chance,
        queues=queues,
        premium=tuple(o.domain for o in customers if o.contract == "premium"),
        others=tuple(o.domain for o in customers if o.contract != "premium"),
        blocked=tuple(domains[:2]),
        strangers=tuple(domains[2:]),
    )
    mails = _mails(desk, first)
    return Inbox(
        facets=facets,
        team=last[0],
        queues=queues,
        blocked=desk.blocked,
        hours=chance.choice(((2, 8, 24, 48), (4, 12, 24, 72), (1, 6, 16, 32))),
        customers=tuple(chance.sample(customers, len(customers))),
        mails=mails,
    )


def draw_facets(chance: random.Random) -> Facets:
    """Draw the variant."""
    return Facets(
        same=chance.choice(("subject", "text", "both")),
        replies=chance.choice(("thread", "own", "thread_without_files")),
        premium=chance.choice(("first", "after", "never")),
        files=chance.choice(("first", "after", "never")),
        foreign=chance.choice(("first", "after")),
        where=chance.choice(("subject", "all")),
        several=chance.choice(("table", "most")),
        due=chance.choice(("contract", "urgent", "queue")),
        mails_in=chance.choice(("folder", "service")),
        customers_in=chance.choice(("csv", "store")),
        listed=chance.choice(("all", "routed")),
        rows=chance.choice(("mail", "queue", "newest")),
        counts=chance.choice(("queue", "customer", "due")),
        nobody=chance.choice(("csv", "json", "txt")),
        extra=chance.choice(("none", "digest", "duplicates")),
        folder=chance.choice(("inbox", "mail/incoming", "support/inbox")),
    )


def _mails(desk: _Desk, people: list[str]) -> tuple[Mail, ...]:
    """Return all, oldest first; what refers to an earlier one comes after it."""
    chance = desk.chance
    early = [one for one in _CASES if not one.startswith(("reply", "again"))]
    late = [one for one in _CASES if one not in early]
    chance.shuffle(early)
    chance.shuffle(late)
    at = datetime.fromisoformat("2025-03-10T07:10")
    found: list[Mail] = []
    plain: list[Mail] = []
    for number, case in enumerate([*early, *late], 1):
        at += timedelta(minutes=chance.randint(15, 170))
        if at.hour >= 18:
            at += timedelta(hours=13)
        one = (
            _later(desk, case, plain.pop())
            if case in late
            else _mail(desk, case, people.pop())
        )
        one = replace(one, number=f"{number:03}", date=f"{at:%Y-%m-%d %H:%M}")
        found.append(one)
        if case == "word":
            plain.append(one)
    return tuple(found)


def _mail(desk: _Desk, case: str, person: str) -> Mail:
    chance = desk.chance
    kind, _, what = case.rpartition(" ")
    queue, word = desk.word()
    subject = chance.choice(_EMPTY) if what in {"empty", "body"} else desk.subject(word)
    text = chance.choice(_FILLERS[:4])
    if what in {"word", "body", "two", "stranger"}:
        text = f"{desk.sentence(word)} {text}"
    if what == "two":  # one word in the subject, two of another queue in the text
        other, more = desk.word(queue)
        rest = chance.choice([one for one in other.words if one != more])
        text = f"{desk.sentence(more)} {desk.sentence(rest)} {chance.choice(_FILLERS)}"
        subject = f"{subject}, and the {more}"
    if what == "newsletter":
        subject, text = f"News of March: {word} and more", "You are a subscriber."
    domain = chance.choice(
        {
            "premium": desk.premium,
            "stranger": desk.strangers,
            "newsletter": desk.blocked,
        }.get(kind or what, desk.others)
    )
    mail = Mail(
        number="",
        sender=f"{person.lower().replace(' ', '.')}@{domain}",
        date="",
        subject=f"{subject} - urgent" if chance.random() < 0.3 else subject,
        text=f"{text}\n\nKind regards\n{person}",
        files=("photo.jpg",) if chance.random() < 0.15 else (),
    )
    if "foreign" in {kind, what}:
        language, subject, text = chance.choice(_FOREIGN)
        named = f"{subject}: {word}" if what == "word" else subject
        mail = replace(mail, language=language, subject=named, text=text)
    if kind == "file":
        mail = replace(mail, files=(f"invoice_{chance.randint(1000, 9999)}.pdf",))
    return mail


def _later(desk: _Desk, case: str, one: Mail) -> Mail:
    """Return a reply to a mail, or the mail once more."""
    chance = desk.chance
    _, word = desk.word(*(q for q in desk.queues if set(q.words) & _words(one)))
    if case.startswith("reply"):
        files = (f"invoice_{chance.randint(1000, 9999)}.pdf",) if "file" in case else ()
        return replace(
            one,
            subject=f"Re: the {word}",
            text=f"{desk.sentence(word)} {chance.choice(_FILLERS)}",
            answers=one.number,
            files=files,
        )
    return {
        "again both": one,
        "again subject": replace(one, text=f"Did you get this?\n\n{one.text}"),
        "again text": replace(one, subject=f"Once more: {one.subject}"),
    }[case]


def _words(one: Mail) -> set[str]:
    return set(one.subject.lower().replace(",", "").split())


def _domain(company: str) -> str:
    return f"{company.lower().replace(' ', '-')}.example"
