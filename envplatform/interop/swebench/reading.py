"""SWE-bench instances of strangers: classic rows, or the folders of a task repository.

A row names a repository and has none. So each instance needs `repository.tar` and
`requirements.txt` in `tasks/<instance_id>/`, as our own export has them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from envplatform.bundle import records, without_repository
from envplatform.bundle.archive import unpack
from envplatform.errors import BundleError
from envplatform.interop.strict_yaml import load_strictly
from envplatform.interop.swebench.script import ARCHIVE, REQUIREMENTS
from envplatform.tree import File

ROWS, TASKS = "rows.jsonl", "tasks"
PYTHON = "3.11"
"""Where an instance names none."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
_VERSION = re.compile(r"3\.\d{1,2}")
_MOST_ROW_BYTES = 64_000_000
_MOST_FIELD = 16_000_000
_MOST_ARCHIVE_BYTES = 512_000_000
_FILES = {
    "patch": "gold.patch",
    "test_patch": "test.patch",
    "eval_script": "eval.sh",
    "problem_statement": "problem_statement.md",
}
_READ_BY = ("parse_log_pytest", "pass_and_fail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One instance that is there, unread."""

    name: str
    """As errors and reports call it; may be any text of the file."""
    where: str
    fields: Mapping[str, object] | None
    """Of its row; None: it lies in `folder` alone."""
    problem: str = ""
    """Why nothing of it can be read; empty if something can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One instance, read and checked."""

    name: str
    repository: str
    base_commit: str
    patch: str
    test_patch: str
    eval_script: str
    problem_statement: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    licence: str
    tree: Mapping[str, File]
    """The repository without its history."""
    python: str
    requirements: tuple[str, ...]


def find_instances(source: Path) -> Iterator[Place]:
    """Yield what is in a file of rows, or in a task repository, in order.

    Raises:
        BundleError: it is neither.
    """
    file = source / ROWS if source.is_dir() else source
    if file.is_file():
        yield from _rows(file)
        return
    tasks = source / TASKS
    if not tasks.is_dir():
        msg = f"{source} is no file of rows (.jsonl), and holds neither {ROWS} nor {TASKS}/"
        raise BundleError(msg)
    for folder in sorted(tasks.iterdir()):
        if folder.is_dir() and not folder.is_symlink():
            yield Place(name=folder.name, where=str(folder), fields=None)


def read_instance(place: Place, source: Path) -> Instance:
    """Read one.

    Raises:
        BundleError: it is not as the format says; names row or file, and field.
    """
    if place.problem:
        raise BundleError(place.problem)
    root = source if source.is_dir() else source.parent
    name = place.name
    if not _NAME.fullmatch(name):
        msg = f"{place.where}: instance_id {name[:80]!r} can't be the name of a folder"
        raise BundleError(msg)
    folder = root / TASKS / name
    fields = place.fields if place.fields is not None else _task(folder)
    about = _Fields(fields=fields, where=place.where)
    _check_reader(about)
    return Instance(
        name=name,
        repository=about.text("repo"),
        base_commit=about.text("base_commit", needed=False),
        patch=about.text("patch"),
        test_patch=about.text("test_patch"),
        eval_script=about.text("eval_script"),
        problem_statement=about.text("problem_statement"),
        fail_to_pass=about.tests("FAIL_TO_PASS"),
        pass_to_pass=about.tests("PASS_TO_PASS"),
        licence=about.text("license", needed=False),
        tree=without_repository(unpack(_bytes(folder / ARCHIVE, _MOST_ARCHIVE_BYTES))),
        python=_python(folder),
        requirements=_pins(folder / REQUIREMENTS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fields:
    """Fields of any type, none of them trusted."""

    fields: Mapping[str, object]
    where: str

    def text(self, name: str, *, needed: bool = True) -> str:
        value = self.fields.get(name)
        if value is None and not needed:
            return ""
        if not isinstance(value, str) or len(value) > _MOST_FIELD or "\0" in value:
            raise self._wrong(name, f"no text of at most {_MOST_FIELD:,} characters")
        if needed and not value.strip():
            raise self._wrong(name, "empty")
        return value

    def tests(self, name: str) -> tuple[str, ...]:
        """A list, or JSON that is one."""
        value = self.fields.get(name)
        if isinstance(value, str) and len(value) <= _MOST_FIELD:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise self._wrong(name, "no JSON") from error
        if not isinstance(value, list) or not all(
            isinstance(one, str) for one in value
        ):
            raise self._wrong(name, "no list of test ids")
        return tuple(dict.fromkeys(value))

    def _wrong(self, name: str, what: str) -> BundleError:
        return BundleError(f"{self.where}: field {name} is missing, or {what}")


def _rows(file: Path) -> Iterator[Place]:
    """Yield each line's row once; the second of one id says so."""
    seen: set[str] = set()
    with file.open("rb") as stream:
        for number, data in _lines(stream):
            where = f"{file.name}, line {number}"
            try:
                fields = records.load(_bounded(data, where), where)
            except BundleError as error:
                yield Place(name=where, where=where, fields={}, problem=str(error))
                continue
            name = str(fields.get("instance_id") or "")
            problem = f"{where}: {name[:80]!r} is there twice" if name in seen else ""
            seen.add(name)
            yield Place(name=name, where=where, fields=fields, problem=problem)


def _bounded(data: bytes, where: str) -> bytes:
    if len(data) > _MOST_ROW_BYTES:
        msg = f"{where}: over {_MOST_ROW_BYTES:,} bytes"
        raise BundleError(msg)
    return data


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, by number; of one that is too long the beginning."""
    number = 0
    while data := stream.readline(_MOST_ROW_BYTES + 1):
        number += 1
        if data.strip():
            yield number, data
        while len(data) > _MOST_ROW_BYTES and not data.endswith(b"\n"):
            data = stream.readline(_MOST_ROW_BYTES + 1)
            if not data:
                return


def _task(folder: Path) -> Mapping[str, object]:
    """The fields of a task repository's folder, as a row would have them."""
    about = load_strictly(_text(folder / "task.yaml"), f"{folder.name}/task.yaml")
    if not isinstance(about, dict):
        msg = f"{folder.name}/task.yaml: no mapping"
        raise BundleError(msg)
    tests = records.load(
        _bytes(folder / "tests.json", _MOST_ROW_BYTES), f"{folder.name}/tests.json"
    )
    texts = {column: _text(folder / name) for column, name in _FILES.items()}
    return {**{str(key): value for key, value in about.items()}, **tests, **texts}


def _check_reader(about: _Fields) -> None:
    said = (about.text("log_parser"), about.text("eval_type"))
    if said != _READ_BY:
        msg = f"{about.where}: its log is read by {said[0]}, {said[1]}; only pytest's is here"
        raise BundleError(msg)


def _python(folder: Path) -> str:
    """The version that task.yaml names; it need not be there."""
    if not (folder / "task.yaml").is_file():
        return PYTHON
    said = load_strictly(_text(folder / "task.yaml"), f"{folder.name}/task.yaml")
    version = str(said.get("python") or PYTHON) if isinstance(said, dict) else PYTHON
    if not _VERSION.fullmatch(version):
        msg = f"{folder.name}/task.yaml: python {version[:40]!r} is no version such as 3.11"
        raise BundleError(msg)
    return version


def _pins(path: Path) -> tuple[str, ...]:
    lines = [line.strip() for line in _text(path).splitlines()]
    pins = tuple(sorted(line for line in lines if line and not line.startswith("#")))
    for pin in pins:
        if not _PIN.fullmatch(pin):
            msg = f"{path.parent.name}/{path.name}: {pin[:80]!r} is no `name==version`"
            raise BundleError(msg)
    return pins


def _text(path: Path) -> str:
    try:
        return _bytes(path, _MOST_FIELD).decode()
    except UnicodeDecodeError as error:
        msg = f"{path.parent.name}/{path.name} is no UTF-8"
        raise BundleError(msg) from error


def _bytes(path: Path, most: int) -> bytes:
    where = f"{path.parent.name}/{path.name}"
    if path.is_symlink() or not path.is_file():
        msg = f"{where} is missing, or no plain file"
        raise BundleError(msg)
    if path.stat().st_size > most:
        msg = f"{where} has over {most:,} bytes"
        raise BundleError(msg)
    return path.read_bytes()
