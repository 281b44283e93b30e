"""The small parts: what is kept of output, who is dead, what a disk holds."""

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import DownloadTooLargeError
from envplatform.sandbox import inside
from envplatform.sandbox.beneath import read_beneath, remove, write_beneath
from envplatform.sandbox.endings import Finished, refusal, result_of
from envplatform.sandbox.execution import rest_s
from envplatform.sandbox.output import Kept
from envplatform.sandbox.owners import current_owner, parse_owner
from envplatform.sandbox.places import inside_place
from envplatform.sandbox.watch import disk_use
from envplatform.tree import File, TreeError


@given(chunks=st.lists(st.binary(max_size=20)), limit=st.integers(0, 50))
def test_the_first_bytes_are_kept(chunks: list[bytes], limit: int) -> None:
    kept = Kept(limit)
    for chunk in chunks:
        kept.add(chunk)
    whole = b"".join(chunks)
    assert bytes(kept.data) == whole[:limit]
    assert kept.truncated == (len(whole) > limit)


@given(took_s=st.floats(0, 60))
def test_looking_takes_a_tenth_of_the_time_where_something_else_counts(
    took_s: float,
) -> None:
    rest = rest_s(took_s, boxed=True)
    assert rest_s(0, boxed=True) <= rest <= 1
    assert rest >= min(10 * took_s, 1)
    assert rest_s(took_s, boxed=False) == rest_s(0, boxed=False)


@given(code=st.integers(0, 255))
def test_every_exit_code_has_one_reading(code: int) -> None:
    finished = Finished(
        breach=None,
        shell_code=code,
        stdout=b"",
        stderr=b"",
        truncated=False,
        seconds=1.0,
    )
    result = result_of(finished)
    if result.ending == "signaled":
        assert result.signal is not None
        assert (result.signal + 128, result.exit_code) == (code, None)
    else:
        assert (result.ending, result.exit_code, result.signal) == (
            "exited",
            code,
            None,
        )
    stopped = result_of(replace(finished, breach="timeout"))
    assert (stopped.ending, stopped.exit_code, stopped.signal) == (
        "timeout",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("argv", "cwd", "env"),
    [
        ([], "/", {}),
        (["a\0"], "/", {}),
        (["a"], "/\0", {}),
        (["a"], "/", {"": "x"}),
        (["a"], "/", {"a=b": "x"}),
        (["a"], "/", {"a": "\0"}),
        (["\ud800"], "/", {}),
    ],
)
def test_what_no_system_could_run_is_said(
    argv: list[str], cwd: str, env: dict[str, str]
) -> None:
    assert refusal(argv, cwd, env) is not None
    assert refusal(["a", "ü\udcff", ""], "/", {"A": "="}) is None


def test_a_path_belongs_to_one_place() -> None:
    assert inside_place("/home/agent/x y") == "home/agent/x y"
    for path in ("/home", "/homes/agent", "/tmp/../etc", "/tmp//x", "tmp", "/tmp/"):  # noqa: S108
        with pytest.raises(TreeError):
            inside_place(path)


def test_an_owner_is_dead_once_its_process_has_ended() -> None:
    owner = current_owner()
    assert parse_owner(owner.label()) == owner
    assert not owner.is_dead()
    with subprocess.Popen(["true"]) as process:
        pid = process.pid
    assert replace(owner, pid=pid).is_dead()
    assert replace(owner, started=owner.started - 1).is_dead()
    assert not replace(owner, pid=pid, boot="another").is_dead()
    assert not replace(owner, pid=pid, namespace=1).is_dead()
    assert parse_owner("whatever") is None


def test_disk_use_counts_blocks_once_and_depth_as_too_much(tmp_path: Path) -> None:
    empty = disk_use(tmp_path)
    (tmp_path / "a").write_bytes(bytes(1_000_000))
    one = disk_use(tmp_path)
    assert one - empty >= 1_000_000
    os.link(tmp_path / "a", tmp_path / "b")
    assert disk_use(tmp_path) - one < 10_000
    deep = tmp_path
    for _ in range(210):
        deep = deep / "d"
        deep.mkdir()
    assert disk_use(tmp_path) > 10**15
    assert disk_use(tmp_path / "gone") == 0


def test_links_above_and_below_are_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_bytes(b"1")
    (root / "up").symlink_to(outside)
    (root / "file").symlink_to(outside / "secret")
    assert read_beneath(root, "up", max_bytes=10) == {}
    assert read_beneath(root, "up/secret", max_bytes=10) == {}
    assert read_beneath(root, "file", max_bytes=10) == {}
    write_beneath(root, "up", {"a": File(b"2")}, owner=None)
    write_beneath(root, "file", {"b/c": File(b"3")}, owner=None)
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert read_beneath(root, "up", max_bytes=10) == {"a": File(b"2")}
    with pytest.raises(DownloadTooLargeError):
        read_beneath(root, "file", max_bytes=0)


def test_anything_can_be_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    script = """
mkdir -p "$1/locked/in"; touch "$1/locked/in/x" "$1/-rf"; chmod 0 "$1/locked/in" "$1/locked"
cd "$1"; n=0; while [ $n -lt 1500 ]; do mkdir d && cd d; n=$((n+1)); done
"""
    subprocess.run(["sh", "-c", script, "sh", folder], check=True)
    remove(folder)
    assert not folder.exists()
    remove(folder)


def test_what_runs_in_containers_needs_an_old_python_and_nothing_of_ours() -> None:
    modules = sorted(Path(inside.__path__[0]).glob("*.py"))
    assert len(modules) > 3
    for module in modules:
        tree = ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 7))
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
        }
        for name in imported:
            own = name.startswith("envplatform.sandbox.inside")
            assert own or name.partition(".")[0] in sys.stdlib_module_names, name
