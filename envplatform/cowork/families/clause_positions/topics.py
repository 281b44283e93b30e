"""Clauses that agreements have: figures, our standard texts, how others put it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A kind of clause with a figure; `{n}` stands for it in texts."""

    heading: str
    figure: str
    bound: Literal["at most", "at least"]
    step: int
    standard: str
    incoming: tuple[str, ...]


TOPICS = (
    Topic(
        heading="Payment",
        figure="days",
        bound="at most",
        step=3,
        standard="Invoices are due within {n} days of receipt.",
        incoming=(
            "The Customer pays undisputed invoices within {n} days of their receipt.",
            "Invoices fall due {n} days after the Customer has received them.",
        ),
    ),
    Topic(
        heading="Liability",
        figure="percent of the yearly fee",
        bound="at most",
        step=10,
        standard="The Supplier is liable up to {n} percent of the yearly fee.",
        incoming=(
            "The liability of the Supplier ends at {n} percent of the yearly fee.",
            "The Supplier answers for damage up to {n} percent of the yearly fee.",
        ),
    ),
    Topic(
        heading="Termination",
        figure="days of notice",
        bound="at least",
        step=6,
        standard="Either party may terminate with {n} days of notice.",
        incoming=(
            "The Customer may end this agreement at any time with {n} days of notice.",
            "This agreement ends {n} days after either party has given notice.",
        ),
    ),
    Topic(
        heading="Confidentiality",
        figure="months after the end",
        bound="at most",
        step=3,
        standard="Confidentiality lasts for {n} months after the end.",
        incoming=(
            "The parties keep secret what they learn, also {n} months after the end.",
            "Duties of confidence survive the end of this agreement by {n} months.",
        ),
    ),
    Topic(
        heading="Warranty",
        figure="months",
        bound="at most",
        step=2,
        standard="The warranty runs for {n} months from acceptance.",
        incoming=(
            "The Supplier mends defects that show within {n} months of acceptance.",
            "Claims for defects become barred {n} months after acceptance.",
        ),
    ),
    Topic(
        heading="Delay",
        figure="EUR for each day",
        bound="at most",
        step=50,
        standard="For each day of delay the Supplier pays {n} EUR.",
        incoming=(
            "The Supplier owes {n} EUR for every day by which it is late.",
            "Late delivery costs the Supplier {n} EUR a day, fault or no fault.",
        ),
    ),
    Topic(
        heading="Audits",
        figure="days of notice",
        bound="at least",
        step=3,
        standard="The Customer may audit the Supplier, announced {n} days before.",
        incoming=(
            "The Customer may inspect records once it has said so {n} days before.",
            "Audits on site are possible with {n} days of warning.",
        ),
    ),
    Topic(
        heading="Support",
        figure="hours to respond",
        bound="at least",
        step=2,
        standard="The Supplier responds to a report within {n} hours.",
        incoming=(
            "Reports of the Customer are answered within {n} hours of their arrival.",
            "The Supplier begins to work on a report {n} hours after it at the latest.",
        ),
    ),
    Topic(
        heading="Insurance",
        figure="thousand EUR of cover",
        bound="at most",
        step=100,
        standard="The Supplier is insured for {n} thousand EUR.",
        incoming=(
            "The Supplier keeps a cover of {n} thousand EUR for each event.",
            "Proof of insurance over {n} thousand EUR is handed over before the start.",
        ),
    ),
    Topic(
        heading="Data return",
        figure="days",
        bound="at most",
        step=9,
        standard="The Supplier keeps data for {n} days after the end.",
        incoming=(
            "Data of the Customer stay available for {n} days after the end.",
            "Only {n} days after the end may the Supplier delete data.",
        ),
    ),
    Topic(
        heading="Minimum order",
        figure="EUR a year",
        bound="at least",
        step=500,
        standard="The Customer orders for {n} EUR a year or more.",
        incoming=(
            "The Customer commits itself to orders of {n} EUR in every year.",
            "In each year orders come to no less than {n} EUR.",
        ),
    ),
)
OTHERS = (
    ("Notices", "Notices are sent in text form to the addresses on the first page."),
    ("Entire agreement", "Nothing was agreed besides what stands here."),
    ("Force majeure", "Nobody is liable for what could not be foreseen or averted."),
    ("Severability", "If one clause fails, the others stand."),
    ("Publicity", "The Supplier may name the Customer among its references."),
)
