"""The group `fixes`, from a file of published fixes over real git to a training set."""

import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from assets.bug_recipes import mined_tables, mined_tools, pattern_library
from assets.definitions import build_definitions
from assets.fix_recipes import QUARANTINED
from assets.key_sensors import fix_repository_keys
from assets.partitions import fix_repo
from assets.run import supervise
from assets.terminal_run import Terminal
from envplatform.configuration import load_configuration
from envplatform.patches import apply_patch
from envplatform.store import Store
from envplatform.swe.fixes.curation.hashes import HeldOutSet, repository_hash
from envplatform.swe.fixes.curation.held_out import write_held_out
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.patterns.annotate import AnnotatedPattern
from envplatform.swe.fixes.patterns.text import written
from envplatform.swe.fixes.reverse_patch import (
    CuratedPatch,
    ReversePatch,
    TrainingRow,
)
from envplatform.swe.inducers.mined import BugPattern
from envplatform.tree import File
from resources.store import StoreResource
from tests.made_fixes import GONE, SPANS, WORDS, MadeFixes, make_fixes
from tests.model_server import answer, model_server
from tests.swe.fixes.patterns.test_pattern_text import GOOD

FUNNEL = ("corpus", "not turned around yet", "refused", "rejected", "kept")
"""The first is the sum of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A configured project, run as a terminal does."""

    made: MadeFixes
    instance: dg.DagsterInstance
    home: Path
    file: Path

    @property
    def store(self) -> Store:
        """Of the home."""
        return Store(self.home)

    def configure(self, text: str) -> None:
        """Write the envplatform.toml."""
        self.file.write_text(text)

    def rewrite(self, old: str, new: str) -> None:
        """Change the file of fixes."""
        text = self.made.file.read_text()
        assert old in text
        self.made.file.write_text(text.replace(old, new))

    def run(self) -> tuple[list[str], str]:
        """Run it; what failed, and what was told."""
        out = io.StringIO()
        terminal = Terminal(
            instance=self.instance,
            definitions=build_definitions(),
            folder=self.home / "dagster",
            out=out,
        )
        return supervise(terminal), out.getvalue()


@pytest.fixture
def project(
    instance: dg.DagsterInstance,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Project:
    """Three repositories, the history of one of which is nowhere."""
    file = tmp_path / "envplatform.toml"
    monkeypatch.setenv("ENVPLATFORM_CONFIG", str(file))
    made = make_fixes(tmp_path, with_gone=True)
    file.write_text(made.toml)
    return Project(made=made, instance=instance, home=home, file=file)


def test_from_published_rows_to_supervision(project: Project) -> None:
    failed, told = project.run()
    assert failed == ["reverse_patches"]  # one history is nowhere
    store = project.store
    corpus = store.rows(FixInstance, "fix_corpus")
    assert [row.instance_id for row in corpus] == [
        f"{GONE}-1",
        f"{SPANS}-1",
        f"{SPANS}-2",
        f"{WORDS}-1",
    ]
    (bad,) = store.rows(QuarantinedRow, QUARANTINED)
    assert (bad.instance_id, bad.reason) == (f"{SPANS}-9", "no_base_commit")
    (failure,) = store.failures("reverse_patches")
    assert failure.partition == GONE
    assert "`histories` in [fixes]" in failure.message
    assert GONE in told

    reversed_fixes = store.all_rows(ReversePatch, "reverse_patches")
    assert [row.instance_id for row in reversed_fixes] == [
        f"{SPANS}-1",
        f"{SPANS}-2",
        f"{WORDS}-1",
    ]
    assert {row.refusal for row in reversed_fixes} == {""}
    assert {row.rung for row in reversed_fixes} == {"strict"}
    curated = store.rows(CuratedPatch, "curated_reverse_patches")
    assert [row.rejection for row in curated] == ["", "", ""]
    training = store.rows(TrainingRow, "bug_training_set")
    assert {row.instance_id for row in training} == {r.instance_id for r in curated}
    splits = {row.repository: row.split for row in training}
    assert len(set(splits.values())) == 2


def test_a_training_row_leads_from_the_correct_file_to_the_bug(
    project: Project,
) -> None:
    project.run()
    rows = project.store.rows(TrainingRow, "bug_training_set")
    (row,) = [row for row in rows if row.instance_id == f"{SPANS}-1"]
    (file,) = row.code
    assert file.path == "spans.py"
    assert file.fixed is not None
    assert "return low" in file.fixed
    bug = apply_patch({"spans.py": File(file.fixed.encode())}, row.bug_patch)
    assert b"return high" in bug["spans.py"].data
    assert row.licence == "MIT"


def test_the_figures_of_a_partition_add_up(project: Project) -> None:
    project.run()
    manifest = project.store.manifest("reverse_patches", SPANS)
    assert manifest is not None
    assert manifest.facts == {"reversed": 2, "refused": 0}
    assert "| reversed | 2 |" in manifest.markdown["outcomes"]
    corpus = project.store.manifest("fix_corpus")
    assert corpus is not None
    assert corpus.facts == {"repositories": 3, "duplicates": 0, "quarantined": 1}
    assert "| fixes | 5 | 4 | 0 | 1 |" in corpus.markdown["sources"]


def test_a_second_run_does_only_what_failed(project: Project) -> None:
    project.run()
    failed, told = project.run()
    assert failed == ["reverse_patches"]
    assert "fix_corpus: 4 rows (up to date)" in told
    assert "bug_training_set: 3 rows (up to date)" in told
    store = project.store
    before = store.manifest("reverse_patches", WORDS)

    project.rewrite("words.py is wrong", "words.py is broken")
    project.run()
    after = store.manifest("reverse_patches", WORDS)
    other = store.manifest("reverse_patches", SPANS)
    assert before is not None
    assert after is not None
    assert other is not None
    assert after.run_id != before.run_id
    assert other.run_id == before.run_id  # its part of the corpus is as it was


def test_a_repository_that_no_source_has_any_more_leaves_no_row(
    project: Project,
) -> None:
    project.run()
    lines = project.made.file.read_text().splitlines()
    kept = [line for line in lines if json.loads(line)["repo"] == "made/spans"]
    project.made.file.write_text("\n".join(kept) + "\n")
    failed, _ = project.run()
    assert failed == []  # what failed of the lost one is forgotten
    assert project.instance.get_dynamic_partitions("fix_repo") == [SPANS]
    rows = project.store.rows(TrainingRow, "bug_training_set")
    assert {row.repository for row in rows} == {SPANS}


def test_a_refused_instance_is_a_row_with_its_reason(project: Project) -> None:
    project.rewrite("return words[len(words)]", "return nothing[at_all]")
    failed, _ = project.run()
    assert failed == ["reverse_patches"]
    (row,) = project.store.rows(ReversePatch, "reverse_patches", WORDS)
    assert row.refusal == "does_not_apply"
    assert "words.py" in row.detail
    assert row.bug_patch == ""


def test_a_source_that_cannot_be_read_says_which_and_what_to_do(
    project: Project,
) -> None:
    project.configure("[[fixes.sources]]\npath = 'nowhere.parquet'\n")
    failed, told = project.run()
    assert failed == ["fix_corpus"]
    assert "nowhere.parquet" in told
    (failure,) = project.store.failures("fix_corpus")
    assert "nowhere.parquet" in failure.message


def test_without_sources_fixes_are_left_out(project: Project) -> None:
    project.configure("[fixes]\nsources = []\n")
    failed, told = project.run()
    assert failed == []
    assert "no [[fixes.sources]]" in told
    assert project.store.manifest("fix_corpus") is None


def test_the_sensor_registers_the_repositories_of_the_corpus(
    project: Project,
) -> None:
    project.run()
    for key in project.instance.get_dynamic_partitions(str(fix_repo.name)):
        project.instance.delete_dynamic_partition(str(fix_repo.name), key)
    project.instance.add_dynamic_partitions(str(fix_repo.name), ["lost__lost"])
    context = dg.build_sensor_context(instance=project.instance)
    store = StoreResource(home=str(project.home))
    asked = fix_repository_keys(context, store=store)
    assert isinstance(asked, dg.SensorResult)
    requests = asked.dynamic_partitions_requests or []
    assert [(type(each), each.partition_keys) for each in requests] == [
        (dg.AddDynamicPartitionsRequest, [GONE, SPANS, WORDS]),
        (dg.DeleteDynamicPartitionsRequest, ["lost__lost"]),
    ]


def test_each_held_out_file_decides_though_two_have_one_name(
    project: Project, tmp_path: Path
) -> None:
    files = [tmp_path / folder / "held.json" for folder in ("one", "other")]
    for file in files:
        file.parent.mkdir()
        write_held_out(HeldOutSet(name="own"), file)
    listed = ", ".join(f"'{file}'" for file in files)
    curation = f"[fixes.curation]\nheld_out_files = [{listed}]\n"
    project.configure(project.made.toml + curation)
    project.run()
    words = frozenset({repository_hash(WORDS)})
    for file in files:
        write_held_out(HeldOutSet(name="own", repositories=words), file)
        project.run()
        rows = project.store.rows(CuratedPatch, "curated_reverse_patches")
        rejected = {row.repository: row.rejection for row in rows}
        assert rejected == {SPANS: "", WORDS: "held_out_repository"}
        write_held_out(HeldOutSet(name="own"), file)
        project.run()


def test_a_fix_taken_out_leaves_no_row_though_its_repository_fails_since(
    project: Project,
) -> None:
    project.run()
    lines = project.made.file.read_text().splitlines()
    kept = [line for line in lines if f'"{SPANS}-2"' not in line]
    assert len(kept) == len(lines) - 1
    project.made.file.write_text("\n".join(kept) + "\n")
    shutil.rmtree(project.made.histories)
    shutil.rmtree(project.home / "cache")
    failed, _ = project.run()
    assert "reverse_patches" in failed
    store = project.store
    assert f"{SPANS}-2" in {
        row.instance_id for row in store.rows(ReversePatch, "reverse_patches", SPANS)
    }
    rows = store.rows(TrainingRow, "bug_training_set")
    assert [row.instance_id for row in rows] == [f"{SPANS}-1", f"{WORDS}-1"]


def test_a_respelled_repository_has_one_partition_and_its_rows_once(
    project: Project,
) -> None:
    project.run()
    project.rewrite('"repo": "made/spans"', '"repo": "Made/Spans"')
    project.configure(
        f"{project.made.toml}\n[fixes.histories]\n'MADE/spans' = "
        f"'{project.made.histories}/made/spans'\n"
    )
    project.run()
    assert set(project.instance.get_dynamic_partitions("fix_repo")) == {
        "Made__Spans", WORDS, GONE
    }  # fmt: skip
    rows = project.store.rows(TrainingRow, "bug_training_set")
    found = sorted((row.repository, row.instance_id) for row in rows)
    assert found == [
        ("Made__Spans", f"{SPANS}-1"), ("Made__Spans", f"{SPANS}-2"), (WORDS, f"{WORDS}-1")
    ]  # fmt: skip


def test_the_funnel_of_curation_accounts_for_the_whole_corpus(
    project: Project,
) -> None:
    project.rewrite("return words[len(words)]", "return nothing[at_all]")
    project.run()
    manifest = project.store.manifest("curated_reverse_patches")
    assert manifest is not None
    facts = {name: manifest.facts[name] for name in FUNNEL}
    assert facts == dict(zip(FUNNEL, (4, 1, 1, 0, 2), strict=True))


def test_patterns_are_mined_from_training_rows_alone(project: Project) -> None:
    """Those of a held-back repository stay unseen."""
    project.run()
    rows = project.store.rows(TrainingRow, "bug_training_set")
    trained = {row.instance_id for row in rows if row.split == "train"}
    patterns = project.store.rows(BugPattern, "mined_patterns")
    assert patterns
    assert {name for each in patterns for name in each.fix_ids} <= trained
    library = pattern_library(project.store)
    assert library is not None
    assert len(library.patterns) == len(patterns)


def test_patterns_decide_candidates_only_where_they_are_asked(
    project: Project,
) -> None:
    assert pattern_library(project.store) is None
    asked = load_configuration(project.file)
    assert (mined_tables(asked), mined_tools(asked)) == ((), {})
    project.configure(project.made.toml + '[synthesis]\ninducers = ["mined"]\n')
    asked = load_configuration(project.file)
    assert mined_tables(asked) == (None,)
    assert mined_tools(asked)


def test_each_drawn_fix_has_a_pattern_in_words_by_rules(project: Project) -> None:
    project.run()
    training = project.store.rows(TrainingRow, "bug_training_set")
    patterns = project.store.rows(AnnotatedPattern, "bug_patterns")
    told = {(row.instance_id, row.split, row.annotator) for row in patterns}
    assert told == {(row.instance_id, row.split, "rules") for row in training}
    (first,) = [row for row in patterns if row.instance_id == f"{SPANS}-1"]
    assert "`low` by `high`" in first.text.exact_modification
    manifest = project.store.manifest("bug_patterns")
    assert manifest is not None
    assert manifest.facts == {"by model": 0, "by rules": 3}
    assert "| Where |" in manifest.markdown["examples"]


def test_a_configured_model_tells_patterns_and_decides_them(project: Project) -> None:
    project.run()
    with model_server(lambda _: answer(written(GOOD))) as server:
        project.configure(
            f"{project.made.toml}[fixes.patterns]\nannotator = 'model'\n"
            f"[annotator_model]\nkind = 'openai'\nname = 'teller'\n"
            f"base_url = '{server.base_url}'\n"
        )
        project.run()
    patterns = project.store.rows(AnnotatedPattern, "bug_patterns")
    assert {(row.annotator, row.model, row.text) for row in patterns} == {
        ("model", "teller", GOOD)
    }
    assert len(server.requests) == len(patterns)
