"""`envplatform verify PATCH --repo .`: is this patch a bug that the tests notice?"""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.machine import TARGETS_CACHE, provider_of
from envplatform.cli.output import ANSWER_IS_NO, Json, answer, clear_errors
from envplatform.cli.place import ConfigOption, Place, find_place
from envplatform.errors import PatchError
from envplatform.store import Store
from envplatform.swe.candidate import Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.local import local_target, verify_patch
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.targets import configured_index


def verify(
    patch: Annotated[
        Path, typer.Argument(help="A unified diff, healthy to defective.")
    ],
    repo: Annotated[
        Path, typer.Option(help="Folder of the healthy repository.", file_okay=False)
    ] = Path(),
    requirement: Annotated[
        list[str] | None,
        typer.Option(help="Exact pin that the suite imports, name==version; repeat."),
    ] = None,
    config: ConfigOption = None,
    *,
    as_json: Json = False,
) -> None:
    """Run the suite healthy and patched, in clean sandboxes; exit code 3 if no bug."""
    with clear_errors(as_json=as_json):
        place = find_place(config, folder=repo)
        verdict, baseline = asyncio.run(
            _verify(place, _read(patch), repo, tuple(requirement or ()))
        )
    answer(
        verdict,
        as_json=as_json,
        show=lambda console: _show(console, verdict, baseline),
    )
    if not verdict.verified:
        raise typer.Exit(ANSWER_IS_NO)


async def _verify(
    place: Place, patch: str, repo: Path, requirements: tuple[str, ...]
) -> tuple[Verdict, Baseline]:
    synthesis = place.configuration.synthesis
    settings = VerificationSettings(
        runs=synthesis.buggy_runs, repeats=synthesis.fail_to_pass_repeats
    )
    return await verify_patch(
        provider_of(place),
        patch,
        local_target(repo, requirements=requirements),
        cache=Store(place.home).cache_folder(TARGETS_CACHE),
        index=configured_index(),
        settings=settings,
    )


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        msg = f"{path} can't be read: {error}"
        raise PatchError(msg) from error


def _show(console: Console, verdict: Verdict, baseline: Baseline) -> None:
    console.print(
        f"baseline: {len(baseline.stable)} stable tests, {len(baseline.unstable)} "
        f"unstable, {baseline.suite_s:.1f} s, {baseline.covered_share:.0%} covered"
    )
    if verdict.verified:
        console.print(f"[bold green]a bug[/]: {len(verdict.fail_to_pass)} test(s) fail")
        for test in verdict.fail_to_pass:
            console.print(f"  {test}", markup=False, highlight=False)
    else:
        console.print(f"[bold red]no bug[/]: {verdict.rejection}", end=": ")
        console.print(verdict.detail, markup=False)
    console.print(f"{verdict.runs} runs in {verdict.sandbox}")
