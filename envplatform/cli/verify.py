"""`envplatform verify PATCH --repo .`: is this patch a bug that the tests notice?"""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from envplatform.cli.machine import TARGETS_CACHE, ToldProvider, provider_of
from envplatform.cli.output import (
    ANSWER_IS_NO,
    Json,
    Progress,
    answer,
    clear_errors,
    fields_of,
    say,
)
from envplatform.cli.place import ConfigOption, Place, find_any_place
from envplatform.errors import PatchError
from envplatform.store import Store
from envplatform.swe.candidate import Verdict
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.local import local_target, verify_patch
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.targets import Target, configured_index

STANDARD_INPUT = Path("-")


def verify(
    patch: Annotated[
        Path,
        typer.Argument(help="A unified diff, healthy to defective; - reads it."),
    ],
    repo: Annotated[
        Path, typer.Option(help="Folder of the healthy repository.")
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
        text = _read(patch)
        place = find_any_place(config)
        target = local_target(repo, requirements=tuple(requirement or ()))
        verdict, baseline = asyncio.run(_verify(place, text, target))
    answer(
        _summary(verdict, baseline),
        as_json=as_json,
        show=lambda console: _show(console, verdict, baseline),
    )
    if not verdict.verified:
        raise typer.Exit(ANSWER_IS_NO)


async def _verify(
    place: Place, patch: str, target: Target
) -> tuple[Verdict, Baseline | None]:
    synthesis = place.configuration.synthesis
    settings = VerificationSettings(
        runs=synthesis.buggy_runs, repeats=synthesis.fail_to_pass_repeats
    )
    told = Progress()
    return await verify_patch(
        ToldProvider(provider_of(place), told, what="clean sandbox"),
        patch,
        target,
        cache=Store(place.home).cache_folder(TARGETS_CACHE),
        index=configured_index(),
        settings=settings,
        told=told,
    )


def _read(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
    except OSError as error:
        msg = f"{path} can't be read: {error}"
        raise PatchError(msg) from error
    return data.decode("utf-8", "surrogateescape")


def _summary(verdict: Verdict, baseline: Baseline | None) -> dict[str, object]:
    measured = baseline and {
        "stable": len(baseline.stable),
        "unstable": {test.test_id: test.why for test in baseline.unstable},
        "broken": baseline.broken,
        "suite_s": baseline.suite_s,
        "covered_share": baseline.covered_share,
    }
    return {
        "verified": verdict.verified,
        **fields_of(verdict),
        "baseline": measured,
    }


def _show(console: Console, verdict: Verdict, baseline: Baseline | None) -> None:
    if baseline is not None:
        say(
            console,
            f"baseline: {len(baseline.stable)} stable tests, {len(baseline.unstable)} "
            f"unstable, {len(baseline.broken)} files that can't be collected, "
            f"{baseline.suite_s:.1f} s, {baseline.covered_share:.0%} covered",
        )
    if verdict.verified:
        say(console, f"a bug: {len(verdict.fail_to_pass)} test(s) fail", "bold green")
        for test in verdict.fail_to_pass:
            say(console, f"  {test}")
    else:
        say(console, "no bug", "bold red", end=": ")
        say(console, f"{verdict.rejection}: {verdict.detail}")
    say(console, f"{verdict.runs} runs in {verdict.sandbox}")
