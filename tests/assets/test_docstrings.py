from dataclasses import dataclass, make_dataclass

from assets.docstrings import field_docstrings
from assets.shown import table_schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A string that is no field's."""

    key: str
    """Names the row."""
    plain: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Base):
    """More fields."""

    share: float = 0.0
    """Of all,
    0..1.
    """
    loud: bool = False


def test_fields_carry_the_string_that_follows_them() -> None:
    assert field_docstrings(Row) == {"key": "Names the row.", "share": "Of all, 0..1."}


def test_a_class_without_source_has_none() -> None:
    assert field_docstrings(make_dataclass("Made", [("key", str)])) == {}


def test_the_ui_is_told_of_them() -> None:
    columns = table_schema(Row).value.columns
    assert {column.name: column.description for column in columns} == {
        "key": "Names the row.",
        "plain": None,
        "share": "Of all, 0..1.",
        "loud": None,
    }
