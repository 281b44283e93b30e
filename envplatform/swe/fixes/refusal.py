"""Reason codes: why a row, an instance or a reverse patch goes no further.

One table a stage, code to what it means. Documentation and funnels are made of these,
so a code that is not here can't be put out.
"""

from collections.abc import Mapping
from types import MappingProxyType

from envplatform.errors import EnvPlatformError

QUARANTINE: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "the row is no valid JSON, or its file breaks off there",
        "missing_field": "a field that the layout requires is absent or empty",
        "wrong_type": "a field holds something of another type than the layout says",
        "bad_identifier": "instance id or repository name holds what no name may hold",
        "no_base_commit": "no commit id, and no other way to find the buggy files",
        "not_python": "the row says that it is of another language",
        "duplicate_id": "the source has the same instance id twice, with other content",
        "repeated_row": "the source has the same row a second time",
        "too_large": "a field is larger than any patch or file that is taken",
    }
)
"""Rows that never become an instance."""

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "no_patch": "the instance has an empty patch",
        "patch_malformed": "the patch is no diff that can be read",
        "patch_binary": "the patch changes a binary file",
        "patch_submodule": "the patch moves a submodule",
        "patch_symlink": "the patch changes a symbolic link, or passes through one",
        "patch_path": "the patch names a path that may not be touched",
        "commit_missing": "the history lacks the base commit",
        "blob_missing": "the history lacks the content of a patched file",
        "does_not_apply": "the patch fits nowhere in the files it names",
        "ambiguous": "a hunk fits at more than one place",
        "no_change": "both sides are equal, byte for byte",
        "round_trip": "a fresh diff, applied, does not give back the bytes",
        "release_mismatch": "the release holds neither side of the fix",
        "too_large": "a patched file, or the patch, is over the size limit",
    }
)
"""Instances of which no reverse patch is made."""

REJECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "no_code": "no Python file is changed",
        "test_only": "only tests are changed",
        "too_many_files": "more changed code files than configured",
        "too_many_lines": "more changed lines of code than configured",
        "same_code": "formatting, comments, docstrings or import order only",
        "generated": "a generated or vendored file, by path or header",
        "excluded_path": "a lock file, `_version.py`, migration or notebook",
        "does_not_parse": "one side is no Python of the supported versions",
        "incomplete_hunk": "the diff cuts a file off, or a side is empty",
        "over_context": "the files are longer than the context budget",
        "not_utf8": "a changed code file is not UTF-8",
        "licence": "the licence policy leaves the repository out",
        "duplicate": "same repository, file and change as an earlier one",
        "duplicate_code": "same change after normalising names and constants",
        "near_duplicate": "MinHash similarity to an earlier one over the limit",
        "held_out_repository": "its repository is in a held-out set",
        "held_out_file": "a changed file is in a held-out set, byte for byte",
        "held_out_lines": "changed lines share a 13-gram with a held-out set",
    }
)
"""Reverse patches that are not kept, in the order in which they are asked."""


MAX_DETAIL_CHARACTERS = 1_000
"""Of a detail that is kept; it may quote what a stranger wrote."""


class Refused(EnvPlatformError):  # noqa: N818  no error: a value that ends one instance
    """Ends the work on one instance; caught where the instance becomes a row."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {clipped(detail)}")
        if code not in REFUSALS:
            msg = f"{code!r} is no refusal"
            raise ValueError(msg)
        self.code = code
        self.detail = clipped(detail)


def clipped(detail: str) -> str:
    """Cut a detail off where it quotes a row or a patch at length."""
    if len(detail) <= MAX_DETAIL_CHARACTERS:
        return detail
    return f"{detail[:MAX_DETAIL_CHARACTERS]}..."
