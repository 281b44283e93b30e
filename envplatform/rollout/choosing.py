"""Which of the published environments a batch acts in."""

from collections.abc import Collection, Iterable, Sequence

from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import ConfigError
from envplatform.store import Store


def chosen(
    rows: Iterable[EnvironmentRow],
    *,
    pillars: Collection[str] = (),
    fitting: Collection[str] | None = None,
    most: int | None = None,
) -> tuple[EnvironmentRow, ...]:
    """Return rows of those pillars, by digest, each environment once.

    `fitting`: digests that a condition let through; None: all.

    Raises:
        ConfigError: none is left.
    """
    found = {
        row.digest: row
        for row in rows
        if (not pillars or row.pillar in pillars)
        and (fitting is None or row.digest in fitting)
    }
    if not found:
        msg = (
            "no published environment fits: materialise some, or change `pillars` or "
            "`where` of the batch in envplatform.toml"
        )
        raise ConfigError(msg)
    return tuple(found[digest] for digest in sorted(found))[:most]


def matching(
    store: Store, where: str, *, plain: Sequence[str], nested: Sequence[str]
) -> frozenset[str]:
    """Return digests of the environments for which an SQL condition holds.

    Its columns are those of the environments table, and `asset`. `plain` assets hold
    such rows, `nested` ones have them as their column `environment`.

    Raises:
        StoreError: the condition is wrong.
        ConfigError: there is no environment at all.
    """
    there = set(store.assets())
    parts = [
        f"SELECT '{name}' AS asset, {columns} FROM {name}"  # noqa: S608  names of ours
        for names, columns in ((plain, "*"), (nested, "environment.*"))
        for name in names
        if name in there
    ]
    if not parts:
        msg = "no published environment is stored: materialise some"
        raise ConfigError(msg)
    table = " UNION ALL BY NAME ".join(parts)
    rows = store.sql(f"SELECT digest FROM ({table}) WHERE ({where})")  # noqa: S608  the user's own condition, which store.sql keeps to reading
    return frozenset(str(row["digest"]) for row in rows)
