"""`python -m assets.run`: from a configured target to environments, kills included."""

import io
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from assets.configured_keys import changes, forget_failures
from assets.definitions import build_definitions
from assets.run import INTERRUPTED, register_targets, synthesise
from assets.terminal import TAG, alone, end_dead_runs, quiet_logger, tags_of
from assets.terminal_run import Terminal
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import ConfigError, StoreError
from envplatform.store import Store
from envplatform.swe.candidate import BugCandidate, Verdict
from envplatform.swe.report import REJECTED
from resources.seeds import SeedsResource
from resources.targets import TargetsResource
from tests.made_project import BROKEN, CHECKOUT, REPOSITORY, Made, Project

STAGES = ("target_repositories", "bug_candidates", "verified_bugs", "swe_environments")


def lines_of(output: str, asset: str) -> list[str]:
    return [line for line in output.splitlines() if f" {asset}: " in line]


@pytest.mark.slow
def test_a_run_goes_on_where_a_killed_one_stopped(made: Made) -> None:
    assert made.verdicts_when_killed
    now = made.project.verdicts()
    assert len(now) > len(made.verdicts_when_killed)
    kept = {path: now.get(path) for path in made.verdicts_when_killed}
    assert kept == made.verdicts_when_killed
    assert "had been killed: going on" in made.finished.output


@pytest.mark.slow
def test_every_candidate_has_one_verdict_and_every_environment_passed(
    made: Made,
) -> None:
    store = Store(made.project.home)
    candidates = store.rows(BugCandidate, "bug_candidates", REPOSITORY)
    verdicts = [
        *store.rows(Verdict, "verified_bugs", REPOSITORY),
        *store.rows(Verdict, REJECTED, REPOSITORY),
    ]
    assert len(candidates) == 5
    assert sorted(each.candidate_id for each in verdicts) == sorted(
        each.candidate_id for each in candidates
    )
    environments = store.rows(EnvironmentRow, "swe_environments", REPOSITORY)
    assert len(environments) == 2
    assert all(row.gated and row.fail_to_pass for row in environments)
    assert store.verify() == ()


@pytest.mark.slow
def test_the_killed_run_is_ended_and_its_place_is_free(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the second kill would be the last run ever: the pool has two places."""
    monkeypatch.setenv("ENVPLATFORM_HOME", str(made.project.home))
    folder = str(made.project.home / "dagster")
    with dg.DagsterInstance.from_config(folder) as instance:
        runs = instance.get_runs()
        assert {run.status for run in runs} == {
            dg.DagsterRunStatus.SUCCESS,
            dg.DagsterRunStatus.FAILURE,
        }
        expected = tags_of(made.project.home / "dagster")
        assert {run.tags.get(TAG) for run in runs} == set(expected.values())
        pool = instance.event_log_storage.get_concurrency_info("docker")
        assert pool.claimed_slots == []
        assert pool.pending_steps == []


@pytest.mark.slow
def test_a_broken_target_is_named_with_its_reason_and_costs_no_other(
    made: Made,
) -> None:
    assert made.finished.code == 1
    (failure,) = lines_of(made.finished.output, "target_repositories")[:1]
    assert "failed: " in failure
    assert "red target.toml: 4 wrong key(s)" in failure
    assert "licence: no such key" in made.finished.output
    assert made.finished.output.splitlines()[-1] == f"failed: {BROKEN}"
    assert len(lines_of(made.finished.output, "swe_environments")) == 1


@pytest.mark.slow
def test_progress_is_few_lines_and_none_of_dagster(made: Made) -> None:
    output = made.finished.output
    assert "5 of 5 candidates verified" in output
    assert "2 of 2 environments gated" in output
    assert "STEP_START" not in output
    assert "DEBUG" not in output


@pytest.fixture
def copy(made: Made, tmp_path: Path) -> Project:
    """The made project, free to be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(made.project.folder, folder, symlinks=True)
    return Project(folder=folder)


Rerun = Callable[[], tuple[list[str], str]]


@pytest.fixture
def rerun(copy: Project, monkeypatch: pytest.MonkeyPatch) -> Rerun:
    """Makes the copy again in this process; returns what failed and what was told."""
    for name, value in copy.environ.items():
        monkeypatch.setenv(name, value)

    def run() -> tuple[list[str], str]:
        out = io.StringIO()
        with dg.DagsterInstance.from_config(str(copy.home / "dagster")) as instance:
            failed = synthesise(
                Terminal(
                    instance=instance,
                    definitions=build_definitions(),
                    folder=copy.home / "dagster",
                    out=out,
                )
            )
        return failed, out.getvalue()

    return run


@pytest.mark.slow
def test_a_second_run_does_nothing_again(copy: Project, rerun: Rerun) -> None:
    first = copy.verdicts()
    failed, output = rerun()
    assert failed == [BROKEN]
    for stage in (*STAGES, "synthesis_report"):
        assert lines_of(output, stage)[-1].endswith("rows (up to date)")
    assert copy.verdicts() == first


@pytest.mark.slow
def test_a_rerun_makes_what_is_lost_forgets_what_is_mended_and_no_more(
    copy: Project, rerun: Rerun
) -> None:
    store = Store(copy.home)
    row = store.rows(EnvironmentRow, "swe_environments", REPOSITORY)[0]
    before = store.manifest("swe_environments", REPOSITORY)
    shutil.rmtree(store.directory("environments", row.digest))
    copy.file.write_text(copy.file.read_text().replace('"red target.toml", ', ""))
    failed, output = rerun()
    assert failed == []
    assert BROKEN not in output
    for stage in STAGES[:3]:
        (line,) = lines_of(output, stage)
        assert line.endswith("rows (up to date)")
    (line,) = lines_of(output, "swe_environments")
    assert line.endswith("2 rows")
    assert store.directory("environments", row.digest).is_dir()
    after = store.manifest("swe_environments", REPOSITORY)
    assert before is not None
    assert after is not None
    assert after.digest == before.digest
    assert store.failures("target_repositories") == ()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_that_is_to_come_and_keeps_what_is_done(
    copy: Project, number: signal.Signals
) -> None:
    """Dagster takes it for the failure of one job, after which others could start."""
    shutil.rmtree(copy.home / "tables")
    shutil.rmtree(copy.home / "results")
    process = subprocess.Popen(
        [sys.executable, "-m", "assets.run"],
        cwd=CHECKOUT,
        env={**os.environ, **copy.environ},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "bug_candidates: " in line:  # so that its next step is under way
            break
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED
    assert said.splitlines()[-1].startswith("interrupted: ")
    store = Store(copy.home)
    assert store.manifest("bug_candidates", REPOSITORY) is not None
    assert store.failures("verified_bugs") == ()
    with alone(copy.home / "dagster"):
        pass


def test_two_terminals_do_not_start_runs_at_once(tmp_path: Path) -> None:
    with (
        alone(tmp_path),
        pytest.raises(StoreError, match="wait until it is done"),
        alone(tmp_path),
    ):
        pytest.fail("the second one got in")
    with alone(tmp_path):
        pass


def test_only_runs_of_this_terminal_are_ended(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    """What the UI launched is watched by Dagster; others may share our Postgres."""

    @dg.job
    def empty() -> None:
        """Nothing."""

    def start(tags: dict[str, str]) -> str:
        started = dg.DagsterRunStatus.STARTED
        return instance.create_run_for_job(empty, status=started, tags=tags).run_id

    ours, theirs = start(tags_of(tmp_path)), start({})
    elsewhere = start(tags_of(tmp_path / "other"))
    assert end_dead_runs(instance, tmp_path) == [ours]
    assert end_dead_runs(instance, tmp_path) == []
    under_way = {
        run.run_id
        for run in instance.get_runs()
        if run.status == dg.DagsterRunStatus.STARTED
    }
    assert under_way == {theirs, elsewhere}


def test_the_terminal_shows_progress_of_partitions_only() -> None:
    out = io.StringIO()
    logger = quiet_logger(out).logger_fn(None)  # type: ignore[arg-type]  # not looked at
    for level, said in (
        (logging.INFO, "a__b: 3 of 4 verified"),
        (logging.INFO, "1 of 1 partitions, 0 failed"),
        (logging.ERROR, "a__b: Traceback"),
        (logging.DEBUG, "a__b: 1 of 4 verified"),
    ):
        logger.log(level, said, extra={"dagster_meta": {"orig_message": said}})
    assert out.getvalue() == "            3 of 4 verified\n"


def test_what_strangers_wrote_steers_no_terminal(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    out = io.StringIO()
    terminal = Terminal(
        instance=instance, definitions=dg.Definitions(), folder=tmp_path, out=out
    )
    terminal.say("remote: \x1b]0;title\x07 \u202e \udc80")
    assert out.getvalue() == "remote: \\x1b]0;title\\x07 \\x202e \\udc80\n"


def test_a_run_that_fails_before_any_step_says_why(
    instance: dg.DagsterInstance, home: Path, tmp_path: Path
) -> None:
    """Nothing else would: no step ends, so none is told of."""

    def fails(_: dg.InitResourceContext) -> None:
        msg = "the cable is cut"
        raise OSError(msg)

    file = tmp_path / "envplatform.toml"
    file.write_text('[targets]\nbuiltin = ["pytoolz__toolz"]\n')
    targets = TargetsResource(path=str(file), home=str(home))
    cut = dg.ResourceDefinition(resource_fn=fails)
    out = io.StringIO()
    run = Terminal(
        instance=instance,
        definitions=build_definitions({"targets": targets, "sandbox": cut}),
        folder=home,
        out=out,
    )
    assert synthesise(run) == ["pytoolz__toolz"]
    assert "failed before its first step" in out.getvalue()
    assert "the cable is cut" in out.getvalue()


def terminal(instance: dg.DagsterInstance, file: Path, home: Path) -> Terminal:
    targets = TargetsResource(path=str(file), home=str(home))
    seeds = SeedsResource(path=str(file), home=str(home))
    definitions = build_definitions({"targets": targets, "seeds": seeds})
    return Terminal(
        instance=instance, definitions=definitions, folder=home, out=io.StringIO()
    )


def test_a_configuration_without_targets_says_what_to_do(
    instance: dg.DagsterInstance, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text("[targets]\nbuiltin = []\n")
    with pytest.raises(ConfigError, match=r"names no target.*envplatform init"):
        register_targets(terminal(instance, file, home))


def test_who_has_seeds_needs_no_target(
    instance: dg.DagsterInstance, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "envplatform.toml"
    run = terminal(instance, file, home)
    file.write_text("[targets]\nbuiltin = []\n[seeds]\nbuiltin = []\n")
    with pytest.raises(ConfigError, match="names no target"):
        synthesise(run)
    file.write_text("[targets]\nbuiltin = []\n")
    assert synthesise(run) == []


def test_keys_are_added_and_stay_but_for_those_of_mended_targets(
    instance: dg.DagsterInstance, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text('[targets]\nbuiltin = ["pytoolz__toolz", "gone"]\n')
    run = terminal(instance, file, home)
    assert register_targets(run) == ("pytoolz__toolz", "broken__gone")
    file.write_text('[targets]\nbuiltin = ["jpvanhal__inflection"]\n')
    assert register_targets(run) == ("jpvanhal__inflection",)
    known = instance.get_dynamic_partitions("target_repo")
    assert sorted(known) == ["jpvanhal__inflection", "pytoolz__toolz"]


def test_changes_keep_the_order_and_touch_nothing_else() -> None:
    found = changes(("b__b", "a__a", "broken__x"), ["a__a", "broken__y", "old__one"])
    assert found.new == ["b__b", "broken__x"]
    assert found.mended == ["broken__y"]


def test_forgetting_what_never_failed_is_no_error(tmp_path: Path) -> None:
    forget_failures(Store(tmp_path), ["broken__x"])
    assert not list(tmp_path.iterdir())
