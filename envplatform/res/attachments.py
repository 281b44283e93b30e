"""Roots out of environments of code: the report is served, so that it can be transformed.

Nothing of source, tests or build is touched: the verifier stays byte for byte, so its
FAIL_TO_PASS and PASS_TO_PASS are those of the environment, and its oracle's patch
applies. What is served is the evidence that the instruction told: the report's body.
"""

from dataclasses import replace

from envplatform.bundle import (
    Environment,
    Lineage,
    Provider,
    Resource,
    View,
    environment_digest,
    handed_down,
)
from envplatform.errors import BundleError
from envplatform.tree import File, tree_digest

REPORT = "report/issue.md"
_RESOURCE = "report"
_SEPARATOR = "\n\n---\n\n"
"""Between a report and the directions that follow it."""
_POINTER = """\
{title}

The report is served with this task: `ws read {name}`, `ws list` tells what there is."""


def with_report_served(environment: Environment) -> Environment:
    """Return `environment` with the body of its report behind `ws`: a root for RES.

    Its title and what follows the report stay in the instruction.

    Raises:
        BundleError: it has resources that are served already, or a report without a body.
    """
    if environment.views:
        msg = f"{environment.environment_id} serves its evidence already"
        raise BundleError(msg)
    report, separator, rest = environment.instruction.rpartition(_SEPARATOR)
    if not separator:
        report, rest = environment.instruction, ""
    title, _, body = report.strip().partition("\n")
    if not body.strip():
        msg = f"{environment.environment_id}: the report is a title alone"
        raise BundleError(msg)
    served = {REPORT: File(f"{body.strip()}\n".encode())}
    pointer = _POINTER.format(title=title, name=REPORT)
    core = environment.core
    return replace(
        environment,
        environment_id=f"{environment.environment_id}.served",
        instruction=f"{pointer}{separator}{rest}" if separator else f"{pointer}\n",
        core=replace(
            core,
            observables=tuple(sorted({*core.observables, "file:/logs/ws/**"})),
            frozen={**core.frozen, _RESOURCE: tree_digest(served)},
            transformable=tuple(sorted({*core.transformable, _RESOURCE})),
        ),
        lineage=Lineage(
            producer="report_served",
            seed=environment.lineage.seed,
            parent=environment_digest(environment),
            origin=handed_down(environment.lineage),
        ),
        permissions=replace(environment.permissions, operations=("list", "read")),
        providers=(*environment.providers, Provider(name="files", kind="file")),
        resources=(
            *environment.resources,
            Resource(name=_RESOURCE, kind="content", provider="files", location=REPORT),
        ),
        views=(
            View(
                name=REPORT,
                kind="content",
                source=_RESOURCE,
                about="What was reported.",
            ),
        ),
        served=served,
        audit=(),
    )
