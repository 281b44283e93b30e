"""What a bubblewrap sandbox sees: its mounts and its clean environment.

Turns an image and a private folder into bubblewrap's options; starts nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from envplatform.sandbox.base import WRITABLE, Door
from envplatform.sandbox.interpreters import Interpreter

_SHARED_MEMORY_BYTES = 64 * 1024 * 1024

ETC = {
    "passwd": "root:x:0:0::/nonexistent:/bin/false\n"
    "agent:x:1000:1000::/home/agent:/bin/sh\n"
    "nobody:x:65534:65534::/nonexistent:/bin/false\n",
    "group": "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_HOST_ETC = ("ld.so.cache", "alternatives")
"""Taken from the host: where its libraries are, and which awk is `awk`."""

CLEAN_ENVIRONMENT = {
    "PATH": "/opt/bin:/usr/bin:/bin:/run/ws/bin",
    "HOME": "/home/agent",
    "LANG": "C.UTF-8",
    "PYTHONPATH": "/opt/site",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Host folders that one sandbox is made of."""

    folder: Path
    """Private to the sandbox; holds all that follows but the last two."""
    interpreter: Interpreter
    site: Path | None
    doors: tuple[Door, ...] = ()

    def door(self, door: Door) -> Path:
        """Mount point for the sockets behind `door` (used as root)."""
        return self.folder / "doors" / door.name

    @property
    def places(self) -> Path:
        """Root of the writable places: `places/workspace` is /workspace."""
        return self.folder / "places"

    @property
    def etc(self) -> Path:
        """A synthetic /etc."""
        return self.folder / "etc"

    @property
    def python(self) -> Path:
        """Mount point for the interpreter's prefix (used as root)."""
        return self.folder / "python"

    @property
    def packages(self) -> Path:
        """Mount point for the image's site folder (used as root)."""
        return self.folder / "site"


def make_folders(layout: Layout) -> None:
    """Create the folders of a fresh sandbox."""
    for place in WRITABLE:
        (layout.places / place[1:]).mkdir(parents=True)
    for folder in (layout.etc, layout.python, layout.packages):
        folder.mkdir()
    for door in layout.doors:
        layout.door(door).mkdir(parents=True)
    for name, text in ETC.items():
        (layout.etc / name).write_text(text, encoding="utf-8")
    for name in _HOST_ETC:
        if Path("/etc", name).is_dir():
            (layout.etc / name).mkdir()
        else:
            (layout.etc / name).touch()


def mount_options(layout: Layout, *, staged: bool) -> list[str]:
    """Bubblewrap's options for the file system, in the order they take effect.

    `staged`: the interpreter and the site folder are mounted in the sandbox's own
    folder; else they are taken from where they lie.
    """
    python = layout.python if staged else layout.interpreter.prefix
    options = [*_system(), *_device_options()]
    options += ["--ro-bind", str(python), "/opt/python"]
    options += [*_names(layout.interpreter), *_hidden(layout.interpreter)]
    if layout.site is not None:
        site = layout.packages if staged else layout.site
        options += ["--ro-bind", str(site), "/opt/site"]
    options += ["--ro-bind", str(layout.etc), "/etc"]
    for name in _HOST_ETC:
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for place in WRITABLE:
        options += ["--bind", str(layout.places / place[1:]), place]
    for door in layout.doors:
        kind = "--bind" if door.serves else "--ro-bind"
        sockets = str(layout.door(door)) if staged else door.place
        options += [kind, sockets, f"/run/{door.name}"]
    return [*options, "--remount-ro", "/"]


def environment_options(interpreter: Interpreter) -> list[str]:
    """Bubblewrap's options for the environment that every execution starts from."""
    clean = dict(CLEAN_ENVIRONMENT)
    if interpreter.shared and interpreter.prefix != Path("/usr"):
        clean["LD_LIBRARY_PATH"] = "/opt/python/lib"
    options = ["--clearenv"]
    for name, value in clean.items():
        options += ["--setenv", name, value]
    return options


def _system() -> Iterator[str]:
    """The host's programs and libraries, without what was added to it by hand."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for name in ("/usr/local", "/usr/lib/python3/dist-packages"):
        if Path(name).is_dir():
            yield from _covered(name)


def _device_options() -> Iterator[str]:
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--remount-ro", "/dev")


def _names(interpreter: Interpreter) -> Iterator[str]:
    target = f"/opt/python/bin/python{interpreter.version}"
    for name in ("python", "python3", f"python{interpreter.version}"):
        yield from ("--symlink", target, f"/opt/bin/{name}")


def _hidden(interpreter: Interpreter) -> Iterator[str]:
    """Cover the interpreter's third-party packages: only the image's count."""
    for packages in interpreter.packages:
        if (interpreter.prefix / packages).is_dir():
            yield from _covered(f"/opt/python/{packages}")


def _covered(path: str) -> tuple[str, ...]:
    return ("--tmpfs", path, "--remount-ro", path)
