"""SWE-bench and the sets that took its columns over.

One reading serves all, for where they differ they never contradict: a test list is
text in one and a list in the other, a column is there or not. Layouts, as published:

    SWE-bench          huggingface.co/datasets/princeton-nlp/SWE-bench: repo,
                       instance_id, base_commit, patch, test_patch, problem_statement,
                       hints_text, created_at, version, FAIL_TO_PASS and PASS_TO_PASS
                       (JSON text), environment_setup_commit
    SWE-bench-Live     huggingface.co/datasets/SWE-bench-Live/SWE-bench-Live: adds
                       pull_number, issue_numbers, all_hints_text, commit_urls,
                       test_cmds, log_parser; tests are lists; no licence. A set rebuilt
                       from histories has `title` in place of problem_statement, and
                       names no tests
    SWE-rebench        huggingface.co/datasets/nebius/SWE-rebench (and its forerunner
                       SWE-bench-extra): tests are lists, created_at is text or a
                       timestamp, licence in license_name (license), meta, install_config
    SWE-rebench V2     huggingface.co/datasets/nebius/SWE-rebench-V2: adds language
                       (twenty of them), interface, image_name, license
    SWE-Gym            huggingface.co/datasets/SWE-Gym/SWE-Gym: SWE-bench less
                       environment_setup_commit; tests are lists
    SWE-Fixer          huggingface.co/datasets/internlm/SWE-Fixer-Train-110K: SWE-bench,
                       often without tests. Not seen in full: the names that its readers
                       allow for (id, commit, issue, gold_patch) are allowed for here
"""

from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.instants import read_instant
from envplatform.swe.fixes.sources.layouts.base import (
    LANGUAGE_COLUMNS,
    LICENCE_COLUMNS,
    Layout,
    Place,
    read_licence,
    refuse_other_languages,
)
from envplatform.swe.fixes.sources.layouts.smith import is_mirror
from envplatform.swe.fixes.sources.named_tests import read_tests
from envplatform.swe.fixes.sources.names import (
    checked_base,
    checked_id,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import Row, RowRefused, shown

_ID = ("instance_id", "id")
_REPOSITORY = ("repo", "repository", "repo_name")
_BASE = ("base_commit", "base_sha", "commit")
_PATCH = ("patch", "gold_patch")
_ISSUE = ("problem_statement", "issue", "title")
_REQUIRED = (("instance_id",), ("repo",), ("base_commit",), ("patch",))
_OPTIONAL = (
    *_ISSUE,
    *LICENCE_COLUMNS,
    *LANGUAGE_COLUMNS,
    "test_patch",
    "created_at",
    "FAIL_TO_PASS",
    "fail_to_pass",
    "PASS_TO_PASS",
    "pass_to_pass",
)


def _read(row: Row, place: Place) -> FixInstance:
    refuse_other_languages(row)
    repository = row.required(*_REPOSITORY)
    if is_mirror(repository):
        detail = f"repo is {shown(repository)}: state layout = 'swe-smith'"
        raise RowRefused(reason="bad_identifier", detail=detail)
    return FixInstance(
        instance_id=checked_id(row.required(*_ID)),
        source=place.source,
        repository=repository_key(repository),
        origin="git",
        base_commit=checked_base("base_commit", row.text(*_BASE)),
        patch=row.text(*_PATCH),
        test_patch=row.text("test_patch"),
        problem_statement=row.text(*_ISSUE),
        created_at=read_instant(row, "created_at"),
        licence=read_licence(row, place),
        fail_to_pass=read_tests(row, "FAIL_TO_PASS", "fail_to_pass"),
        pass_to_pass=read_tests(row, "PASS_TO_PASS", "pass_to_pass"),
    )


SWE_BENCH = Layout(name="swe-bench", required=_REQUIRED, optional=_OPTIONAL, read=_read)
SWE_BENCH_LIVE = Layout(
    name="swe-bench-live", required=_REQUIRED, optional=_OPTIONAL, read=_read
)
SWE_REBENCH = Layout(
    name="swe-rebench", required=_REQUIRED, optional=_OPTIONAL, read=_read
)
SWE_REBENCH_V2 = Layout(
    name="swe-rebench-v2",
    required=(*_REQUIRED, ("language",)),
    optional=_OPTIONAL,
    read=_read,
)
SWE_GYM = Layout(name="swe-gym", required=_REQUIRED, optional=_OPTIONAL, read=_read)
SWE_FIXER = Layout(
    name="swe-fixer",
    required=(_ID, _REPOSITORY, _BASE, _PATCH),
    optional=_OPTIONAL,
    read=_read,
)
