"""Environments of bugs as a SWE-bench task repository, with the same as classic rows.

sweb.yaml                the data set that it publishes
rows.jsonl               classic rows, as `swebench eval rows.jsonl` takes them
tasks/<instance_id>/     as swebench 5 has it; repository and pins beside
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment, read_environment
from envplatform.bundle.archive import pack
from envplatform.bundle.harborfiles import requirements_txt
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, ExportError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.interop.exporting import Exported
from envplatform.interop.swebench.bug import Bug, bug_of
from envplatform.interop.swebench.script import (
    ARCHIVE,
    REQUIREMENTS,
    dockerfile,
    eval_script,
)
from envplatform.store import Store
from envplatform.store.names import encode_name

ROWS, CONFIG, TASKS = "rows.jsonl", "sweb.yaml", "tasks"
DATA_SET, SPLIT = "envplatform/exported", "test"
_CREATED = "1970-01-01T00:00:00Z"
"""Rows must have a time; what was made has none that is part of it."""
_UNKNOWN = "unknown/unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One environment, all that is written of it at hand."""

    name: str
    row: EnvironmentRow
    environment: Environment
    bug: Bug

    @property
    def columns(self) -> dict[str, object]:
        """The classic row; lists of tests are JSON in a text there."""
        owner, _, name = self.row.repository.partition("__")
        return {
            "repo": f"{owner}/{name}" if name else _UNKNOWN,
            "instance_id": self.name,
            "base_commit": self.bug.base_commit,
            "patch": self.bug.patch,
            "test_patch": self.bug.test_patch,
            "problem_statement": self.environment.core.goal,
            "hints_text": "",
            "created_at": _CREATED,
            "version": self.row.digest[:8],
            "FAIL_TO_PASS": json.dumps(self.bug.fail_to_pass),
            "PASS_TO_PASS": json.dumps(self.bug.pass_to_pass),
            "environment_setup_commit": self.bug.base_commit,
            "image": image_name(self.name),
            "eval_script": eval_script(self.bug),
            "log_parser": "parse_log_pytest",
            "eval_type": "pass_and_fail",
            "license": self.row.licence or None,
            "environment_digest": self.row.digest,
        }


def image_name(instance_id: str) -> str:
    """The name under which the harness looks for an instance's image."""
    key = f"sweb.eval.x86_64.{instance_id}:latest".lower()
    return f"swebench/{key}".replace("__", "_1776_")


def write_task_repository(
    store: Store, rows: Iterable[EnvironmentRow], folder: Path, told: Exported
) -> None:
    """Write each environment that is a bug; all others are left out, and named.

    Of several with one name the first is written.
    """
    (folder / TASKS).mkdir()
    config = f"datasets:\n- {DATA_SET}\nsplits:\n- {SPLIT}\n"
    (folder / CONFIG).write_text(config, encoding="utf-8")
    with (folder / ROWS).open("w", encoding="utf-8") as file:
        for row in rows:
            try:
                instance = _instance(store, row)
                _write_task(instance, folder / TASKS)
            except (BundleError, StoreError, ExportError) as error:
                told.leave_out(row.environment_id, error)
                continue
            file.write(json.dumps(instance.columns) + "\n")
            told.written += 1


def _instance(store: Store, row: EnvironmentRow) -> Instance:
    source = store.directory(DIRECTORY_KIND, row.digest)
    environment = read_environment(source, digest=row.digest)
    name = encode_name(row.environment_id)
    if "%" in name or "~" in name:
        msg = "its name can't be that of an image"
        raise ExportError(msg)
    return Instance(
        name=name, row=row, environment=environment, bug=bug_of(environment)
    )


def _write_task(instance: Instance, tasks: Path) -> None:
    folder = tasks / instance.name
    if folder.exists():
        msg = "another environment of this name is written already"
        raise ExportError(msg)
    texts = _files(instance)
    archive = pack(instance.environment.workspace)
    pins = requirements_txt(instance.environment.image)
    folder.mkdir()
    for name, text in texts.items():
        # As it is: a carriage return in a patch is part of it.
        (folder / name).write_bytes(text.encode())
    (folder / ARCHIVE).write_bytes(archive)
    (folder / REQUIREMENTS).write_bytes(pins)


def _files(instance: Instance) -> Mapping[str, str]:
    bug, columns = instance.bug, instance.columns
    tests = {"FAIL_TO_PASS": bug.fail_to_pass, "PASS_TO_PASS": bug.pass_to_pass}
    in_files = {"patch", "test_patch", "eval_script", "problem_statement", *tests}
    about = {
        name: value
        for name, value in columns.items()
        if name not in in_files and name != "hints_text"
    }
    about |= {
        "split": SPLIT,
        "datasets": [DATA_SET],
        "python": instance.environment.image.python,
    }
    return {
        # JSON is YAML, and leaves no doubt about what is a text.
        "task.yaml": json.dumps(about, indent=1, sort_keys=True) + "\n",
        "tests.json": json.dumps(tests, indent=1) + "\n",
        "problem_statement.md": instance.environment.core.goal,
        "gold.patch": bug.patch,
        "test.patch": bug.test_patch,
        "eval.sh": eval_script(bug),
        "Dockerfile": dockerfile(bug, instance.environment.image),
    }
