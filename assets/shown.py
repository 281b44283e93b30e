"""What the UI shows of a table: metadata of events, columns of definitions."""

from collections.abc import Callable, Mapping
from inspect import getsourcefile, unwrap
from pathlib import Path
from typing import Any

import dagster as dg
from dagster import MetadataValue

from assets.docstrings import field_docstrings
from assets.work import Product
from envplatform.store import record_of
from envplatform.store.shapes import Many, Maybe, Record, Scalar, Shape


def event_metadata(product: Product) -> dict[str, MetadataValue[Any]]:
    """Metadata of one materialisation: what was found, then figures of the table."""
    manifest = product.manifest
    count = (
        "dagster/row_count"
        if manifest.partition is None
        else "dagster/partition_row_count"
    )
    shown: dict[str, MetadataValue[Any]] = {
        count: MetadataValue.int(manifest.rows),
        **{name: _fact(fact) for name, fact in manifest.facts.items()},
        **{title: MetadataValue.md(text) for title, text in manifest.markdown.items()},
        "digest": MetadataValue.text(manifest.digest),
        "cached": MetadataValue.bool(product.cached),
        "bytes": MetadataValue.int(manifest.bytes),
        "seconds": MetadataValue.float(manifest.cost.seconds),
        "tokens": MetadataValue.int(manifest.cost.tokens),
        "usd": MetadataValue.float(manifest.cost.usd),
    }
    if manifest.notes:
        lines = "\n".join(f"- {note}" for note in manifest.notes)
        shown["fallbacks in effect"] = MetadataValue.md(lines)
    return shown


def definition_metadata(
    row_type: type[Any], body: Callable[..., object]
) -> dict[str, MetadataValue[Any]]:
    """Metadata of the asset itself: its columns, and where its body stands."""
    return {
        "dagster/column_schema": table_schema(row_type),
        "dagster/code_references": _code_reference(body),
    }


def table_schema(row_type: type[Any]) -> MetadataValue[Any]:
    """Columns of a row type, each with the docstring of its field."""
    descriptions = field_docstrings(row_type)
    columns = [
        dg.TableColumn(
            name=member.name,
            type=_type_name(member.shape),
            description=descriptions.get(member.name),
            constraints=dg.TableColumnConstraints(
                nullable=isinstance(member.shape, Maybe)
            ),
        )
        for member in record_of(row_type).members
    ]
    return MetadataValue.table_schema(dg.TableSchema(columns=columns))


def failure_metadata(reasons: Mapping[str, str]) -> dict[str, MetadataValue[Any]]:
    """Metadata of a run's failure: the bad keys, and why each is bad."""
    rows = [
        dg.TableRecord({"partition": key, "reason": reason})
        for key, reason in reasons.items()
    ]
    return {
        "failed_partitions": MetadataValue.json(list(reasons)),
        "reasons": MetadataValue.table(rows),
    }


def _fact(fact: str | float | bool) -> MetadataValue[Any]:  # noqa: FBT001  one of the kinds of fact
    match fact:
        case bool():
            return MetadataValue.bool(fact)
        case int():
            return MetadataValue.int(fact)
        case float():
            return MetadataValue.float(fact)
        case _:
            return MetadataValue.text(fact)


def _type_name(shape: Shape) -> str:
    match shape:
        case Scalar(kind=kind):
            return kind.__name__
        case Maybe(inner=inner):
            return _type_name(inner)
        case Many(item=item):
            return f"list[{_type_name(item)}]"
        case Record():
            return shape.name


def _code_reference(body: Callable[..., object]) -> MetadataValue[Any]:
    function = unwrap(body)
    path = Path(getsourcefile(function) or function.__code__.co_filename)
    reference = dg.LocalFileCodeReference(
        file_path=str(path.absolute()), line_number=function.__code__.co_firstlineno
    )
    return dg.CodeReferencesMetadataValue(code_references=[reference])
