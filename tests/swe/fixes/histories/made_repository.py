"""Git repositories made for a test, without a work tree: any bytes, any mode."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LINK = "120000"
SUBMODULE = "160000"
EXECUTABLE = "100755"
_FIRST_SECOND = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Moded:
    """A file with another mode than 100644; for a submodule, `data` is its commit id."""

    mode: str
    data: bytes


Change = bytes | Moded | None
"""New content of a path; None deletes it."""


class MadeRepository:
    """A bare repository that grows commit by commit, one second after the other."""

    def __init__(self, folder: Path, *, object_format: str = "sha1") -> None:
        self.folder = folder
        self._seconds = _FIRST_SECOND
        folder.mkdir(parents=True)
        self.git(
            *("init", "--quiet", "--bare", "--initial-branch=main"),
            f"--object-format={object_format}",
        )
        for key in ("allowFilter", "allowAnySHA1InWant"):
            self.git("config", f"uploadpack.{key}", "true")

    @property
    def url(self) -> str:
        """A URL that makes git speak to itself, as with a remote."""
        return f"file://{self.folder}"

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git in it."""
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", "A Tester"),
                ("EMAIL", "tester@example.org"),
                ("DATE", f"{self._seconds} +0200"),
            )
        }
        done = subprocess.run(
            ["git", f"--git-dir={self.folder}", *arguments],
            input=stdin,
            check=True,
            capture_output=True,
            env={**os.environ, **who},
        )
        return done.stdout.decode().strip()

    def blob(self, data: bytes) -> str:
        """Store a file's content and return its id."""
        return self.git("hash-object", "-w", "--stdin", stdin=data)

    def commit(
        self, changes: Mapping[str, Change], *, message: str = "Change", merge: str = ""
    ) -> str:
        """Commit on top of `main` and return the id; `merge` is a second parent."""
        for path, change in changes.items():
            self.git(
                "update-index", "-z", "--index-info", stdin=self._line(path, change)
            )
        tree = self.git("write-tree")
        parents = [*self._head(), *([merge] if merge else [])]
        flags = [word for parent in parents for word in ("-p", parent)]
        self._seconds += 1
        made = self.git("commit-tree", tree, *flags, stdin=message.encode())
        self.git("update-ref", "refs/heads/main", made)
        return made

    def forget(self, object_id: str) -> None:
        """Lose one loose object, as a damaged repository has."""
        (self.folder / "objects" / object_id[:2] / object_id[2:]).unlink()

    def _head(self) -> list[str]:
        return self.git(
            "for-each-ref", "--format=%(objectname)", "refs/heads/main"
        ).split()

    def _line(self, path: str, change: Change) -> bytes:
        name = path.encode("utf-8", "surrogateescape")
        if change is None:
            return b"0 " + b"0" * 40 + b"\t" + name + b"\0"
        moded = change if isinstance(change, Moded) else Moded("100644", change)
        if moded.mode == SUBMODULE:
            object_id = moded.data.decode()
        else:
            object_id = self.blob(moded.data)
        return f"{moded.mode} {object_id}\t".encode() + name + b"\0"
