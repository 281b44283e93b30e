"""Folders that are not what they claim are refused, with the reason."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle import (
    FORMAT,
    Dependency,
    Environment,
    ImageReference,
    ReadLimits,
    Resource,
    View,
    environment_digest,
    environment_files,
    migrate,
    read_environment,
    write_environment,
)
from envplatform.bundle.layout import IDENTITY
from envplatform.errors import BundleError
from envplatform.tree import File, Tree
from tests.bundle.sample import SOLUTION, TESTS, sample_environment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_environment(sample_environment(), tmp_path / "env")
    return tmp_path / "env"


def _with_image(
    *,
    name: str = "bare",
    python: str = "3.11",
    requirements: tuple[str, ...] = (),
    digest: str = "0" * 64,
) -> Environment:
    image = ImageReference(
        name=name, python=python, requirements=requirements, digest=digest
    )
    return replace(sample_environment(), image=image)


def _with_views(*views: View) -> Environment:
    return replace(sample_environment(), views=views)


def _edit(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record, sort_keys=True, indent=2) + "\n")


@pytest.mark.parametrize(
    "path",
    [
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/workspace/answer.txt",
        "tests/test.sh",
        "solution/solve.sh",
        ".envp/env.json",
    ],
)
def test_a_changed_file_is_refused(folder: Path, path: str) -> None:
    data = (folder / path).read_bytes()
    (folder / path).write_bytes(data + b"#")
    with pytest.raises(BundleError):
        read_environment(folder)


def test_a_changed_mode_is_refused(folder: Path) -> None:
    (folder / "environment/workspace/answer.txt").chmod(0o755)
    with pytest.raises(BundleError, match="its content is"):
        read_environment(folder)


def test_another_digest_than_the_content_has_is_refused(folder: Path) -> None:
    _edit(folder / IDENTITY, lambda record: record.update(digest="a" * 64))
    with pytest.raises(BundleError, match=f"names the digest {'a' * 64}"):
        read_environment(folder)


def test_another_digest_than_asked_for_is_refused(folder: Path) -> None:
    with pytest.raises(BundleError, match="not bbbb"):
        read_environment(folder, digest="b" * 64)


@pytest.mark.parametrize("version", [FORMAT + 1, 0, -1])
def test_an_unknown_format_version_is_refused(folder: Path, version: int) -> None:
    _edit(folder / IDENTITY, lambda record: record.update(format=version))
    with pytest.raises(BundleError, match=f"format {version} is unknown"):
        read_environment(folder)


@pytest.mark.parametrize("version", ["1", None, True, 1.0])
def test_a_format_version_is_a_number(folder: Path, version: object) -> None:
    _edit(folder / IDENTITY, lambda record: record.update(format=version))
    with pytest.raises(BundleError, match="must be a whole number"):
        read_environment(folder)


OLD_DIGEST = "52507b606605673b346386d6b6006b5dc04f7c3996390cafa182db3451ab3a9e"
"""Of the sample in format 1, as the release that had it said."""


def _format_1(folder: Path) -> None:
    """Turn the sample's folder into what format 1 wrote."""

    def graph(record: Any) -> None:  # noqa: ANN401  JSON
        del record["views"], record["dependencies"]
        for key in ("operations", "writable_names", "calls"):
            del record["permissions"][key]

    def identity(record: dict[str, object]) -> None:
        record.update(format=1, digest=OLD_DIGEST)

    _edit(folder / ".envp/env.json", graph)
    _edit(folder / IDENTITY, identity)


def test_format_1_is_read_by_either_of_its_digests(folder: Path) -> None:
    _format_1(folder)
    for digest in (OLD_DIGEST, environment_digest(sample_environment()), None):
        assert read_environment(folder, digest=digest) == sample_environment()
    with pytest.raises(BundleError, match="not 000"):
        read_environment(folder, digest="0" * 64)


@pytest.mark.parametrize("path", ["instruction.md", "tests/test.sh", ".envp/core.json"])
def test_format_1_is_verified_before_it_is_brought_up(folder: Path, path: str) -> None:
    _format_1(folder)
    (folder / path).write_bytes((folder / path).read_bytes() + b" ")
    with pytest.raises(BundleError, match="its content is"):
        read_environment(folder)


def test_an_older_format_is_brought_up_step_by_step() -> None:
    files = environment_files(sample_environment())
    old = {path: file for path, file in files.items() if path != IDENTITY}
    old[IDENTITY] = File(b'{"format": 0}')

    def step(tree: Tree) -> dict[str, File]:
        return {**tree, IDENTITY: files[IDENTITY]}

    assert migrate(old, {0: step}) == files


@pytest.mark.parametrize(
    "path",
    [
        ".envp/identity.json",
        ".envp/core.json",
        ".envp/env.json",
        ".envp/lineage.json",
        ".envp/audit.json",
        "instruction.md",
        "task.toml",
        "tests/test.sh",
        "solution/solve.sh",
    ],
)
def test_a_missing_part_is_named(folder: Path, path: str) -> None:
    (folder / path).unlink()
    with pytest.raises(BundleError, match=path.rsplit("/", maxsplit=1)[-1]):
        read_environment(folder)


def test_a_surplus_file_is_named(folder: Path) -> None:
    (folder / "environment/docker-compose.yaml").write_text("services: {}\n")
    with pytest.raises(
        BundleError, match=r"environment/docker-compose.yaml is surplus"
    ):
        read_environment(folder)


def test_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "environment/workspace/link").symlink_to(tmp_path / "secret")
    with pytest.raises(BundleError, match="link or device"):
        read_environment(folder)


def test_a_linked_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "tests/more").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(BundleError, match="link or device"):
        read_environment(folder)
    (tmp_path / "alias").symlink_to(folder, target_is_directory=True)
    with pytest.raises(BundleError, match="not a folder"):
        read_environment(tmp_path / "alias")


@pytest.mark.parametrize("limits", [ReadLimits(files=5), ReadLimits(total_bytes=100)])
def test_too_much_is_refused(folder: Path, limits: ReadLimits) -> None:
    with pytest.raises(BundleError, match="larger than"):
        read_environment(folder, limits=limits)


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (".envp/core.json", "[]", "a JSON object is needed"),
        (".envp/core.json", '{"goal": NaN}', "not a number"),
        (".envp/core.json", '{"goal": "", "goal": ""}', "occurs twice"),
        (".envp/core.json", "[" * 100_000, "not a JSON object"),
        (".envp/core.json", "\xff", "not a JSON object"),
        (".envp/audit.json", '{"checks": [{"name": "x"}]}', "missing key"),
        (".envp/audit.json", '{"checks": 3}', "a list is needed"),
        (".envp/audit.json", '{"checks": [], "more": 1}', "unknown key 'more'"),
        (
            ".envp/audit.json",
            '{"checks": [{"name": "x", "status": "fine", "evidence": ""}]}',
            "one of",
        ),
    ],
)
def test_malformed_records_are_named(
    folder: Path, path: str, text: str, reason: str
) -> None:
    (folder / path).write_bytes(text.encode("latin-1"))
    with pytest.raises(BundleError, match=reason):
        read_environment(folder)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (replace(sample_environment(), environment_id="../up"), "environment_id"),
        (replace(sample_environment(), environment_id="a..b"), "environment_id"),
        (sample_environment(workspace={}), "workspace must not be empty"),
        (sample_environment(workspace={"../up": File(b"")}), "workspace: "),
        (sample_environment(workspace={"/abs": File(b"")}), "workspace: "),
        (
            sample_environment(workspace={"a": File(b""), "a/b": File(b"")}),
            "as a file and as a folder",
        ),
        (sample_environment(tests={"other": File(b"")}), "lacks test.sh"),
        (
            sample_environment(tests={**TESTS, "Dockerfile": File(b"")}),
            "may not hold",
        ),
        (sample_environment(solution={"other": File(b"")}), "lacks solve.sh"),
        (replace(sample_environment(), tests=SOLUTION | TESTS), "core.grader_digest"),
        (replace(sample_environment(), instruction=" \n"), "must not be empty"),
        (replace(sample_environment(), instruction="\udcff"), "UTF-8"),
        (replace(sample_environment(), labels={"x": "\udcff"}), "UTF-8"),
        (replace(sample_environment(), labels={"a b": ""}), "odd name"),
        (replace(sample_environment(), criteria=("other",)), "lack 'reward'"),
        (replace(sample_environment(), served={"../x": File(b"")}), "served: "),
        (_with_views(View(name="a", kind="folder", source="x")), "shows no resource"),
        (_with_views(*[View(name="a", kind="folder")] * 2), "holds 'a' twice"),
        (
            replace(
                sample_environment(),
                dependencies=(Dependency(view="a", needs="b", kind="key"),),
            ),
            "dependencies hold 'a'",
        ),
        (
            replace(
                sample_environment(),
                resources=(Resource(name="r", kind="key", provider="p", location="l"),),
            ),
            "resource r names no provider",
        ),
        (_with_image(name="x\nRUN rm -rf /"), "image.name"),
        (_with_image(python="3.11 AS x"), "image.python"),
        (_with_image(digest="latest"), "image.digest"),
        (_with_image(requirements=("a==1\nb",)), "image.requirements"),
        (_with_image(requirements=("--index-url=x",)), "image.requirements"),
    ],
)
def test_parts_that_do_not_fit_are_never_written(
    broken: Environment, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(BundleError, match=reason):
        write_environment(broken, tmp_path / "env")
    assert list(tmp_path.iterdir()) == []
