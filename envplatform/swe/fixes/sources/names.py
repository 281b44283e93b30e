"""Names that become partition keys and folders: repositories, ids, commits.

A repository is published as `owner/name` or as a GitHub URL, and kept as
`owner__name` in the letters of its publisher. GitHub looks names up without regard to
case, so one repository may come in two spellings: whoever compares, compares
`repository_identity`. An owner has no `__` in its name and ends in no `_` there, so
the first `__` of a key is always the border, and the key can be taken apart again.
"""

import re

from envplatform.swe.fixes.sources.rows import RowRefused, shown

_URL = re.compile(
    r"(?:(?:https?|git|ssh)://(?:git@)?(?:www\.)?github\.com/|git@github\.com:)",
    re.IGNORECASE,
)
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,63}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}", re.ASCII)
_INSTANCE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@-]{0,199}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{7,40}|[0-9a-f]{64}")


def repository_key(text: str) -> str:
    """`owner__name` of `owner/name` or of a GitHub URL.

    Raises:
        RowRefused: another host, or characters that no name on GitHub has.
    """
    path = _URL.sub("", text.strip(), count=1).removesuffix("/").removesuffix(".git")
    owner, _, name = path.partition("/")
    if not _OWNER.fullmatch(owner) or not _NAME.fullmatch(name) or not name.strip("."):
        detail = f"repository is {shown(text)}, expected owner/name as on GitHub"
        raise RowRefused(reason="bad_identifier", detail=detail)
    return f"{owner}__{name}"


def owner_and_name(key: str) -> tuple[str, str]:
    """Owner and name of a repository key."""
    owner, _, name = key.partition("__")
    return owner, name


def repository_identity(key: str) -> str:
    """Equal for two keys of one repository, however they are spelt."""
    return key.lower()


def checked_id(text: str) -> str:
    """Return an instance id that may be a file name on any system.

    Raises:
        RowRefused: empty, over 200 characters, or other than letters, digits, `._-+@`.
    """
    if not _INSTANCE_ID.fullmatch(text):
        detail = f"instance id is {shown(text)}, expected letters, digits and ._-+@"
        raise RowRefused(reason="bad_identifier", detail=detail)
    return text


def checked_commit(name: str, text: str) -> str:
    """Lower-case hex id of a commit, whole or cut to seven digits or more.

    Raises:
        RowRefused: anything else; a branch or `HEAD^` names no fixed files.
    """
    commit = text.strip().lower()
    if not _COMMIT.fullmatch(commit):
        detail = f"{name} is {shown(text)}, expected 7 to 40 or 64 hex digits"
        raise RowRefused(reason="wrong_type", detail=detail)
    return commit


def checked_base(name: str, text: str) -> str:
    """As `checked_commit`, for the one commit without which a row is of no use.

    Raises:
        RowRefused: as `checked_commit`; empty or git's all-zero id: `no_base_commit`.
    """
    if not text.strip() or not text.strip().strip("0"):
        raise RowRefused(
            reason="no_base_commit", detail=f"{name} is {shown(text.strip())}"
        )
    return checked_commit(name, text)
