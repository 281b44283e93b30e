"""Download wheels and unpack them, without running a line of what is in them.

Wheels are zip files: they are unpacked here, not installed, so that no build step,
start-up hook or script of a stranger runs on the host, and so that the same wheels
give the same bytes everywhere. What an image is made of stands in `images`.
"""

import hashlib
import json
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path

from envplatform.errors import TargetError
from envplatform.sandbox.interpreters import Interpreter
from envplatform.tree import TreeError, checked_path

_PLAIN = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._, -]+\])?[^@/\\\x00-\x1f]*"
)
_DOWNLOAD_S = 900
_OLDEST_GLIBC, _NEWEST_GLIBC = 5, 28
"""manylinux_2_5 to 2_28: what every Debian and Ubuntu of today can load."""
_INTO_SITE = {"purelib", "platlib"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Wheel:
    """One downloaded wheel."""

    pin: str
    """`name==version`, the name in its normal form."""
    sha256: str
    path: Path


def download_wheels(
    requirements: Sequence[str],
    interpreter: Interpreter,
    folder: Path,
    *,
    image: str,
    alone: bool = False,
) -> tuple[Wheel, ...]:
    """Resolve `requirements` and fetch the wheels into `folder`; sorted by name.

    Runs pip for the given interpreter, since markers ask for its version. `alone`:
    without what they depend on.

    Raises:
        TargetError: a requirement is no plain one, or pip found no wheel for it.
    """
    how = ["download", *(["--no-deps"] if alone else []), "--dest", str(folder)]
    answer = _pip(how, requirements, interpreter, image=image)
    if answer.returncode != 0:
        raise TargetError(_why(answer.stderr.decode(errors="replace"), image))
    return tuple(sorted(_wheel(path, image) for path in folder.glob("*.whl")))


def resolve_wheels(
    requirements: Sequence[str], interpreter: Interpreter, *, image: str
) -> tuple[str, ...]:
    """Return sorted pins `name==version` of all that `requirements` come to.

    Only wheels count, and nothing is built or kept.

    Raises:
        TargetError: as `download_wheels`.
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        how = ("install", "--dry-run", "--ignore-installed", "--report", report)
        answer = _pip(
            (*how, "--target", Path(scratch, "site")),
            requirements,
            interpreter,
            image=image,
        )
        if answer.returncode != 0:
            raise TargetError(_why(answer.stderr.decode(errors="replace"), image))
        try:
            found = json.loads(report.read_bytes())["install"]
            pins = [
                _pin(name=one["metadata"]["name"], version=one["metadata"]["version"])
                for one in found
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            msg = f"image {image}: pip's report can't be read: {error!r}"
            raise TargetError(msg) from error
    return tuple(sorted(pins))


def _pip(
    command: Sequence[str | Path],
    requirements: Sequence[str],
    interpreter: Interpreter,
    *,
    image: str,
) -> subprocess.CompletedProcess[bytes]:
    for requirement in requirements:
        if not _PLAIN.fullmatch(requirement):
            msg = (
                f"image {image}: {requirement!r} is not a plain requirement such as "
                "'pytest==8.4.2'; links, paths and options are not taken"
            )
            raise TargetError(msg)
    argv: list[str | Path] = [sys.executable, "-m", "pip"]
    argv += ["--python", interpreter.executable, *command]
    argv += ["--quiet", "--no-input", "--disable-pip-version-check"]
    argv += [*_target(interpreter.version), "--", *requirements]
    return subprocess.run(argv, check=False, capture_output=True, timeout=_DOWNLOAD_S)


def unpack(wheel: Wheel, site: Path) -> None:
    """Unpack the importable part of `wheel` into `site`.

    Scripts, headers and data files stay out: they name paths of an installation.

    Raises:
        TargetError: the archive is damaged or leaves its folder.
    """
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            for entry in archive.infolist():
                path = _site_path(entry.filename)
                if entry.is_dir() or path is None or path.endswith(".pyc"):
                    continue
                target = site / checked_path(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(entry))
                executable = entry.external_attr >> 16 & 0o100
                target.chmod(0o755 if executable else 0o644)
    except (OSError, zipfile.BadZipFile, NotImplementedError, TreeError) as error:
        msg = f"{wheel.path.name} can't be unpacked: {error}"
        raise TargetError(msg) from error


def compile_bytecode(site: Path, interpreter: Interpreter) -> None:
    """Add `__pycache__` for sandboxes, where the folder is read-only; runs nothing.

    Files that don't compile are left as they are.
    """
    command: list[str | Path] = [interpreter.executable, "-I", "-m", "compileall"]
    # Unchecked: whatever copies the folder need not keep modification times.
    command += ["-q", "--invalidation-mode", "unchecked-hash"]
    command += ["-d", "/opt/site", site]
    subprocess.run(command, check=False, capture_output=True, timeout=_DOWNLOAD_S)


def _target(version: str) -> list[str]:
    """Pip's options for one fixed platform, so that any machine picks the same."""
    machine = platform.machine()
    names = [
        f"manylinux_2_{minor}" for minor in range(_OLDEST_GLIBC, _NEWEST_GLIBC + 1)
    ]
    options = ["--only-binary", ":all:", "--implementation", "cp"]
    options += ["--python-version", version, "--abi", _abi(version)]
    for name in [*reversed(names), "manylinux2014", "manylinux2010", "manylinux1"]:
        options += ["--platform", f"{name}_{machine}"]
    return options


def _abi(version: str) -> str:
    """Tag of CPython's interface; until 3.7 it says which allocator is built in."""
    return f"cp{version.replace('.', '')}" + ("m" if version == "3.7" else "")


def _wheel(path: Path, image: str) -> Wheel:
    try:
        with zipfile.ZipFile(path) as archive:
            name = next(
                name
                for name in archive.namelist()
                if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)
            )
            metadata = BytesParser().parsebytes(archive.read(name), headersonly=True)
    except (OSError, zipfile.BadZipFile, StopIteration) as error:
        msg = f"image {image}: {path.name} is not a wheel: {error!r}"
        raise TargetError(msg) from error
    return Wheel(
        pin=_pin(name=str(metadata["Name"]), version=str(metadata["Version"])),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        path=path,
    )


def _pin(*, name: str, version: str) -> str:
    return f"{re.sub(r'[-_.]+', '-', name).lower()}=={version}"


def _site_path(name: str) -> str | None:
    """Where an entry of a wheel belongs below `site`; None: nowhere."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    scheme, _, path = rest.partition("/")
    return path if scheme in _INTO_SITE else None


def _why(stderr: str, image: str) -> str:
    errors = [line for line in stderr.splitlines() if line.startswith("ERROR:")]
    reason = " ".join(line.removeprefix("ERROR:").strip() for line in errors[-2:])
    return (
        f"image {image}: no wheels for its requirements: {reason or stderr[-500:]} "
        "(source distributions are never built; pin a version that has a wheel)"
    )
