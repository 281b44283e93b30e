"""`envplatform compose`: what it refuses, and levels that a whole run writes."""

from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle import environment_digest, read_environment, write_environment
from envplatform.cowork.assembling import assemble
from envplatform.cowork.blueprint import plan_shard
from envplatform.cowork.families import family
from envplatform.cowork.family import verifier_view
from envplatform.cowork.library import Library
from envplatform.cowork.procedural import construct, draw
from envplatform.grading.sessions import image_reference
from envplatform.res.trail import trail_of
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user.shown import SHOWN
from envplatform.workspace.seed import seed_environment
from tests.cli.conftest import Call
from tests.swe.small_repository import small_environment


def test_what_can_not_be_composed_is_named(
    call: Call, tmp_path: Path, bare_image: Image
) -> None:
    there = call("compose", "--from", "x/y", "--to", tmp_path, "--json")
    assert there.code == 1
    assert "is there already" in there.json["message"]
    nowhere = call("compose", "--from", "x/y", "--to", tmp_path / "new", "--json")
    assert nowhere.code == 1
    assert "is not a folder of an environment" in nowhere.json["message"]
    seed = seed_environment("contract_clauses", image_reference(bare_image))
    write_environment(seed, tmp_path / "seed")
    other = call("compose", "--from", tmp_path / "seed", "--to", tmp_path / "new")
    assert other.code == 1
    assert "is of the pillar res: name an environment of code" in other.err
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_code_with_a_colleague_grows_three_levels(
    call: Call,
    tmp_path: Path,
    bubblewrap: SandboxProvider,
    suite_image: Image,
    cache_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del bubblewrap
    share_images(tmp_path, cache_folder / "images", monkeypatch)
    code = small_environment(suite_image)
    write_environment(code, tmp_path / "code")
    said = compose(call, tmp_path / "code", tmp_path / "made", seed=1)
    root = read_environment(Path(said["levels"][0]["folder"]))
    assert root.environment_id == f"{code.environment_id}.cowork1"
    for number, level in enumerate(said["levels"]):
        made = read_environment(tmp_path / "made" / level["environment_id"])
        assert trail_of(made).level == number
        assert made.tests == root.tests
        assert made.workspace == code.workspace
        assert {p: f for p, f in made.user.items() if p != SHOWN} == root.user
        heard = {one["name"]: one["evidence"] for one in level["checks"]}
        assert "each reward 1, fail_to_pass 1" in heard["oracle_max"]
        assert "each reward 0, fail_to_pass 0" in heard["nop_floor"]
        assert "gets 0.75, below 0.9" in heard["user_matters"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_environment_of_a_family_grows_three_levels(
    call: Call,
    tmp_path: Path,
    bubblewrap: SandboxProvider,
    bare_image: Image,
) -> None:
    del bubblewrap
    one = family("incident_postmortem")
    (blueprint,) = plan_shard(1, 1, [one])
    built = draw(one, blueprint, Library.builtin())
    verifier = construct(one, verifier_view(built.specification, built.build))
    made = assemble(blueprint, built, verifier, image=image_reference(bare_image))
    write_environment(made, tmp_path / "drawn")
    said = compose(call, tmp_path / "drawn", tmp_path / "made", seed=1)
    assert said["levels"][0]["digest"] == environment_digest(made)
    deepest = read_environment(tmp_path / "made" / f"{made.environment_id}.level3")
    assert deepest.core == made.core
    assert deepest.tests == made.tests


def compose(call: Call, source: Path, to: Path, *, seed: int) -> dict[str, Any]:
    """Run it, three levels deep."""
    found = call("compose", "--from", source, "--to", to, "--seed", str(seed), "--json")
    assert found.code == 0, found.out
    assert found.json["accepted"]
    assert [one["level"] for one in found.json["levels"]] == [0, 1, 2, 3]
    return found.json


def share_images(folder: Path, images: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have images come from the cache of the tests."""
    home = folder / "home"
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "targets").symlink_to(images)
    monkeypatch.setenv("ENVPLATFORM_HOME", str(home))
