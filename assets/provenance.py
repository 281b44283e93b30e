"""Dagster's version tags for events that we write ourselves.

The only module that turns manifests into Dagster's terms of lineage. Manifests stay
the truth: nothing is read back from these tags to decide what is up to date. A test
holds the tags equal to those that Dagster sets itself.
"""

import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from assets.upstream import Reader, Upstream
from envplatform.store import Manifest, combined_digest

CODE_VERSION = "dagster/code_version"
DATA_VERSION = "dagster/data_version"
DATA_VERSION_IS_OURS = "dagster/data_version_is_user_provided"
INPUT_VERSION = "dagster/input_data_version"
INPUT_POINTER = "dagster/input_event_pointer"
_NO_EVENT = "NULL"
_NEVER_MATERIALISED = "INITIAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEvents:
    """What Dagster's log said of one upstream when the step began."""

    pointer: int | None
    """Storage id of its latest materialisation, of any partition; None: none."""
    version: str
    """Data version of that event."""
    versions: Mapping[str, str]
    """Data version by partition; empty for an unpartitioned asset."""


def output(manifests: Iterable[Manifest]) -> dg.Output[None]:
    """The output that stands for all partitions of a run.

    Dagster gives its events one data version for them all, so it is made of all their
    digests, and is the digest itself for a single one. A partition may so look
    changed to the UI when another one of its run was, never unchanged when it was not.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # data versions are marked beta
        return dg.Output(None, data_version=dg.DataVersion(combined_digest(manifests)))


def read_input_events(
    instance: dg.DagsterInstance, upstream: Sequence[Upstream]
) -> dict[str, InputEvents]:
    """Read the state of every upstream, by name. To be called before any work.

    Later the log may name versions that the work did not see.
    """
    return {each.name: _events_of(instance, each) for each in upstream}


def version_tags(
    manifest: Manifest,
    *,
    code_version: str,
    upstream: Sequence[Upstream],
    events: Mapping[str, InputEvents],
    reader: Reader,
) -> dict[str, str]:
    """Tags of a materialisation of the manifest's partition."""
    tags = {
        CODE_VERSION: code_version,
        DATA_VERSION: manifest.digest,
        DATA_VERSION_IS_OURS: "true",
    }
    for each in upstream:
        seen = events[each.name]
        keys = reader.partition_keys(each, manifest.partition or "")
        tags[f"{INPUT_VERSION}/{each.name}"] = _input_version(seen, keys)
        tags[f"{INPUT_POINTER}/{each.name}"] = str(seen.pointer or _NO_EVENT)
    return tags


def _events_of(instance: dg.DagsterInstance, upstream: Upstream) -> InputEvents:
    key = upstream.asset.key
    records = instance.fetch_materializations(key, limit=1).records
    tags: Mapping[str, Mapping[str, str]] = {}
    if upstream.asset.partitions_def is not None:
        tags = instance.event_log_storage.get_latest_tags_by_partition(
            key, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION]
        )
    version = _NEVER_MATERIALISED
    if records:
        latest = records[0].event_log_entry.tags or {}
        version = latest.get(DATA_VERSION, _NEVER_MATERIALISED)
    return InputEvents(
        pointer=records[0].storage_id if records else None,
        version=version,
        versions={name: one[DATA_VERSION] for name, one in tags.items()},
    )


def _input_version(seen: InputEvents, keys: Sequence[str] | None) -> str:
    """As Dagster combines them: the hash of the versions in order of partition."""
    if keys is None or seen.pointer is None:
        return seen.version
    versions = [seen.versions[key] for key in sorted(keys) if key in seen.versions]
    return hashlib.sha256("".join(versions).encode()).hexdigest()
