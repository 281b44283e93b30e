"""Byte code handed over beside our own programs: of these alone, and only where it fits."""

import sys
from importlib.util import MAGIC_NUMBER

import pytest

from envplatform.grading.runtime import with_byte_code, ws_tree
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File, Tree
from envplatform.workspace.programs import grader_files, oracle_files
from envplatform.ws.launcher import NAME

ORACLE = {"oracle.py": File(b"import seedlib\n")}
TAG = sys.implementation.cache_tag
FLAGS = ("python3", "-I", "-B")


def added(tree: Tree) -> set[str]:
    """What is there besides."""
    return with_byte_code(tree).keys() - tree.keys()


def test_only_what_is_ours_has_byte_code() -> None:
    assert added(oracle_files(ORACLE)) == {
        f"__pycache__/seedlib.{TAG}.pyc",
        f"__pycache__/solve.{TAG}.pyc",
    }
    assert added(ORACLE) == set()
    assert added({"seedlib.py": File(b"import os\n")}) == set()
    assert f"ws/__pycache__/broker.{TAG}.pyc" in added(ws_tree())
    assert f"__pycache__/start.{TAG}.pyc" in added(ws_tree())


def test_what_is_ours_stays_as_it_is() -> None:
    tree = grader_files(ORACLE, ["a"])
    assert {**tree, **with_byte_code(tree)} == with_byte_code(tree)
    codes = [
        file for path, file in with_byte_code(tree).items() if path.endswith(".pyc")
    ]
    assert codes
    for file in codes:
        assert file.data[:4] == MAGIC_NUMBER
        assert file.data[4:8] == b"\x01\0\0\0", "by digest, and not held against it"


@pytest.mark.parametrize(
    "path",
    [f"__pycache__/seedlib.{TAG}.pyc", "a/__pycache__/x", "__pycache__/seedlib.py"],
)
def test_a_tree_that_brings_byte_code_gets_none(path: str) -> None:
    tree = {**oracle_files(ORACLE), path: File(b"forged")}
    assert with_byte_code(tree) == tree


async def test_python_reads_it_and_names_the_source_where_it_lies(
    provider: SandboxProvider, bare_image: Image
) -> None:
    code = (
        "import sys; sys.path.insert(0, '/solution'); import seedlib;"
        "print(seedlib.deliver.__code__.co_filename)"
    )
    async with provider.open(bare_image) as sandbox:
        await sandbox.upload(with_byte_code(oracle_files(ORACLE)), "/solution")
        result = await sandbox.exec([*FLAGS, "-v", "-c", code])
        assert result.stdout == b"/solution/seedlib.py\n", result.stderr
        assert (
            f"code object from '/solution/__pycache__/seedlib.{TAG}.pyc'".encode()
            in (result.stderr)
        )


async def test_the_runtime_starts_without_what_is_installed(
    provider: SandboxProvider, bare_image: Image
) -> None:
    async with provider.open(bare_image) as sandbox:
        await sandbox.upload(with_byte_code(ws_tree()), "/home/agent/lib")
        start = [f"/home/agent/lib/{NAME}", "serve", "--help"]
        result = await sandbox.exec([*FLAGS, "-S", "-v", *start])
        assert result.exit_code == 0
        assert b"code object from '/home/agent/lib/ws/__pycache__/" in result.stderr
        for costly in (b"import 'asyncio'", b"import 'site'", b"import 'subprocess'"):
            assert costly not in result.stderr
