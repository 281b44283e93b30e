"""Verify a patch against a folder, for a person at a terminal: no store, no graph."""

import hashlib
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.patches import patched_paths
from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.p2f.baseline import Baseline, measure_baseline
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import verify_candidate
from envplatform.swe.targets import (
    HealthyRepository,
    PackageIndex,
    Target,
    guess_target,
    load_target,
    prepare,
    read_folder,
)

TARGET_FILE = "target.toml"


def local_target(folder: Path, *, requirements: tuple[str, ...] = ()) -> Target:
    """Return the folder's own target.toml, or a guess if it has none.

    `requirements` are exact pins of what the suite imports; only for a guess.

    Raises:
        ConfigError: the target.toml is wrong.
        TargetError: tests or code can't be made out, or a pin is not exact.
    """
    own = folder / TARGET_FILE
    if own.is_file():
        return load_target(own)
    return guess_target(read_folder(folder), folder=folder, requirements=requirements)


async def verify_patch(
    provider: SandboxProvider,
    patch: str,
    target: Target,
    *,
    cache: Path,
    index: PackageIndex,
    settings: VerificationSettings,
) -> tuple[Verdict, Baseline]:
    """Prepare `target`, measure it, and say whether `patch` puts a bug into it.

    Raises:
        PatchError: the text is no diff.
        TargetError: it can't be prepared, or its healthy suite proves nothing.
        SandboxError: the sandbox failed.
    """
    patched_paths(patch)
    repository = await prepare(target, cache, index=index)
    try:
        baseline = await measure_baseline(provider, repository)
    except TargetError as error:
        msg = f"{error}{_hint(str(error))}"
        raise TargetError(msg) from error
    candidate = given_candidate(repository, patch)
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
