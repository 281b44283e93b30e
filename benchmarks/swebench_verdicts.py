"""Our verdict on real, judged bugs: `python -m benchmarks.swebench_verdicts`.

Nine instances of SWE-bench's dev split can be had again from releases: an sdist holds
the fix and its tests, and they run on Python 3.11. The gold patch turned around is the
candidate; SWE-bench's FAIL_TO_PASS, found by other people with another harness on
another Python, is what our proof should find.

    equal       instances whose `fail_to_pass` is the same set of test ids
    verified    instances that we hold for bugs

Suites are the files of the test patch, as in SWE-bench; with `--whole` they are all
tests, and more of them may fail. Reads `fixes/` below `$ENVPLATFORM_SHARED/data`; releases and pins come from pip's index.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.report import print_result, progress, refuse
from benchmarks.swebench_instances import LAYOUTS, Instance, instances
from envplatform.errors import EnvPlatformError, TargetError
from envplatform.patches import apply_with_ladder, patched_paths, reversed_patch
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.swe.candidate import Verdict
from envplatform.swe.p2f import (
    Baseline,
    VerificationSettings,
    measure_baseline,
    verify_candidate,
)
from envplatform.swe.p2f.local import given_candidate
from envplatform.swe.targets import (
    Code,
    PackageIndex,
    SdistSource,
    Suite,
    Target,
    configured_index,
    list_sdists,
    prepare,
)
from envplatform.swe.targets.guess import DEFAULT_REQUIREMENTS

PYTHON = "3.11"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Our verdict beside theirs."""

    instance_id: str
    equal: bool
    rejection: str | None
    fail_to_pass: int
    """Ours."""
    only_ours: tuple[str, ...]
    """In our `fail_to_pass`, not in theirs."""
    only_theirs: tuple[str, ...]
    why: Mapping[str, str]
    """For each of theirs that we lack: what our healthy runs made of it."""
    stable: int
    pass_to_pass_missing: int
    """Of their PASS_TO_PASS, not in ours; ids of theirs end at the first blank."""
    seconds: float


def target_of(instance: Instance, index: PackageIndex, *, whole: bool) -> Target:
    """Describe the release; its tests are those that the test patch is about.

    Raises:
        TargetError: the index has no such sdist.
    """
    layout = LAYOUTS[instance.package]
    digests = [
        found.digests["sha256"]
        for found in list_sdists(instance.package, index=index)
        if found.version == instance.version
        and found.filename.endswith(".tar.gz")
        and found.digests
    ]
    if not digests:
        msg = f"{instance.package} {instance.version}: the index has no .tar.gz of it"
        raise TargetError(msg)
    changed = patched_paths(instance.test_patch)
    return Target(
        name=instance.instance_id.rpartition("-")[0].replace(".", "-"),
        source=SdistSource(
            package=instance.package, version=instance.version, sha256=digests[0]
        ),
        license="MIT",
        python=(PYTHON,),
        requirements=_merged(layout.requirements),
        suite=Suite(
            paths=(layout.tests,) if whole else tuple(sorted(changed)),
            pythonpath=(layout.pythonpath, "."),
            suite_timeout_s=600.0,
        ),
        code=Code(roots=(layout.root,), exclude=layout.exclude),
    )


async def compare(
    provider: SandboxProvider,
    instance: Instance,
    cache: Path,
    index: PackageIndex,
    *,
    whole: bool = False,
) -> Comparison:
    """Prepare the release, measure it, and judge the gold patch turned around.

    Raises:
        TargetError: the release can't be had or run.
        PatchError: the release does not hold the gold patch.
        SandboxError: a sandbox failed.
    """
    began = time.monotonic()
    target = target_of(instance, index, whole=whole)
    repository = await prepare(target, cache, index=index)
    # A release may be later than the fix: hunks may have moved.
    bug = apply_with_ladder(repository.tree, reversed_patch(instance.patch))
    candidate = given_candidate(repository, bug.patch)
    baseline = await measure_baseline(provider, repository)
    verdict = await verify_candidate(
        provider, repository, baseline, candidate, VerificationSettings()
    )
    return _compared(instance, baseline, verdict, time.monotonic() - began)


def _compared(
    instance: Instance, baseline: Baseline, verdict: Verdict, seconds: float
) -> Comparison:
    ours, theirs = frozenset(verdict.fail_to_pass), instance.fail_to_pass
    passing = {test.split(" ")[0] for test in verdict.pass_to_pass}
    unstable = {one.test_id: one.why for one in baseline.unstable}
    lacking = sorted(theirs - ours)
    return Comparison(
        instance_id=instance.instance_id,
        equal=ours == theirs,
        rejection=verdict.rejection,
        fail_to_pass=len(ours),
        only_ours=tuple(sorted(ours - theirs)),
        only_theirs=tuple(lacking),
        why={
            test: unstable.get(
                test, "stable" if test in baseline.stable else "not in the release"
            )
            for test in lacking
        },
        stable=len(baseline.stable),
        pass_to_pass_missing=len(instance.pass_to_pass - passing),
        seconds=round(seconds, 1),
    )


def _merged(own: Sequence[str]) -> tuple[str, ...]:
    pins = {pin.split("==")[0]: pin for pin in (*DEFAULT_REQUIREMENTS, *own)}
    return tuple(sorted(pins.values()))


async def _all(
    chosen: Sequence[Instance], cache: Path, *, whole: bool
) -> list[Comparison]:
    provider, index = BubblewrapProvider(), configured_index()
    provider.probe()
    found = []
    for instance in chosen:
        progress(f"{instance.instance_id}: {instance.package} {instance.version}")
        one = await compare(provider, instance, cache, index, whole=whole)
        progress("".join(f"  {line}\n" for line in _told(one)).rstrip())
        found.append(one)
    return found


def _told(one: Comparison) -> Iterator[str]:
    same = "equal" if one.equal else f"differs ({one.rejection or 'proven'})"
    yield f"{same}: {one.fail_to_pass} fail, {one.stable} stable, {one.seconds} s"
    yield from (f"only ours: {test}" for test in one.only_ours)
    yield from (f"only theirs: {test} ({one.why[test]})" for test in one.only_theirs)


def main() -> None:
    """Compare all instances, or those that are named."""
    parser = argparse.ArgumentParser(description="our verdicts beside SWE-bench's")
    default = os.environ.get("ENVPLATFORM_SHARED", "../shared")
    parser.add_argument("instances", nargs="*", help="ids; default: all")
    parser.add_argument("--shared", type=Path, default=Path(default))
    parser.add_argument("--cache", type=Path, help="keeps releases and wheels")
    parser.add_argument("--whole", action="store_true", help="run the whole suites")
    options = parser.parse_args()
    try:
        known = instances(options.shared)
    except OSError as error:
        refuse(f"{error}; ENVPLATFORM_SHARED or --shared names the folder")
    wanted = set(options.instances or (one.instance_id for one in known))
    if unknown := wanted - {one.instance_id for one in known}:
        refuse(f"no instance {min(unknown)}")
    chosen = [one for one in known if one.instance_id in wanted]
    with tempfile.TemporaryDirectory(prefix="envplatform-") as scratch:
        cache = options.cache or Path(scratch)
        try:
            found = asyncio.run(_all(chosen, cache, whole=options.whole))
        except EnvPlatformError as error:
            refuse(str(error))
    print_result(
        {
            "instances": len(found),
            "equal": sum(one.equal for one in found),
            "verified": sum(one.rejection is None for one in found),
            "by_instance": [asdict(one) for one in found],
        },
        made_from="SWE-bench dev, rebuilt from sdists",
        repeats=1,
    )


if __name__ == "__main__":
    main()
