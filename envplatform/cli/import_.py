"""`envplatform import --format FORMAT SOURCE`: foreign tasks, accepted or kept out.

Everything of SOURCE that is code runs in the sandbox. What is accepted is
written to the folder named, if one is; one bad task costs no other.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from envplatform.bundle import write_environment
from envplatform.cli.machine import TARGETS_CACHE, provider_of
from envplatform.cli.output import Json, Progress, answer, clear_errors, say
from envplatform.cli.place import ConfigOption, Place, find_any_place
from envplatform.errors import BundleError
from envplatform.interop.imported import ImportedTask, count_reasons
from envplatform.sandbox.images import build_image
from envplatform.store import Store

Format = Literal["claw-eval-live", "qwenclawbench", "harbor", "swebench"]
_PYTHON = "3.11"


def import_(  # noqa: PLR0913  a command's options
    source: Annotated[
        Path, typer.Argument(help="Folder of the set; of rows their file.")
    ],
    format_: Annotated[Format, typer.Option("--format", help="What the set is.")],
    to: Annotated[
        Path | None, typer.Option(help="Write accepted environments into this folder.")
    ] = None,
    solutions: Annotated[
        Path | None,
        typer.Option(help="One folder a task; not for harbor and swebench."),
    ] = None,
    only: Annotated[str, typer.Option(help="Import tasks of this pattern only.")] = "*",
    config: ConfigOption = None,
    *,
    serve_evidence: Annotated[
        bool,
        typer.Option(
            "--serve-evidence",
            help="Give evidence names of its own, for RES; claw-eval-live only.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Import foreign tasks; prints what was accepted, and why the rest was not."""
    with clear_errors(as_json=as_json):
        place = find_any_place(config)
        if solutions is not None and format_ in {"harbor", "swebench"}:
            msg = (
                f"--solutions is of qwenclawbench and claw-eval-live, not of {format_}"
            )
            raise BundleError(msg)
        if serve_evidence and format_ != "claw-eval-live":
            msg = f"--serve-evidence is of claw-eval-live, not of {format_}"
            raise BundleError(msg)
        tasks = _tasks(
            format_, source, place, solutions, only, serve_evidence=serve_evidence
        )
        report = asyncio.run(_import(tasks, to=to))
    answer(report, as_json=as_json, show=lambda console: _show(console, report))


def _tasks(
    format_: Format,
    source: Path,
    place: Place,
    solutions: Path | None,
    only: str,
    *,
    serve_evidence: bool,
) -> AsyncIterator[ImportedTask]:
    # Imported here: no other command needs them.
    from envplatform.interop.claw_eval_live import importing as claw  # noqa: PLC0415
    from envplatform.interop.claw_eval_live.services import PACKAGES  # noqa: PLC0415
    from envplatform.interop.harbor import importing as harbor  # noqa: PLC0415
    from envplatform.interop.qwenclawbench import importing as qwen  # noqa: PLC0415
    from envplatform.interop.swebench import importing as swebench  # noqa: PLC0415

    cache = Store(place.home).cache_folder(TARGETS_CACHE)
    provider = provider_of(place)
    if format_ == "harbor":
        # Foreign Dockerfiles want Docker as the configured sandbox.
        docker = provider if provider.info.kind == "docker" else None
        return harbor.import_tasks(
            source,
            harbor.HarborImporting(provider=provider, cache=cache, docker=docker),
            only=only,
        )
    if format_ == "swebench":
        return swebench.import_instances(
            source,
            swebench.SwebenchImporting(
                provider=provider,
                image_for=lambda python, pins: build_image(
                    "swebench", python, tuple(pins), cache, alone=True
                ),
            ),
            only=only,
        )
    if format_ == "claw-eval-live":
        return claw.import_set(
            source,
            claw.ClawImporting(
                provider=provider,
                image=build_image("bare", _PYTHON, (), cache),
                serving_image=lambda: build_image("claw", _PYTHON, PACKAGES, cache),
                solutions=solutions,
                serves_evidence=serve_evidence,
            ),
            only=only,
        )
    return qwen.import_set(
        source,
        qwen.Importing(
            provider=provider,
            image_for=lambda pins: build_image("import", _PYTHON, tuple(pins), cache),
            solutions=solutions,
        ),
        only=only,
    )


async def _import(
    tasks: AsyncIterator[ImportedTask], *, to: Path | None
) -> dict[str, object]:
    told = Progress()
    found: list[ImportedTask] = []
    async for task in tasks:
        found.append(task)
        told(f"{task.task_id}: {'accepted' if task.accepted else 'kept out'}")
        if to is not None and task.accepted and task.environment is not None:
            write_environment(task.environment, to / task.environment.environment_id)
    return {
        "accepted": sum(task.accepted for task in found),
        "quarantined": sum(not task.accepted for task in found),
        "reasons": dict(count_reasons(found)),
        "tasks": [_row(task) for task in found],
    }


def _row(task: ImportedTask) -> dict[str, object]:
    return {
        "task": task.task_id,
        "accepted": task.accepted,
        "floor": task.floor,
        "oracle": task.oracle,
        "problems": task.problems,
        "findings": task.findings,
    }


def _show(console: Console, report: dict[str, object]) -> None:
    say(console, f"accepted {report['accepted']}, kept out {report['quarantined']}")
    reasons = report["reasons"]
    if isinstance(reasons, dict):
        for reason, count in reasons.items():
            say(console, f"  {reason}: {count}")
