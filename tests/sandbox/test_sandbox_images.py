"""Images are the same everywhere, run nothing while they are made, and work."""

import base64
import hashlib
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.images import build_image
from envplatform.tree import read_tree

PYTHON = "{}.{}".format(*sys.version_info[:2])


def wheel(
    folder: Path, name: str, version: str, files: Mapping[str, bytes], needs: str = ""
) -> Path:
    """Write a wheel as an index would offer it."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    content = {**files, f"{info}/METADATA": metadata.encode()}
    content[f"{info}/WHEEL"] = kind.encode()
    record = f"{info}/RECORD,,\n"
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
        record += f"{path},sha256={digest.decode()},{len(data)}\n"
    target = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, data in {**content, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(path, data)
    return target


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, the only place that pip looks at."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    wheel(
        folder,
        "Fruit_Bowl",
        "1.0",
        {"fruit/__init__.py": b"KIND = 'bowl'\n"},
        "seed>=2",
    )
    scripts = {
        "seed.py": b"WEIGHT = 3\n",
        "seed-2.5.data/scripts/seed": b"#!python\n",
        "seed-2.5.data/purelib/pure.py": b"",
        "__pycache__/seed.cpython-311.pyc": b"evil",
    }
    wheel(folder, "seed", "2.5", scripts)
    return folder


@pytest.mark.usefixtures("index")
def test_an_image_is_resolved_pinned_and_unpacked(tmp_path: Path) -> None:
    image = build_image("bowl", PYTHON, ["fruit-bowl"], tmp_path / "cache")
    assert image.requirements == ("fruit-bowl==1.0", "seed==2.5")
    assert image.site is not None
    found = set(read_tree(image.site, ignore=["__pycache__"]))
    assert {"fruit/__init__.py", "seed.py", "pure.py"} <= found
    assert not any("seed-2.5.data" in path for path in found)


@pytest.mark.usefixtures("index")
def test_the_digest_does_not_depend_on_the_place(tmp_path: Path) -> None:
    one = build_image("bowl", PYTHON, ["fruit-bowl"], tmp_path / "here")
    two = build_image("bowl", PYTHON, ["fruit-bowl"], tmp_path / "and" / "there")
    assert one.digest == two.digest
    assert one.site != two.site
    assert one.site is not None
    assert two.site is not None
    assert read_tree(one.site, ignore=["__pycache__"]) == read_tree(
        two.site, ignore=["__pycache__"]
    )


def test_the_digest_is_over_version_pins_and_content(
    index: Path, tmp_path: Path
) -> None:
    digests = {build_image("a", PYTHON, ["seed"], tmp_path / "1").digest}
    digests.add(build_image("a", PYTHON, ["fruit-bowl"], tmp_path / "1").digest)
    digests.add(build_image("a", PYTHON, (), tmp_path / "1").digest)
    digests.add(build_image("a", "3.9", (), tmp_path / "1").digest)
    wheel(index, "seed", "2.5", {"seed.py": b"WEIGHT = 4\n"})
    digests.add(build_image("a", PYTHON, ["seed"], tmp_path / "2").digest)
    assert len(digests) == 5


def test_a_second_build_needs_no_index(index: Path, tmp_path: Path) -> None:
    first = build_image("bowl", PYTHON, ["fruit-bowl", "seed"], tmp_path / "cache")
    for path in index.iterdir():
        path.unlink()
    again = build_image("bowl", PYTHON, ["seed", "fruit-bowl"], tmp_path / "cache")
    assert again == first
    with pytest.raises(TargetError, match="fruit-bowl"):
        build_image("bowl", PYTHON, ["fruit-bowl", "seed"], tmp_path / "other")


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ("no-such-thing==1", "no-such-thing==1"),
        ("seed==9", "seed==9"),
        ("-r/etc/passwd", "not a plain requirement"),
        ("--index-url=x", "not a plain requirement"),
        ("./folder", "not a plain requirement"),
        ("seed @ file:///seed.whl", "not a plain requirement"),
        ("git+https://example.org/x", "not a plain requirement"),
        ("seed\n--pre", "not a plain requirement"),
        ("", "not a plain requirement"),
    ],
)
def test_a_bad_requirement_is_named(
    tmp_path: Path, requirement: str, message: str
) -> None:
    with pytest.raises(TargetError, match=message):
        build_image("x", PYTHON, ["seed", requirement], tmp_path / "cache")


def test_a_source_distribution_is_never_built(index: Path, tmp_path: Path) -> None:
    (index / "trap-1.0.tar.gz").write_bytes(b"")
    with pytest.raises(TargetError, match="trap"):
        build_image("x", PYTHON, ["trap"], tmp_path / "cache")


def test_a_wheel_that_leaves_its_folder_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, "evil", "1.0", {"../../../evil.py": b""})
    with pytest.raises(TargetError, match="evil"):
        build_image("x", PYTHON, ["evil"], tmp_path / "cache")
    assert not list(tmp_path.rglob("evil.py"))


@pytest.mark.parametrize(
    ("name", "python"), [("A b", PYTHON), ("x", "3"), ("x", "3.11.2")]
)
def test_bad_names_and_versions_are_refused(
    tmp_path: Path, name: str, python: str
) -> None:
    with pytest.raises(TargetError, match="want"):
        build_image(name, python, (), tmp_path)


@pytest.mark.usefixtures("index")
async def test_packages_of_an_image_are_importable_and_the_hosts_are_not(
    bubblewrap: SandboxProvider, tmp_path: Path
) -> None:
    image = build_image("bowl", PYTHON, ["fruit-bowl"], tmp_path / "cache")
    code = """
import fruit, seed, importlib.util, importlib.metadata
print(fruit.KIND, seed.WEIGHT, fruit.__file__, importlib.metadata.version('seed'))
print([name for name in ('pip', 'pytest', 'envplatform') if importlib.util.find_spec(name)])
"""
    async with bubblewrap.open(image) as sandbox:
        result = await sandbox.exec(["python3", "-c", code])
    assert result.stdout == b"bowl 3 /opt/site/fruit/__init__.py 2.5\n[]\n", (
        result.stderr
    )


@pytest.mark.docker
@pytest.mark.skipif(PYTHON != "3.11", reason="Docker's base image has Python 3.11")
@pytest.mark.usefixtures("index")
async def test_packages_of_an_image_are_in_the_container_too(
    docker_provider: SandboxProvider, tmp_path: Path
) -> None:
    image = build_image("bowl", PYTHON, ["fruit-bowl"], tmp_path / "cache")
    code = "import fruit, seed; print(fruit.KIND, seed.WEIGHT, fruit.__file__)"
    ids = set()
    for _ in range(2):
        async with docker_provider.open(image) as sandbox:
            result = await sandbox.exec(["python3", "-c", code])
            ids.add(sandbox.info.image_id)
        assert result.stdout == b"bowl 3 /opt/site/fruit/__init__.py\n", result.stderr
    assert len(ids) == 1
