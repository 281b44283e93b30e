"""What every caller relies on: files in, a command, files out, a clean start."""

import json
import sys

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import File


async def test_files_go_in_a_command_runs_and_files_come_out(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    async with bubblewrap.open(bare_image) as sandbox:
        await sandbox.upload(
            {"a/run.sh": File(b"#!/bin/sh\ncat; echo out > /workspace/b\n", True)},  # noqa: FBT003
            "/workspace",
        )
        result = await sandbox.exec(["./a/run.sh"], stdin=b"\x00in\xff")
        assert (result.ending, result.exit_code) == ("exited", 0)
        assert result.stdout == b"\x00in\xff"
        found = await sandbox.download("/workspace")
    assert set(found) == {"a/run.sh", "b"}
    assert found["b"] == File(b"out\n")
    assert found["a/run.sh"].executable


async def test_the_environment_is_clean_and_python_is_the_images(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    script = (
        "import json, os, sys; print(json.dumps("
        "[list(sys.version_info[:2]), os.getuid(), os.getcwd(), dict(os.environ)]))"
    )
    async with bubblewrap.open(bare_image) as sandbox:
        result = await sandbox.exec(["python", "-c", script], env={"X": "ü=1"})
    version, uid, cwd, environment = json.loads(result.stdout)
    assert tuple(version) == sys.version_info[:2]
    assert (uid, cwd) == (1000, "/workspace")
    assert environment["X"] == "ü=1"
    allowed = {"PATH", "HOME", "LANG", "PYTHONPATH", "PWD", "LD_LIBRARY_PATH", "X"}
    assert set(environment) <= allowed
