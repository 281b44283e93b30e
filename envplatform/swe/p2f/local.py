"""Verify a patch against a folder, for a person at a terminal: no store, no graph."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from envplatform.errors import PatchError, TargetError
from envplatform.patches import patched_paths
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline, measure_baseline
from envplatform.swe.p2f.changes import apply_change
from envplatform.swe.p2f.refusal import Refusal
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verdict_of, verify_candidate
from envplatform.swe.targets import (
    FolderSource,
    HealthyRepository,
    PackageIndex,
    Target,
    guess_target,
    load_target,
    prepare,
    read_folder,
)
from envplatform.tree import TreeError

TARGET_FILE = "target.toml"


def local_target(folder: Path, *, requirements: tuple[str, ...] = ()) -> Target:
    """Return the folder's own target.toml, or a guess if it has none.

    Whatever a target.toml says of releases, the target is the folder as it is.
    `requirements` are exact pins of what the suite imports; only for a guess.

    Raises:
        ConfigError: the target.toml is wrong.
        TargetError: tests or code can't be made out, or a pin is not exact, or is
            given beside a target.toml.
    """
    own = folder / TARGET_FILE
    if not own.is_file():
        tree = read_folder(folder)
        return guess_target(tree, folder=folder, requirements=requirements)
    if requirements:
        msg = f"{own} says what the suite needs: put {', '.join(requirements)} there"
        raise TargetError(msg)
    target = load_target(own)
    if isinstance(target.source, FolderSource):
        return target
    return replace(target, source=FolderSource(path=folder))


async def verify_patch(  # noqa: PLR0913  all that preparing takes, and who is told
    provider: SandboxProvider,
    patch: str,
    target: Target,
    *,
    cache: Path,
    index: PackageIndex,
    settings: VerificationSettings,
    told: Callable[[str], None],
) -> tuple[Verdict, Baseline | None]:
    """Prepare `target`, measure it, and say whether `patch` puts a bug into it.

    A patch that does not apply is refused before anything runs: without a baseline.
    `told` is called with a line for a person as each stage begins.

    Raises:
        PatchError: the text is no diff.
        TargetError: it can't be prepared, or its healthy suite proves nothing.
        SandboxError: the sandbox failed.
    """
    if not patched_paths(patch):
        msg = "the patch changes no file"
        raise PatchError(msg)
    told(f"preparing {target.name}: {len(target.requirements)} packages")
    repository = await prepare(target, cache, index=index)
    candidate = given_candidate(repository, patch)
    try:
        apply_change(repository.tree, patch)
    except (PatchError, TreeError) as error:
        refusal = Refusal(reason="does_not_apply", detail=str(error))
        return verdict_of(candidate, refusal, provider), None
    told("baseline: the healthy suite, again and again")
    try:
        baseline = await measure_baseline(provider, repository)
    except TargetError as error:
        msg = f"{error}{_hint(str(error))}"
        raise TargetError(msg) from error
    told(f"{len(baseline.stable)} stable tests; now with the patch")
    verdict = await verify_candidate(
        provider, repository, baseline, candidate, settings
    )
    return verdict, baseline


def given_candidate(repository: HealthyRepository, patch: str) -> BugCandidate:
    """Return a candidate for a patch that a person, not an inducer, made.

    Raises:
        PatchError: the text is no diff.
    """
    paths = patched_paths(patch)
    digest = hashlib.sha256(patch.encode("utf-8", "surrogateescape")).hexdigest()
    commit = repository.commit
    return BugCandidate(
        candidate_id=f"{repository.name}.{commit[:8]}.given.{digest[:8]}",
        repository=repository.name,
        commit=commit,
        inducer="given",
        operator="given",
        path=paths[0],
        line=1,
        bug_patch=patch,
        seed=0,
    )


def _hint(error: str) -> str:
    if "ModuleNotFoundError" not in error and "No module named" not in error:
        return ""
    return (
        "\nA module that the suite imports is missing: give its exact pin "
        "(--requirement name==version), or name it in a target.toml"
    )
