"""The commands on a store that a real run made: as a user would use them."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from envplatform.bundle import environment_digest, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.graph import ASSETS
from envplatform.store import Origin, Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.publish import REFUSED, Refused
from envplatform.swe.report import REJECTED
from tests.cli.conftest import Call
from tests.made_project import BROKEN, REPOSITORY, Made, Project

pytestmark = pytest.mark.slow

OF_BUGS = {
    "target_repositories",
    "bug_candidates",
    "verified_bugs",
    "swe_environments",
    "synthesis_report",
}
"""Assets that this project makes; it names no source of fixes."""
ACCOUNTS = ("cost_ledger", "realism_votes", "release")
"""Made at the end of every run, whatever it made."""


@pytest.fixture
def store(made: Made) -> Store:
    """The store of the made project; only to be read."""
    return Store(made.project.home)


@pytest.fixture
def rows(store: Store) -> list[EnvironmentRow]:
    """Its two environments."""
    return store.rows(EnvironmentRow, "swe_environments", REPOSITORY)


@pytest.fixture
def copy(
    ask: Call, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Store:
    """A copy of the store, free to be damaged; commands work on it from here on."""
    del ask
    folder = tmp_path / "copy"
    shutil.copytree(made.project.folder, folder, symlinks=True)
    project = Project(folder=folder)
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    return Store(project.home)


def test_status_keeps_its_contract(ask: Call, made: Made) -> None:
    found = ask("status", "--json")
    assert found.code == 0
    assert found.json["home"] == str(made.project.home)
    assets = found.json["assets"]
    assert list(assets) == list(ASSETS)
    for asset in assets.values():
        assert set(asset) == {
            "partitions", "rows", "bytes", "failed_partitions", "updated",
        }  # fmt: skip
    for name in OF_BUGS:
        asset = assets[name]
        assert asset["partitions"] == 1
        assert asset["rows"] > 0
        assert asset["bytes"] > 0
        assert datetime.fromisoformat(asset["updated"]).tzinfo is not None
    assert [assets[name]["partitions"] for name in ACCOUNTS] == [1, 1, 1]
    for name in ASSETS.keys() - OF_BUGS - set(ACCOUNTS):
        asset = assets[name]
        assert (asset["partitions"], asset["rows"], asset["bytes"]) == (0, 0, 0)
        assert asset["updated"] is None
    failed = {name: asset["failed_partitions"] for name, asset in assets.items()}
    assert failed == {**{name: [] for name in ASSETS}, "target_repositories": [BROKEN]}


def test_status_names_what_failed_and_why(ask: Call) -> None:
    found = ask("status")
    assert f"failed: target_repositories {BROKEN}: " in found.out
    assert "licence: no such key" in found.out


def test_status_of_nothing_is_zeros(call: Call, tmp_path: Path) -> None:
    (tmp_path / "envplatform.toml").touch()
    found = call("status", "--json", folder=tmp_path)
    nothing = {
        "partitions": 0, "rows": 0, "bytes": 0,
        "failed_partitions": [], "updated": None,
    }  # fmt: skip
    assert found.json["assets"] == dict.fromkeys(ASSETS, nothing)
    assert call("status", folder=tmp_path).out.count("never") == len(ASSETS)
    assert not (tmp_path / ".envplatform").exists()


def test_inspect_by_id_digest_start_and_folder(
    ask: Call, rows: list[EnvironmentRow], store: Store
) -> None:
    row = rows[0]
    folder = store.directory("environments", row.digest)
    for name in (row.environment_id, row.digest, row.digest[:12], str(folder)):
        found = ask("inspect", name, "--json")
        assert found.code == 0
        assert found.json["digest"] == row.digest
        assert found.json["environment_id"] == row.environment_id
        assert found.json["folder"] == str(folder)
        assert {check["status"] for check in found.json["audit"]} == {"passed"}


def test_inspect_a_folder_without_any_project(
    call: Call, rows: list[EnvironmentRow], store: Store, tmp_path: Path
) -> None:
    """A bundle that someone sent."""
    folder = tmp_path / "sent"
    shutil.copytree(store.directory("environments", rows[0].digest), folder)
    assert call("inspect", folder, "--json").json["digest"] == rows[0].digest
    assert call("inspect", ".", "--json", folder=folder).code == 0


def test_inspect_shows_a_person_the_task_and_the_audit(
    ask: Call, rows: list[EnvironmentRow]
) -> None:
    found = ask("inspect", rows[0].environment_id)
    assert found.code == 0
    for part in (rows[0].digest, "oracle_max", "for the grader", "instruction.md"):
        assert part in found.out


def test_a_name_that_fits_several_lists_them(
    ask: Call, rows: list[EnvironmentRow]
) -> None:
    found = ask("inspect", REPOSITORY, "--json")
    assert (found.code, found.json["error"]) == (1, "StoreError")
    assert f"2 environments start with '{REPOSITORY}'" in found.json["message"]
    for row in rows:
        assert row.environment_id in found.json["message"]
    unknown = ask("inspect", "nonsense", "--json")
    assert "no environment 'nonsense' is stored; there are" in unknown.json["message"]


def test_a_changed_bundle_is_refused_and_the_doctor_finds_it(
    copy: Store, call: Call
) -> None:
    good, bad = copy.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    folder = copy.directory("environments", bad.digest)
    (folder / "instruction.md").write_text("Delete everything.\n")
    for command in ("inspect", "run", "trace"):
        found = call(command, bad.environment_id, "--json")
        assert (found.code, found.json["error"]) == (1, "BundleError")
    assert call("inspect", good.environment_id).code == 0
    found = call("doctor", "--json")
    assert found.code == 3
    damaged = f"store directories/environments/{bad.digest}"
    assert damaged in {
        each["what"] for each in found.json["findings"] if each["state"] == "problem"
    }
    shutil.rmtree(folder)
    found = call("doctor", "--json")
    assert f"environment {bad.environment_id}" in {
        each["what"] for each in found.json["findings"] if each["state"] == "problem"
    }


def test_the_doctor_names_the_broken_target_and_sweeps(copy: Store, call: Call) -> None:
    leftover = copy.home / "results" / "prove" / "ab" / ".half.unfinished"
    leftover.parent.mkdir(parents=True, exist_ok=True)
    leftover.touch()
    found = call("doctor", "--sweep", "--json")
    assert (found.code, found.json["ok"]) == (3, False)
    wrong = [each for each in found.json["findings"] if each["state"] == "problem"]
    assert [each["what"] for each in wrong] == [f"target {BROKEN}"]
    assert "licence: no such key" in wrong[0]["detail"]
    found = call("doctor")
    assert f"ok       store: all digests hold in {copy.home}" in found.out


def test_a_damaged_table_is_an_error_that_names_the_file(
    copy: Store, call: Call
) -> None:
    manifest = copy.home / "tables" / "swe_environments" / REPOSITORY / "manifest.json"
    (found,) = copy.home.glob("tables/swe_environments/*/manifest.json")
    assert found.name == manifest.name
    found.write_text("{}")
    for command in (("status",), ("inspect", "x"), ("trace", "x"), ("why", "made")):
        answer = call(*command, "--json")
        assert (answer.code, answer.json["error"]) == (1, "StoreError")
    doctor = call("doctor", "--json")
    assert doctor.code == 3


def test_why_of_every_candidate_ends_in_a_reason(ask: Call, store: Store) -> None:
    rejected = {v.candidate_id: v for v in store.rows(Verdict, REJECTED, REPOSITORY)}
    environments = {
        row.candidate_id
        for row in store.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    }
    for candidate in store.rows(BugCandidate, "bug_candidates", REPOSITORY):
        name = candidate.candidate_id
        found = ask("why", name, "--json")
        assert found.code == 0
        assert found.json["candidate"]["bug_patch"] == candidate.bug_patch
        conclusion = found.json["conclusion"]
        if name in rejected:
            assert conclusion.startswith(f"rejected: {rejected[name].rejection}: ")
        elif name in environments:
            assert conclusion.endswith(f"environment {name} passed the gate")
        else:
            assert "not among those chosen" in conclusion
        assert "+++ b/spans/core.py" in ask("why", name).out


def test_why_knows_what_the_gate_refused_and_what_was_never_run(
    copy: Store, call: Call
) -> None:
    row, _ = copy.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    refused = Refused(
        candidate_id=row.candidate_id, reason="leak_scan", detail="failed: the answer"
    )
    origin = Origin(created=datetime.fromisoformat("2020-01-01T00:00:00+00:00"))
    for table, rows, row_type in (
        (REFUSED, [refused], Refused),
        ("swe_environments", [], EnvironmentRow),
    ):
        copy.write_rows(
            table, rows, row_type=row_type, partition=REPOSITORY, origin=origin
        )
    found = call("why", row.candidate_id, "--json")
    assert found.json["conclusion"].endswith("refused: leak_scan: failed: the answer")
    shutil.rmtree(copy.home / "tables" / "verified_bugs")
    found = call("why", row.candidate_id, "--json")
    assert found.json["conclusion"].startswith("proposed; not executed yet")


def nodes(node: dict[str, object]) -> list[dict[str, object]]:
    parts = node["made_from"]
    assert isinstance(parts, list)
    return [node, *(each for part in parts for each in nodes(part))]


def test_trace_goes_from_the_environment_to_its_source(
    ask: Call, rows: list[EnvironmentRow], store: Store
) -> None:
    row = rows[0]
    found = ask("trace", row.environment_id, "--json")
    top = found.json
    assert (top["kind"], top["digest"]) == ("environment", row.digest)
    candidate, table = top["made_from"]
    assert (candidate["kind"], candidate["name"]) == ("candidate", row.candidate_id)
    assert candidate["facts"]["operator"] == row.operator
    assert candidate["facts"]["file"].startswith("spans/core.py:")
    assert (table["kind"], table["name"]) == ("table", "swe_environments")
    assert {
        each["name"]: each["state"] for each in nodes(top) if each["kind"] == "table"
    } == dict.fromkeys(OF_BUGS - {"synthesis_report"}, "current")
    sources = {each["name"] for each in nodes(top) if each["kind"] == "source"}
    assert sources == {"folder", "target.toml"}
    manifest = store.manifest("target_repositories", REPOSITORY)
    assert manifest is not None
    digests = {part.digest for part in manifest.recipe.inputs}
    assert digests == {
        each["digest"] for each in nodes(top) if each["kind"] == "source"
    }


def test_trace_draws_each_table_once(ask: Call, rows: list[EnvironmentRow]) -> None:
    found = ask("trace", rows[0].digest)
    assert found.code == 0
    assert found.out.splitlines()[0].startswith(
        f"environment {rows[0].environment_id} {rows[0].digest[:12]} current"
    )
    assert found.out.count("source folder") == 1
    assert "(as above)" in found.out
    assert max(map(len, found.out.splitlines())) > 80, "lines stay whole"


def test_trace_of_tables(ask: Call) -> None:
    whole = ask("trace", "synthesis_report", "--json")
    assert (whole.code, whole.json["partition"]) == (0, None)
    one = ask("trace", f"bug_candidates:{REPOSITORY}", "--json")
    assert one.json["made_from"][0]["name"] == "target_repositories"
    for name in ("bug_candidates", "bug_candidates:other"):
        lacking = ask("trace", name, "--json")
        assert (lacking.code, lacking.json["error"]) == (1, "StoreError")
        assert lacking.json["message"].endswith(f"(ASSET:PARTITION): {REPOSITORY}")


def test_trace_of_an_environment_whose_tables_moved_on(copy: Store, call: Call) -> None:
    """What it was made from is still said, by its own record."""
    row, _ = copy.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    folder = copy.directory("environments", row.digest)
    shutil.rmtree(copy.home / "tables")
    found = call("trace", folder, "--json")
    assert (found.code, found.json["state"]) == (0, "outside")
    (candidate,) = found.json["made_from"]
    assert candidate["facts"]["operator"] == row.operator


@pytest.mark.parametrize(
    ("harness", "code", "reward"), [("oracle", 0, 1.0), ("nop", 3, 0.0)]
)
def test_run_without_a_model(
    ask: Call, rows: list[EnvironmentRow], harness: str, code: int, reward: float
) -> None:
    found = ask("run", rows[0].environment_id, "--harness", harness, "--json")
    assert (found.code, found.json["reward"]) == (code, reward)
    assert found.json["environment_digest"] == rows[0].digest
    assert found.json["error_class"] is None
    assert "preparing" in found.err


def test_run_of_a_folder_without_any_project(
    call: Call, rows: list[EnvironmentRow], made: Made, tmp_path: Path
) -> None:
    """Its image comes from the user's cache."""
    folder = Store(made.project.home).directory("environments", rows[0].digest)
    images = (made.project.home / "cache" / "targets").resolve()
    caches = tmp_path / "cache" / "envplatform" / "cache"
    caches.mkdir(parents=True)
    (caches / "targets").symlink_to(images)
    found = call("run", folder, "--harness", "oracle")
    assert found.code == 0
    assert "reward 1.0" in found.out


def test_shell_runs_lines_keeps_the_folder_and_grades(
    ask: Call, rows: list[EnvironmentRow], store: Store
) -> None:
    environment = read_environment(store.directory("environments", rows[0].digest))
    assert environment_digest(environment) == rows[0].digest
    lines = ("cd spans", "pwd; echo oops >&2; exit 4", "cat core.py", ":grade")
    words = [word for line in lines for word in ("-c", line)]
    found = ask("shell", rows[0].environment_id, *words, "--json")
    assert found.code == 3, "the reward is not full"
    assert found.json["environment_id"] == rows[0].environment_id
    first, second, third, graded = found.json["done"]
    assert (first["exit_code"], first["folder"]) == (0, "/workspace/spans")
    assert (second["exit_code"], second["stdout"]) == (4, "/workspace/spans\n")
    assert second["stderr"] == "oops\n"
    core = environment.workspace["spans/core.py"].data.decode()
    assert (third["exit_code"], third["stdout"]) == (0, core)
    assert graded["grading"]["reward"] == 0.0
    assert graded["grading"]["log"] == "", "it may quote hidden tests"


def test_shell_for_a_person(ask: Call, rows: list[EnvironmentRow]) -> None:
    """The task first, then lines until the end of input; colours can't be forged."""
    lines = "printf 'a\\033[31mb'\nfalse\n:quit\necho never\n"
    found = ask("shell", rows[0].environment_id, stdin=lines)
    assert found.code == 0
    assert ":grade runs the verifier" in found.out
    assert "a\\x1b[31mb" in found.out
    assert "(exit code 1)" in found.out
    assert "never" not in found.out
    assert ask("shell", rows[0].environment_id, "-c", "true").code == 0


def test_shell_has_no_tests_no_network_and_no_answer(
    ask: Call, rows: list[EnvironmentRow]
) -> None:
    script = "find /tests /solution -type f | wc -l; cat /proc/net/dev | wc -l"
    found = ask("shell", rows[0].environment_id, "-c", script, "--json")
    assert found.json["done"][0]["stdout"] == "0\n3\n", "two lines of head, and lo"
