import os
from pathlib import Path

from envplatform.learning.file_digests import file_digest, remembered_digests


def _change_unseen(file: Path, text: str) -> None:
    """Other content under the same size and time of change."""
    stat = file.stat()
    file.write_text(text)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_a_file_is_read_again_only_if_size_or_time_differ(tmp_path: Path) -> None:
    file, memory = tmp_path / "weights", tmp_path / "memory.json"
    file.write_text("one")
    first = file_digest(file)
    with remembered_digests(memory) as digest_of:
        assert digest_of(file) == first
    _change_unseen(file, "two")
    with remembered_digests(memory) as digest_of:
        assert digest_of(file) == first, "remembered, so not read"
    file.write_text("three")
    with remembered_digests(memory) as digest_of:
        assert digest_of(file) == file_digest(file) != first
    _change_unseen(file, "seven")
    os.utime(file, ns=(1, 1))
    with remembered_digests(memory) as digest_of:
        assert digest_of(file) == file_digest(file)


def test_other_files_stay_remembered_and_a_damaged_memory_is_empty(
    tmp_path: Path,
) -> None:
    one, other, memory = tmp_path / "1", tmp_path / "2", tmp_path / "memory.json"
    for file in (one, other):
        file.write_text(file.name)
        with remembered_digests(memory) as digest_of:
            digest_of(file)
    _change_unseen(one, "x")
    with remembered_digests(memory) as digest_of:
        assert digest_of(one) != file_digest(one)
    memory.write_text("{}]")
    with remembered_digests(memory) as digest_of:
        assert digest_of(one) == file_digest(one)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "memory.json"]
