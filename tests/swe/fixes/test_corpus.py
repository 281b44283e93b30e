"""Sources become one corpus: no fix twice, no id twice, sorted, and nothing uncounted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import monotonic

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.corpus import Corpus, SourceCount, gather
from envplatform.swe.fixes.instance import FileVersions, FixInstance, QuarantinedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A source of rows that are at hand; after the last it may break."""

    name: str
    rows: Sequence[FixInstance | QuarantinedRow]
    breaks: bool = False

    def digest(self) -> str:
        """Never asked for here."""
        raise NotImplementedError

    def read(self) -> Iterator[FixInstance | QuarantinedRow]:
        """Give the rows."""
        yield from self.rows
        if self.breaks:
            msg = f"{self.name}: truncated"
            raise FixSourceError(msg)


def fix(
    instance_id: str, *, source: str = "a", repository: str = "o__r", patch: str = "p"
) -> FixInstance:
    return FixInstance(
        instance_id=instance_id,
        source=source,
        repository=repository,
        origin="git",
        base_commit="0" * 40,
        patch=patch,
    )


LONG = "abcdefghijklmn"


def bad(source: str) -> QuarantinedRow:
    return QuarantinedRow(
        source=source, row="1", instance_id="", reason="unreadable", detail=""
    )


def gathered(tmp_path: Path, *sources: Rows) -> Corpus:
    return gather(sources, folder=tmp_path)


def test_a_fix_of_two_sources_is_kept_once_and_counted(tmp_path: Path) -> None:
    first = Rows(name="a", rows=[fix("1"), fix("2", patch="q"), bad("a")])
    again = fix("other", source="b", repository="O__R")
    second = Rows(name="b", rows=[again, fix("3", source="b", patch="r")])
    with gathered(tmp_path, first, second) as corpus:
        assert [row.instance_id for row in corpus.rows()] == ["1", "2", "3"]
        assert corpus.sources == (
            SourceCount(source="a", read=3, kept=2, duplicates=0, quarantined=1),
            SourceCount(source="b", read=2, kept=1, duplicates=1, quarantined=0),
        )
        assert corpus.quarantined == [bad("a")]


def test_rows_come_by_repository_then_by_id(tmp_path: Path) -> None:
    rows = [
        fix("b", repository="z__z"),
        fix("a", repository="z__z", patch="q"),
        fix("c", repository="a__a"),
    ]
    with gathered(tmp_path, Rows(name="a", rows=rows)) as corpus:
        assert [row.instance_id for row in corpus.rows()] == ["c", "a", "b"]
        assert [row.instance_id for row in corpus.rows()] == ["c", "a", "b"]
        assert corpus.repositories == 2


def test_another_fix_under_a_known_id_is_renamed(tmp_path: Path) -> None:
    rows = [fix("1", source=name, patch=name) for name in ("a", "b", "b")]
    rows[2] = fix("1", source="b", patch="c")
    with gathered(tmp_path, Rows(name="all", rows=rows)) as corpus:
        ids = [row.instance_id for row in corpus.rows()]
    assert ids == ["1", "1@b", "1@b.2"]


def test_ids_that_differ_in_capitals_alone_are_told_apart(tmp_path: Path) -> None:
    """They name files, and some disks tell no capitals apart."""
    rows = [fix("x-A"), fix("x-a", patch="q")]
    with gathered(tmp_path, Rows(name="a", rows=rows)) as corpus:
        assert [row.instance_id for row in corpus.rows()] == ["x-A", "x-a@a"]


def test_a_repository_is_spelled_as_its_first_fix_does(tmp_path: Path) -> None:
    rows = [fix("1", repository="Django__django")]
    rows.append(fix("2", repository="django__Django", patch="q"))
    with gathered(tmp_path, Rows(name="a", rows=rows)) as corpus:
        assert {row.repository for row in corpus.rows()} == {"Django__django"}
        assert corpus.repositories == 1


def test_text_of_any_bytes_survives(tmp_path: Path) -> None:
    odd = fix("1", patch="\udcff\r\n\u2028 \U0010fe00")
    with gathered(tmp_path, Rows(name="a", rows=[odd])) as corpus:
        assert list(corpus.rows()) == [odd]


def test_a_source_without_rows_is_counted(tmp_path: Path) -> None:
    with gathered(tmp_path, Rows(name="none", rows=[])) as corpus:
        assert [one.read for one in corpus.sources] == [0]
        assert len(corpus) == 0


def test_a_source_that_breaks_gives_no_corpus_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    with pytest.raises(FixSourceError, match="b: truncated"):
        gathered(tmp_path, Rows(name="b", rows=[fix("1")], breaks=True))
    assert list(tmp_path.iterdir()) == []


def test_carried_files_that_differ_are_no_duplicates(tmp_path: Path) -> None:
    """Commits that change tests alone have an empty patch, all of them."""
    plain = replace(fix("1", patch=""), origin="inline", base_commit="")
    texts = ("x\n", "y\n", "", None)
    rows = [
        replace(
            plain,
            instance_id=f"{number}",
            versions=(FileVersions(path="a.py", before=text, after="z\n"),),
        )
        for number, text in enumerate(texts)
    ]
    with gathered(tmp_path, Rows(name="a", rows=[*rows, rows[0]])) as corpus:
        (count,) = corpus.sources
    assert (count.kept, count.duplicates) == (len(texts), 1)


def test_many_spellings_of_one_id_take_no_longer_than_many_ids(tmp_path: Path) -> None:
    spellings = map("".join, product(*(f"{letter}{letter.upper()}" for letter in LONG)))
    rows = [fix(name, patch=name) for name in spellings]
    start = monotonic()
    with gathered(tmp_path, Rows(name="a", rows=rows)) as corpus:
        names = {row.instance_id.lower() for row in corpus.rows()}
    assert len(names) == len(rows) == 2 ** len(LONG)
    assert monotonic() - start < 10  # 50 if each began to count at one
