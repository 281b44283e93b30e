"""Material that ships with the package: made from a seed and from words of our own.

Tables refer to each other (orders to companies, products and people; those to cities),
so that tasks across files can be drawn from them. Nobody in them is real.
"""

import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from envplatform.cowork.library.cells import Row
from envplatform.cowork.library.reading import Kept, read_file, write_csv
from envplatform.cowork.library.resource import ResourceRow
from envplatform.cowork.library.specification import Limits
from envplatform.errors import LibraryError
from envplatform.toml_file import parse_toml

BUILTIN = "builtin"
"""Name of the source, in ids and lineage."""
_FILE = "builtin.toml"
_SEED = 20_261
_PEOPLE, _COMPANIES, _PRODUCTS, _ORDERS = 120, 48, 96, 900
_FIRST_DAY = date(2025, 1, 2)
_DAYS = 360

_Rows = list[Row]


class _City(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    country: str
    population: int
    founded: int


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: str
    text: str


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    first: tuple[str, ...]
    last: tuple[str, ...]
    company: tuple[str, ...]
    suffix: tuple[str, ...]
    department: tuple[str, ...]
    material: tuple[str, ...]
    thing: tuple[str, ...]
    category: tuple[str, ...]
    city: tuple[_City, ...]
    document: tuple[_Document, ...]


@cache
def builtin_contents() -> Mapping[ResourceRow, bytes]:
    """Resources by id, with their contents."""
    words = _words()
    chance = random.Random(_SEED)  # noqa: S311  material, no secrets
    files = {
        path: write_csv(header, rows)
        for path, (header, rows) in _tables(words, chance).items()
    }
    files |= {one.path: one.text.lstrip().encode() for one in words.document}
    return dict(_resource(path, files[path]) for path in sorted(files))


def _resource(path: str, content: bytes) -> tuple[ResourceRow, bytes]:
    """Read like any other file, so that columns and limits mean the same."""
    kept = read_file(path, content, None, Limits())
    if not isinstance(kept, Kept):
        msg = f"{_FILE}: {path} is refused: {kept.detail}"
        raise LibraryError(msg)
    row = ResourceRow(
        resource_id=f"{BUILTIN}/{path}",
        source=BUILTIN,
        version="",
        path=path,
        kind=kept.kind,
        licence="Apache-2.0",
        licence_source="LICENSE of envplatform",
        attribution="",
        digest=kept.digest,
        source_digest=kept.source_digest,
        pack=BUILTIN,
        bytes=len(kept.content),
        rows=kept.rows,
        rows_read=kept.rows_read,
        stride=kept.stride,
        columns=kept.columns,
        encoding=kept.encoding,
        notes=kept.notes,
    )
    return row, kept.content


def _tables(
    words: _Words, chance: random.Random
) -> dict[str, tuple[Sequence[str], _Rows]]:
    cities: _Rows = [
        (one.name, one.country, str(one.population), str(one.founded))
        for one in words.city
    ]
    people = _people(words, chance)
    companies = _companies(words, chance)
    products = _products(words, chance)
    return {
        "cities.csv": (("city", "country", "population", "founded"), cities),
        "people.csv": (
            ("person_id", "name", "department", "city", "hired", "monthly_salary"),
            people,
        ),
        "companies.csv": (
            ("company_id", "company", "city", "payment_days", "credit_limit"),
            companies,
        ),
        "products.csv": (
            ("product_id", "product", "category", "unit_price", "stock", "reorder_at"),
            products,
        ),
        "orders.csv": (
            (
                "order_id",
                "ordered",
                "company_id",
                "product_id",
                "quantity",
                "unit_price",
                "discount",
                "person_id",
                "paid",
            ),
            _orders(people, companies, products, chance),
        ),
    }


def _people(words: _Words, chance: random.Random) -> _Rows:
    names = [f"{one} {other}" for one in words.first for other in words.last]
    return [
        (
            f"P{number:03}",
            name,
            chance.choice(words.department),
            chance.choice(words.city).name,
            _day(chance, date(2008, 1, 7), 6_000),
            f"{chance.randrange(2_200, 7_800, 50)}.00",
        )
        for number, name in enumerate(chance.sample(names, _PEOPLE), 1)
    ]


def _companies(words: _Words, chance: random.Random) -> _Rows:
    names = [f"{one} {other}" for one in words.company for other in words.suffix]
    return [
        (
            f"C{number:03}",
            name,
            chance.choice(words.city).name,
            chance.choice(("14", "30", "30", "45", "60")),
            str(chance.randrange(2_000, 60_000, 500)),
        )
        for number, name in enumerate(chance.sample(names, _COMPANIES), 1)
    ]


def _products(words: _Words, chance: random.Random) -> _Rows:
    names = [f"{one} {other}" for one in words.material for other in words.thing]
    return [
        (
            f"A{number:03}",
            name,
            chance.choice(words.category),
            _money(chance.randrange(390, 24_900)),
            str(chance.randrange(0, 240)),
            str(chance.randrange(5, 60, 5)),
        )
        for number, name in enumerate(chance.sample(names, _PRODUCTS), 1)
    ]


def _orders(
    people: _Rows, companies: _Rows, products: _Rows, chance: random.Random
) -> _Rows:
    days = sorted(_day(chance, _FIRST_DAY, _DAYS) for _ in range(_ORDERS))
    rows: _Rows = []
    for number, day in enumerate(days, 1):
        product = chance.choice(products)
        paid = date.fromisoformat(day) + timedelta(days=chance.randrange(3, 75))
        rows.append(
            (
                f"O{number:05}",
                day,
                chance.choice(companies)[0],
                product[0],
                str(chance.randrange(1, 40)),
                product[3],
                chance.choice(("0.00", "0.00", "0.00", "0.05", "0.10")),
                chance.choice(people)[0],
                paid.isoformat() if chance.random() < 0.85 else None,  # noqa: PLR2004  the rest is open
            )
        )
    return rows


def _day(chance: random.Random, first: date, days: int) -> str:
    return (first + timedelta(days=chance.randrange(days))).isoformat()


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _words() -> _Words:
    folder = resources.files("envplatform") / "cowork" / "library"
    return parse_toml(_Words, (folder / _FILE).read_text("utf-8"), source=_FILE)
