"""Folders of the BugsInPy collection, and of its descendants.

Layout, as in github.com/soarsmu/BugsInPy:

    projects/NAME/project.info          github_url="https://github.com/OWNER/NAME"
    projects/NAME/bugs/N/bug.info       buggy_commit_id, fixed_commit_id, test_file
    projects/NAME/bugs/N/bug_patch.txt  the fix, without its tests
    projects/NAME/bugs/N/run_test.sh    one command a failing test

Info files hold `key="value"` lines. Nothing is run: of run_test.sh only the last word
of each pytest or unittest line is taken as the name of a test. Links are not followed.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.sources.conversion import Entry, refuse_repeats
from envplatform.swe.fixes.sources.files import file_digest, settings_digest
from envplatform.swe.fixes.sources.names import (
    checked_base,
    checked_commit,
    checked_id,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import (
    MAX_FIELD_BYTES,
    Row,
    RowRefused,
    too_large,
)

_LINE = re.compile(r"""\s*(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S*))\s*""")
_RUNNERS = frozenset({"pytest", "py.test", "unittest", "tox"})
_FILES = ("bug.info", "bug_patch.txt", "run_test.sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class BugsInPySource:
    """Every bug of a BugsInPy folder, by project and number."""

    name: str
    folder: Path
    """The collection, with `projects` in it."""
    licence: str = ""

    def digest(self) -> str:
        """SHA-256 (hex) of the files that are read, by path, and the settings."""
        digest = hashlib.sha256()
        for project in self._projects():
            for path in (project / "project.info", *_bug_files(project)):
                if path.is_file() and not path.is_symlink():
                    content = file_digest(path)
                    where = path.relative_to(self.folder).as_posix()
                    digest.update(f"{content} {where}\n".encode(errors="replace"))
        return settings_digest(self.name, self.licence, digest.hexdigest())

    def read(self) -> Iterator[Entry]:
        """Yield each bug once; see `Source.read`."""
        yield from refuse_repeats(self._entries())

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        for project in self._projects():
            for bug in _bugs(project):
                where = bug.relative_to(self.folder).as_posix()
                where = where.encode("ascii", "backslashreplace").decode()
                yield where, self._entry(project, bug, where)

    def _entry(self, project: Path, bug: Path, where: str) -> Entry:
        instance_id = ""
        try:
            instance_id = checked_id(f"{project.name}-{bug.name}")
            return self._instance(instance_id, project, bug)
        except RowRefused as refused:
            return QuarantinedRow(
                source=self.name,
                row=where,
                instance_id=instance_id,
                reason=refused.reason,
                detail=refused.detail,
            )

    def _instance(self, instance_id: str, project: Path, bug: Path) -> FixInstance:
        about = Row(where="", fields=_info(project / "project.info"))
        info = Row(where="", fields=_info(bug / "bug.info"))
        fix = info.text("fixed_commit_id")
        return FixInstance(
            instance_id=instance_id,
            source=self.name,
            repository=repository_key(about.required("github_url")),
            origin="git",
            base_commit=checked_base("buggy_commit_id", info.text("buggy_commit_id")),
            fix_commit=checked_commit("fixed_commit_id", fix) if fix else "",
            patch=_text(bug / "bug_patch.txt"),
            licence=self.licence,
            fail_to_pass=_tests(bug / "run_test.sh"),
        )

    def _projects(self) -> list[Path]:
        root = self.folder / "projects"
        try:
            folders = sorted(path for path in root.iterdir() if path.is_dir())
        except OSError as error:
            msg = f"{root} can't be read: {error.strerror or error}"
            raise FixSourceError(msg) from error
        return [path for path in folders if not path.is_symlink()]


def is_bugsinpy(folder: Path) -> bool:
    """Tell whether a folder is laid out as BugsInPy is."""
    return any((folder / "projects").glob("*/project.info"))


def _bugs(project: Path) -> list[Path]:
    """Folders of the bugs, by number."""
    folder = project / "bugs"
    if not folder.is_dir() or folder.is_symlink():
        return []
    bugs = [
        path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()
    ]
    return sorted(bugs, key=lambda bug: (bug.name.zfill(8), bug.name))


def _bug_files(project: Path) -> list[Path]:
    return [bug / name for bug in _bugs(project) for name in _FILES]


def _text(path: Path, *, needed: bool = True) -> str:
    if path.is_symlink() or not path.is_file():
        if needed:
            raise RowRefused(reason="missing_field", detail=f"{path.name} is no file")
        return ""
    with path.open("rb") as file:
        data = file.read(MAX_FIELD_BYTES + 1)
    if len(data) > MAX_FIELD_BYTES:
        raise too_large(path.name, len(data))
    return data.decode("utf-8", "surrogateescape")


def _info(path: Path) -> Mapping[str, str]:
    """Values by key; lines of another form are passed over."""
    found = (_LINE.fullmatch(line) for line in _text(path).split("\n"))
    return {m[1]: next((v for v in m.groups()[1:] if v), "") for m in found if m}


def _tests(path: Path) -> tuple[str, ...]:
    lines = _text(path, needed=False).split("\n")
    commands = [line.split() for line in lines]
    return tuple(words[-1] for words in commands if not _RUNNERS.isdisjoint(words[:-1]))
