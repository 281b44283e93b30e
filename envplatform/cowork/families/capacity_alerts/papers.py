"""How rules, lists and the instruction are worded."""

from envplatform.cowork.desk import markdown_table
from envplatform.cowork.families.capacity_alerts.drawing import Facets, Fleet
from envplatform.cowork.family import Brief
from envplatform.cowork.prose import filled, instruction


def rules_text(fleet: Fleet) -> str:
    """Return how capacity is watched."""
    facets = fleet.facets
    usable = {
        "all": "All of a volume is usable.",
        "percent": f"{fleet.reserve} percent of a volume stay free for the system; usable "
        "is the rest, rounded down to whole MB.",
        "fixed": f"{fleet.reserve} MB of each volume stay free for the system; usable is "
        "the rest.",
    }[facets.usable]
    growth = {
        "week": "the sample of today less that of seven days ago, by 7",
        "whole": "the last sample less the first, by the days from one to the other",
        "highest": "the largest rise a day from one sample to the next, over all samples "
        "that count; where days lie between them, the rise by the number of days",
    }[facets.growth]
    silence = {
        "left_out": "A volume that is silenced today is left out of everything.",
        "level": "A volume that is silenced today is `silenced`, whatever it does.",
        "lowered": "If a volume is silenced today, a `critical` becomes a `warning`; "
        "all other levels stay.",
    }[facets.silence]
    silences = markdown_table(
        ("volume", "from", "to"), [(o.volume, o.first, o.last) for o in fleet.silences]
    )
    windows = markdown_table(
        ("volume", "from", "to"), [(o.volume, o.first, o.last) for o in fleet.windows]
    )
    return filled(f"""# Watching capacity

Volumes are sampled once a day. Today is {fleet.days[-1]}, and its samples are in. All sizes
are MB.

{usable} Samples from a maintenance window don't count: volumes are half empty or mounted
twice then.

- Growth a day is {growth}, rounded down to whole MB.
- Days to full are what is usable less the last sample, by the growth, rounded down to
whole days. Where the growth is 0 or less, it never gets full.

## Levels

{silence} Otherwise the first that applies:

1. There is no sample of today: `lost`.
2. From one sample to the next, the use rose by more than {fleet.jump} percent of the
volume's size: `check`. Somebody looks first.
3. The last sample is {fleet.fill} percent of what is usable, or more: `critical`.
4. Fewer than {fleet.critical} days to full: `critical`.
5. Fewer than {fleet.warning} days to full: `warning`.
6. Otherwise: `ok`.

## Silences

First and last day belong to them.

{silences}
## Maintenance windows

The same holds for these.

{windows}""")


def instruction_of(brief: Brief, fleet: Fleet) -> str:
    """Return the request."""
    facets = fleet.facets
    where = {
        "csv": f"`{facets.at}/samples.csv`",
        "store": f"the store `{facets.at}/samples`",
        "folder": f"`{facets.at}/samples/`, a file for each day",
    }[facets.samples]
    task = brief.pick(
        f"work out which volumes will soon be full; the daily samples are in {where}.",
        f"go through the samples of our volumes ({where}) and tell where we run short.",
        f"the capacity report of this week is due, from the samples in {where}.",
    )
    rules = brief.pick(
        "how growth and levels are worked out is laid down in `docs/`",
        "count as the rules in `docs/` count, in whole numbers",
        "silences, windows and levels are in the document in `docs/`",
    )
    volumes = brief.pick(
        f"sizes and teams are in `{facets.at}/volumes.csv`",
        f"which team owns what stands in `{facets.at}/volumes.csv`",
    )
    points = [
        _alerts(brief, facets),
        _summary(brief, facets),
        *_extra(brief, fleet),
    ]
    return instruction(brief, task, points=points, marks=(rules, volumes))


def _alerts(brief: Brief, facets: Facets) -> str:
    listed = {
        "alerts": "a row for each volume whose level is not `ok`",
        "all": "a row for each volume that the rules don't leave out, `ok` or not"
        if facets.silence == "left_out"
        else "a row for each volume, `ok` or not",
        "urgent": "the volumes that are `critical`, `lost` or to `check`, and no others",
    }[facets.listed]
    order = {
        "volume": "by name of the volume",
        "days": "those without days to full first, then by days, fewest first; equal ones "
        "by name",
        "level": "by level in alphabetical order, then by name",
    }[facets.order]
    return (
        brief.pick(
            f"- `/workspace/alerts.csv` has {listed}, {order}:",
            f"- Write `/workspace/alerts.csv`, {listed}, {order}. Columns:",
        )
        + " `volume`, `level`, `used` (last sample), `growth` and `days` (to full). For "
        "`lost`, `check` and `silenced` these three are empty; `days` also where it never "
        "gets full."
    )


def _summary(brief: Brief, facets: Facets) -> str:
    what = {
        "teams": "for each team how many of its volumes are `critical`, 0 included",
        "levels": "how many volumes have which level, for each level that occurs",
        "hosts": "for each host the growth of its volumes together, whether the table "
        "has them or not; `lost`, `check` and `silenced` ones count for nothing, and "
        "hosts with no others are left out",
    }[facets.summary]
    return brief.pick(
        f"- `/workspace/summary.json` is an object: {what}.",
        f"- Sum up in `/workspace/summary.json`, one object: {what}.",
    )


def _extra(brief: Brief, fleet: Fleet) -> tuple[str, ...]:
    pages = brief.pick(
        "- `/workspace/pages.txt`: a line `TEAM: VOLUME` for each critical volume, by "
        "team, then volume.",
        "- Who is to be called stands in `/workspace/pages.txt`, lines `TEAM: VOLUME` of "
        "what is critical, by team and then volume.",
    )
    orders = (
        "- `/workspace/orders.csv` has `volume` and `mb` for each volume that is "
        f"`critical` or `warning`, by name: {fleet.warning} times the growth, less what is "
        "usable beyond the last sample. Where that is 0 or less, there is no row."
    )
    return {"pages": (pages,), "orders": (orders,)}.get(fleet.facets.extra, ())
