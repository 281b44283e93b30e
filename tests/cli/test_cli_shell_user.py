"""`envplatform shell` in an environment that serves something and has a user inside."""

from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import ImageReference, write_environment
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from tests.cli.conftest import Call
from tests.rollout.made_user import TABLE, user_environment


@pytest.fixture
def folder(tmp_path: Path, bare_image: Image, bubblewrap: BubblewrapProvider) -> Path:
    assert bubblewrap.info.kind == "bubblewrap"
    image = ImageReference(
        name=bare_image.name,
        python=bare_image.python,
        requirements=(),
        digest=bare_image.digest,
    )
    made = tmp_path / "env"
    write_environment(replace(user_environment(), image=image), made)
    return made


def test_views_are_served_the_user_answers_and_the_verifier_sees_what_it_changed(
    call: Call, folder: Path
) -> None:
    lines = (":grade", "ws read table", "ws say 'I have read it'", ":grade")
    words = [word for line in lines for word in ("-c", line)]
    found = call("shell", folder, *words, "--json")
    assert found.code == 0, found
    before, read, said, after = found.json["done"]
    assert before["grading"]["components"] == {"reward": 0.0}
    assert read["stdout"].encode() == TABLE
    assert "I have replaced the table" in said["stdout"]
    assert after["grading"]["components"] == {"reward": 1.0}


def test_a_person_is_greeted_by_the_user_inside(call: Call, folder: Path) -> None:
    found = call("shell", folder, stdin="ws say\n:quit\n")
    assert found.code == 0, found
    assert "Good morning." in found.out
