"""SQL of a stranger on a database that is kept as its dump."""

import sqlite3

import pytest

from envplatform.ws import Broker
from envplatform.ws.view_table import dump_of
from tests.ws.made_manifest import ask, broker_of


def dump() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table t (id integer primary key, name text, cents integer);"
        "insert into t values (1, 'a''b', 100), (2, 'ü', -5), (3, null, 0);"
    )
    return dump_of(connection)


def broker(*, writable: bool = False) -> Broker:
    return broker_of(
        [{"name": "db", "kind": "table", "source": "db.sql"}],
        {"db.sql": dump()},
        writable_names=["db"] if writable else [],
    )


def test_rows_come_with_their_columns() -> None:
    reply = ask(
        broker(),
        "query",
        name="db",
        sql="select name, sum(cents) from t group by 1 order by 2",
    )
    assert reply.data == {
        "columns": ["name", "sum(cents)"],
        "rows": [["ü", -5], [None, 0], ["a'b", 100]],
    }


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("delete from t", "refused"),
        ("attach '/etc/passwd' as x", "refused"),
        ("pragma writable_schema = 1", "refused"),
        ("drop table t", "refused"),
        ("create table x (a)", "refused"),
        ("select load_extension('x')", "refused"),
        ("select randomblob(10)", "refused"),
        ("select 1; select 2", "invalid"),
        ("selec", "invalid"),
        ("", "ok"),
        ("select \0", "invalid"),
        (
            "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c",
            "too_large",
        ),
        (
            "with recursive c(n) as (select 1 union all select n + 1 from c) select n from c limit 20000",
            "too_large",
        ),
    ],
)
def test_statements_that_are_no_reading_of_rows_are_refused(
    sql: str, code: str
) -> None:
    one = broker()
    assert (ask(one, "query", name="db", sql=sql).error or "ok") == code
    assert ask(one, "query", name="db", sql="select count(*) from t").data["rows"] == [
        [3]
    ]


def test_a_change_is_kept_in_the_one_spelling_of_the_database() -> None:
    one = broker(writable=True)
    assert ask(
        one, "query", name="db", sql="update t set cents = 7 where id = 2"
    ).data == {"changed": 1}
    kept = one.room.holdings.read("db.sql")
    assert b"7" in kept
    again = broker(writable=True)
    ask(again, "query", name="db", sql="update t set cents = 7 where name = 'ü'")
    assert again.room.holdings.read("db.sql") == kept
    assert ask(one, "query", name="db", sql="drop table t").error == "refused"
    assert ask(one, "query", name="db", sql="select cents from t where id = 2").data[
        "rows"
    ] == [[7]]


def test_what_is_no_database_is_told_as_a_failure_not_a_crash() -> None:
    one = broker_of(
        [{"name": "db", "kind": "table", "source": "x"}], {"x": b"no sql here"}
    )
    assert ask(one, "query", name="db", sql="select 1").error == "failed"
