"""Files go in and come out unharmed, whatever the code left in their way."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envplatform.errors import DownloadTooLargeError
from envplatform.sandbox.base import WRITABLE, Sandbox
from envplatform.tree import File, TreeError, read_tree
from tests.sandbox.host import python


@pytest.fixture
def host_folder() -> Iterator[Path]:
    """A folder of the host that anybody may write to."""
    with tempfile.TemporaryDirectory(prefix="host-") as folder:
        Path(folder).chmod(0o777)
        Path(folder, "secret").write_text("host secret", encoding="utf-8")
        yield Path(folder)


_NAME = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in {".", ".."})
_TREES = st.dictionaries(
    st.lists(_NAME, min_size=1, max_size=3).map("/".join),
    st.builds(File, st.binary(max_size=300), st.booleans()),
    max_size=6,
).filter(lambda tree: not any(f"{a}/" == b[: len(a) + 1] for a in tree for b in tree))


@given(tree=_TREES)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_any_tree_comes_back_as_it_went(
    sandbox: Sandbox, tree: dict[str, File]
) -> None:
    await sandbox.exec(["sh", "-c", "rm -rf /workspace/tree"])
    await sandbox.upload(tree, "/workspace/tree")
    assert await sandbox.download("/workspace/tree") == tree


async def test_odd_names_come_out_and_go_in(sandbox: Sandbox) -> None:
    code = r"""
import os
for name in (b'\xff\xfe', b'new\nline', b'-rf', b' ', b'$(x)', b'a' * 255):
    open(b'/workspace/' + name, 'w').close()
"""
    assert (await python(sandbox, code)).exit_code == 0
    tree = await sandbox.download("/workspace")
    assert set(tree) == {"\udcff\udcfe", "new\nline", "-rf", " ", "$(x)", "a" * 255}
    await sandbox.upload(tree, "/logs")
    assert await sandbox.download("/logs") == tree


async def test_big_and_many_files_survive(sandbox: Sandbox) -> None:
    tree = {"big": File(bytes(range(256)) * 80_000)}
    tree |= {f"{n % 7}/{n}": File(str(n).encode()) for n in range(500)}
    await sandbox.upload(tree, "/tests")
    assert await sandbox.download("/tests") == tree


async def test_one_file_comes_under_its_name_and_nothing_as_nothing(
    sandbox: Sandbox,
) -> None:
    await sandbox.upload({"a/b": File(b"1")}, "/logs")
    assert await sandbox.download("/logs/a/b") == {"b": File(b"1")}
    assert await sandbox.download("/logs/a/b/c") == {}
    assert await sandbox.download("/logs/none") == {}


@pytest.mark.parametrize(
    "path",
    ["/", "/etc", "/workspacex", "workspace", "", "/workspace/../etc", "/opt/site/x"],
)
async def test_other_places_are_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(TreeError):
        await sandbox.upload({"x": File(b"")}, path)
    with pytest.raises(TreeError):
        await sandbox.download(path)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a//x", "", "a\0b", "."])
async def test_trees_that_leave_their_place_are_refused(
    sandbox: Sandbox, name: str
) -> None:
    with pytest.raises(TreeError):
        await sandbox.upload({name: File(b"")}, "/workspace")


async def test_an_upload_replaces_what_is_in_the_way(sandbox: Sandbox) -> None:
    script = """
cd /workspace; echo theirs > /tests/theirs
ln -s /tests folder; ln -s /tests/theirs file; mkfifo pipe; mkdir -p dir/sub; echo x > dir/sub/x
mkdir locked; echo x > locked/x; chmod 0 locked; echo x > plain; ln -s loop loop
"""
    assert (await sandbox.exec(["sh", "-c", script])).exit_code == 0
    names = ("folder/a", "file", "pipe", "dir", "locked/a", "plain/a", "loop/a")
    tree = {name: File(name.encode(), executable=True) for name in names}
    await sandbox.upload(tree, "/workspace")
    assert await sandbox.download("/workspace") == {**tree, "locked/x": File(b"x\n")}
    assert await sandbox.download("/tests") == {"theirs": File(b"theirs\n")}


async def test_no_planted_link_leads_to_the_host(
    sandbox: Sandbox, host_folder: Path
) -> None:
    """Neither in nor out, also where the link's target exists on the host."""
    links = {
        "w": host_folder,
        "x": host_folder / "secret",
        "y": Path("/etc"),
        "z": Path("/"),
    }
    script = "".join(f"ln -s {target} /workspace/{n};" for n, target in links.items())
    await sandbox.exec(
        ["sh", "-c", script + "cd /workspace; ln /workspace/x hard || :"]
    )
    assert await sandbox.download("/workspace") == {}
    for name in links:
        assert await sandbox.download(f"/workspace/{name}") == {}
        assert await sandbox.download(f"/workspace/{name}/secret") == {}
    await sandbox.upload({f"{name}/planted": File(b"") for name in links}, "/workspace")
    assert read_tree(host_folder) == {"secret": File(b"host secret")}
    assert set(await sandbox.download("/workspace")) == {f"{n}/planted" for n in links}


async def test_a_place_that_was_swapped_for_a_link_is_a_place_again(
    sandbox: Sandbox,
) -> None:
    script = "rm -rf /workspace/sub; ln -s /usr/lib /workspace/sub"
    await sandbox.exec(["sh", "-c", script])
    assert await sandbox.download("/workspace/sub") == {}
    await sandbox.upload({"a": File(b"1")}, "/workspace/sub")
    assert await sandbox.download("/workspace/sub") == {"a": File(b"1")}


async def test_special_files_are_left_out(sandbox: Sandbox) -> None:
    code = """
import os, socket
os.chdir('/workspace')
os.mkfifo('pipe'); socket.socket(socket.AF_UNIX).bind('socket'); os.mkdir('empty')
os.symlink('/dev/zero', 'endless'); open('plain', 'w').close()
"""
    assert (await python(sandbox, code)).exit_code == 0
    assert await sandbox.download("/workspace") == {"plain": File(b"")}


async def test_locked_files_and_folders_come_out_and_go(sandbox: Sandbox) -> None:
    script = "cd /workspace; mkdir -p a/b; echo 1 > a/b/c; chmod 000 a/b a ../workspace"
    await sandbox.exec(["sh", "-c", script])
    assert await sandbox.download("/workspace") == {"a/b/c": File(b"1\n")}
    await sandbox.upload({"a/b/d": File(b"2")}, "/workspace")
    assert set(await sandbox.download("/workspace")) == {"a/b/c", "a/b/d"}


@pytest.mark.parametrize(
    "script",
    [
        "head -c 2000000 /dev/zero > big",
        "truncate -s 60M sparse",
        "for n in 1 2 3 4; do head -c 300000 /dev/zero > $n; done",
        'd=.; for n in $(seq 120); do d=$d/d; done; mkdir -p $d; echo x > "$d/x"',
    ],
)
async def test_too_much_is_refused_and_not_held_in_memory(
    sandbox: Sandbox, script: str
) -> None:
    result = await sandbox.exec(["sh", "-c", script])
    assert result.exit_code == 0
    with pytest.raises(DownloadTooLargeError, match="to download"):
        await sandbox.download("/workspace", max_bytes=1_000_000)


async def test_what_just_fits_comes_out(sandbox: Sandbox) -> None:
    await sandbox.upload({"x": File(bytes(1000))}, "/workspace")
    assert len(await sandbox.download("/workspace", max_bytes=1000)) == 1
    with pytest.raises(DownloadTooLargeError):
        await sandbox.download("/workspace", max_bytes=999)


async def test_every_writable_place_takes_files(sandbox: Sandbox) -> None:
    for place in WRITABLE:
        await sandbox.upload({"x": File(place.encode())}, place)
    for place in WRITABLE:
        result = await sandbox.exec(["cat", f"{place}/x"])
        assert result.stdout == place.encode()
        assert (await sandbox.exec(["sh", "-c", f"echo >> {place}/x"])).exit_code == 0
