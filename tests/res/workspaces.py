"""Small environments to transform: a file, a folder, a table and a service."""

from dataclasses import replace

from envplatform.bundle import (
    Environment,
    ImageReference,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.tree import File, tree_digest
from envplatform.workspace import builtin_seeds, seed_environment
from tests.bundle.sample import sample_environment

IMAGE = ImageReference(name="bare", python="3.11", requirements=(), digest="0" * 64)
LEDGER = """\
id,vendor,amount,note
A-101,north_pipe,1200,first order
A-102,quay_side,75,paid twice
A-103,north_pipe,0,returned goods
A-104,over_land,31,open
"""
TABLE = """\
BEGIN TRANSACTION;
CREATE TABLE stock (item TEXT, count INTEGER);
INSERT INTO "stock" VALUES('H-24',12);
INSERT INTO "stock" VALUES('E-77',5);
COMMIT;
"""
SERVICE = """\
[{"method": "GET", "path": "/orders", "body": [{"order": 12, "by": "quay_side"}]},
{"method": "GET", "path": "/orders/12", "body": {"order": 12, "paid": 75}}]
"""


def environment(
    content: bytes = LEDGER.encode(), name: str = "books/ledger.csv"
) -> Environment:
    """One with a file at `name`, a folder, a table and a service; all may be shown otherwise."""
    sample = sample_environment()
    served = {
        "l": File(content),
        "f/a.txt": File(b"alpha beta 12\ngamma delta 7\n"),
        "f/b.bin": File(b"\xff\x00\x01"),
        "t.sql": File(TABLE.encode()),
        "s.json": File(SERVICE.encode()),
    }
    kinds = (("ledger", "l"), ("folder", "f"), ("stock", "t.sql"), ("orders", "s.json"))
    frozen = {
        one: tree_digest(
            {p: f for p, f in served.items() if p == at or p.startswith(f"{at}/")}
        )
        for one, at in kinds
    }
    return replace(
        sample,
        core=replace(
            sample.core,
            frozen=frozen,
            transformable=tuple(sorted(one for one, _ in kinds)),
        ),
        providers=(Provider(name="files", kind="file"),),
        resources=tuple(
            Resource(name=one, kind="content", provider="files", location=at)
            for one, at in kinds
        ),
        views=(
            View(name=name, kind="content", source="ledger"),
            View(name="notes", kind="folder", source="folder"),
            View(name="stock", kind="table", source="stock"),
            View(name="orders", kind="service", source="orders"),
        ),
        dependencies=(),
        served=served,
        permissions=Permissions(operations=("list", "read", "query", "call")),
        user={},
    )


def seeds() -> list[tuple[Environment, str]]:
    """Return each seed that ships with each name in it that may be shown otherwise."""
    made = [seed_environment(name, IMAGE) for name in builtin_seeds()]
    return [
        (one, view.name)
        for one in made
        for view in one.views
        if view.source in one.core.transformable
    ]
