"""How baseline, register and request are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.config_drift.baseline import ENVIRONMENTS
from envplatform.cowork.families.config_drift.drawing import Drift, Facets
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def baseline_text(drift: Drift) -> str:
    """Return the baseline with its rules."""
    facets = drift.facets
    table = markdown_table(
        ("key", "old name", "default", *ENVIRONMENTS),
        [
            (one.key, one.old, one.default, *map(one.shown, ENVIRONMENTS))
            for one in drift.settings
        ],
    )
    spelling = {
        "env": "In the files keys are written in capital letters.",
        "properties": "Blanks around the sign of equality mean nothing.",
        "yaml": "The files are flat: one key a line, no nesting.",
    }[facets.form]
    missing = {
        "reported": "A key that is not set is `missing`, whatever its default is, unless "
        "it has to be absent or may be anything.",
        "default": "A key that is not set has its default. It is `missing` only if the "
        "default is not what is wanted (`-` never is).",
    }[facets.missing]
    unknown = {
        "reported": "A key that is neither in the table nor an old name is `unknown`; "
        "what is wanted of it is `absent`.",
        "ignored": "Keys that are neither in the table nor an old name belong to the "
        "services and are no drift.",
    }[facets.unknown]
    booleans = {
        "same": "`yes` and `on` mean `true`, `no` and `off` mean `false`.",
        "strict": "Only `true` and `false` are taken for switches: the new loader reads "
        "`yes` and `on` as text, which is a wrong `value`.",
    }[facets.booleans]
    excused = {
        "value": "An exception excuses drift of its key if what is set is exactly the "
        "value that it names.",
        "key": "An exception excuses whatever drift there is of its key; the value is a "
        "note.",
        "approved": "An exception excuses whatever drift there is of its key, but only if "
        "somebody has approved it; `-` means nobody has.",
    }[facets.exceptions]
    return filled(f"""# Configuration baseline

Agreed by the service owners. It says for each environment what is wanted.

{table}
## Reading it

- `absent`: the key must not be set, not even to `false`; it is `forbidden` if it is.
- `any`: nothing is wanted, the key may be set or not.
- All else that differs from what is wanted is a wrong `value`.
- An old name is read as the key of today and is no drift by itself.
- Durations (keys that end in `_s`) are in seconds; `2m` is two minutes.
- {booleans}
- {spelling}

## What is not set, and what nobody knows

{missing} {unknown}

## Exceptions

{excused} It counts up to the day named under `until`, that day included, for its
environment or for `all`. What is excused is no open drift.
""")


def instruction_of(brief: Brief, drift: Drift, register: str) -> str:
    """Return the request."""
    facets = drift.facets
    place = f"`{facets.place}/`"
    scope = {
        "all": brief.pick("all three environments", "dev, staging and prod"),
        "not_dev": brief.pick(
            "staging and prod, dev left aside", "staging and prod only"
        ),
    }[facets.scope]
    task = brief.pick(
        f"compare the configurations in {place} with the baseline as of {drift.day}: "
        f"{scope}.",
        f"find out where the configurations in {place} have drifted from the baseline "
        f"({scope}); today is {drift.day}.",
        f"before the freeze of {drift.day} we need the drift of the files in {place} "
        f"against the baseline, {scope}.",
    )
    marks = (
        brief.pick(
            "what is wanted stands in `docs/`",
            "the baseline in `docs/` decides, not what other services do",
        ),
        brief.pick(
            f"the exceptions are in `{register}`, judged as of {drift.day}",
            f"do not forget the register of exceptions, `{register}`",
        ),
    )
    points = [
        _table(brief, facets),
        _fix(brief, drift),
        _summary(brief, facets),
        *_extra(brief, drift),
    ]
    return instruction(brief, task, points=points, marks=marks)


def _table(brief: Brief, facets: Facets) -> str:
    order = {
        "service": "by service, environment and key",
        "environment": "by environment, service and key",
        "key": "by key, service and environment",
    }[facets.order]
    which = {
        "open": "open drift only, so nothing that an exception excuses",
        "all": "all drift, with a last column `exception`: number of the exception that "
        "excuses it, or `-`",
    }[facets.listed]
    columns = {
        "full": "`service`, `environment`, `key` (small letters, name of today), `found` "
        "(as it is written there, empty if missing), `wanted` (as the baseline has it) and "
        "`kind`",
        "brief": "`service`, `environment`, `key` (in small letters, by its name of "
        "today), `found` (what is written there; nothing if it is missing) and `kind`",
        "file": "`file` (its name), `key` (name of today in small letters), `found` (as "
        "the file has it; empty where the key is missing), `wanted` (copied from the "
        "baseline) and `kind`",
    }[facets.columns]
    return brief.pick(
        f"- `/workspace/drift.csv` has the columns {columns} under a head line; {which}. "
        f"All in alphabetical order, {order}.",
        f"- `/workspace/drift.csv` lists {which}. Its columns are {columns}; sort {order}, "
        "each in alphabetical order.",
    )


def _fix(brief: Brief, drift: Drift) -> str:
    path = drift.path(*drift.target)
    unknown = "forbidden"
    if drift.facets.unknown == "reported":
        unknown = "forbidden and unknown"
    what = brief.pick(
        "open drift is mended and nothing else: a wrong value becomes what is wanted (of "
        "a limit the limit itself, of several values the first), "
        f"{unknown} keys go, missing ones come at the end in the order of the baseline, "
        "and old names become those of today",
        f"take {unknown} keys out, add missing ones at the end in the order of the "
        "baseline, put the wanted value (the limit, or the first of several) in the place "
        "of a wrong one and today's name in the place of an old one; drift that is excused "
        "stays",
    )
    form = {
        "in_place": "All other lines stay where and as they are, comments included.",
        "sorted": "Leave comments out and sort the lines by key in alphabetical order.",
    }[drift.facets.fix]
    return brief.pick(
        f"- `/workspace/{path}` is that file corrected: {what}. {form}",
        f"- Correct `{path}` and put it at `/workspace/{path}`, spelled as the file is: "
        f"{what}. {form}",
    )


def _summary(brief: Brief, facets: Facets) -> str:
    key = {
        "by_service": "each service, `0` included",
        "by_kind": "each kind that occurs",
        "by_environment": "each environment that was compared, `0` included",
    }[facets.summary]
    return brief.pick(
        f"- `/workspace/summary.json` counts the lines of open drift for {key}, as one "
        "object.",
        f"- `/workspace/summary.json`: an object with the number of open drifts for {key}.",
    )


def _extra(brief: Brief, drift: Drift) -> tuple[str, ...]:
    expired = brief.pick(
        "- `/workspace/expired.json`: the list of the numbers of all exceptions of the "
        f"register that are over on {drift.day}, sorted.",
        "- The owner of the register wants `/workspace/expired.json`, the sorted list of "
        f"exceptions (numbers) that ended before {drift.day}.",
    )
    keys = (
        "- `/workspace/keys.json`: for each key with open drift the sorted list of the "
        "services that have it, each once."
    )
    return {"expired": (expired,), "keys": (keys,)}.get(drift.facets.extra, ())
