"""A user as PawBench keeps it, written and read."""

import pytest

from envplatform.errors import BundleError
from envplatform.tree import File
from envplatform.user import read_plan
from envplatform.user.sidecar import PLAN, plan_files, read_sidecar
from tests.user.made_plan import plan


def test_a_plan_stands_in_its_files_and_comes_back() -> None:
    files = plan_files(plan())
    assert set(files) == {"plan.json", "persona.md", "patches/turn_01_replace.md"}
    assert read_plan(files[PLAN].data) == plan()
    theirs = read_sidecar({path: file for path, file in files.items() if path != PLAN})
    assert theirs.persona.name == "Ines"
    assert theirs.signals[0].changes == plan().signals[0].changes
    assert theirs.signals[0].when.model_dump() == {"kind": "turn", "at_least": 1}


FRONT = "---\n- {path: a, action: append, new: b}\n---\nPlease look {again}.\n"


def test_a_strangers_patch_can_not_refer_to_facts() -> None:
    found = read_sidecar(
        {
            "persona.md": File(b"# Ada\nlead"),
            "patches/turn_03_x-y.md": File(FRONT.encode()),
        }
    )
    assert found.signals[0].id == "turn_03_x_y"
    assert found.signals[0].reveals == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("patches/turn_3_x.md", FRONT),
        ("patches/turn_03_x.md", "no front matter"),
        ("patches/turn_03_x.md", "---\n- {path: a, action: burn}\n---\n"),
        ("patches/turn_03_x.md", "---\n- !!python/object:os.system {}\n---\n"),
        ("patches/turn_03_x.md", "---\n5\n---\n"),
        ("patches/turn_03_x.md", "---\n- [\n---\n"),
    ],
)
def test_a_broken_patch_is_named(name: str, text: str) -> None:
    with pytest.raises(BundleError, match=name):
        read_sidecar({"persona.md": File(b"# A"), name: File(text.encode())})


def test_a_user_without_persona_or_patches_is_named() -> None:
    with pytest.raises(BundleError, match=r"persona\.md is missing"):
        read_sidecar({})
    with pytest.raises(BundleError, match=r"there is no file patches/turn_NN"):
        read_sidecar({"persona.md": File(b"# A")})
