"""Refuse a repository whose code or tests are not really there, before it is run.

A pointer of Git LFS, an empty submodule and a copy of a link look like files or like
nothing; a suite over them would fail, or prove something about the wrong file.
"""

from collections.abc import Iterable

from envplatform.errors import TargetError
from envplatform.swe.targets.git_source import Checkout
from envplatform.swe.targets.target import Target
from envplatform.tree import File

_LFS = b"version https://git-lfs.github.com/spec/v1\n"
_MAX_POINTER_BYTES = 1024
_SHOWN = 3


def check_sound(target: Target, checkout: Checkout) -> None:
    """Raise if code or tests of `target` are not what they seem.

    Raises:
        TargetError: pointers of Git LFS or submodules lie where code or tests do, or
            code that a bug may be put into is reached by a symbolic link.
    """
    needed = (*target.suite.paths, *target.code.roots)
    tree = checkout.tree
    pointers = [p for p in tree if _is_pointer(tree[p]) and _meets(p, needed)]
    if pointers:
        msg = (
            f"{target.name}: {_listed(pointers)} only points to Git LFS: check the "
            "repository out with git-lfs (`git lfs pull`) and name that folder "
            '(kind = "path"), or leave it out of suite.paths and code.roots'
        )
        raise TargetError(msg)
    hollow = [path for path in checkout.submodules if _meets(path, needed)]
    if hollow:
        msg = (
            f"{target.name}: {_listed(hollow)} is a submodule, whose files are in "
            "another repository: check the repository out with its submodules "
            '(`git submodule update --init`) and name that folder (kind = "path"), or '
            "leave it out of suite.paths and code.roots"
        )
        raise TargetError(msg)
    linked = [path for path in checkout.links if target.code.holds(path)]
    if linked:
        msg = (
            f"{target.name}: {_listed(linked)} is reached by a symbolic link, and a bug "
            "there would change a copy: name in code.roots what the link points to, "
            "and the link in code.exclude"
        )
        raise TargetError(msg)


def _is_pointer(file: File) -> bool:
    return len(file.data) < _MAX_POINTER_BYTES and file.data.startswith(_LFS)


def _meets(path: str, needed: Iterable[str]) -> bool:
    """Whether `path` is, holds or lies below one of `needed`."""
    return any(
        need in {".", path}
        or path.startswith(f"{need}/")
        or need.startswith(f"{path}/")
        for need in needed
    )


def _listed(paths: Iterable[str]) -> str:
    every = sorted(paths)
    more = f" (and {len(every) - _SHOWN} more)" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
