"""Metadata of a package that is not installed, as an editable install leaves it.

Code asks `importlib.metadata` for its own version, or for its entry points; it finds
them in `NAME.egg-info` beside the code.
"""

import re

from envplatform.swe.targets.target import Package, Target
from envplatform.tree import File, Tree


def installed_files(target: Target, tree: Tree) -> Tree:
    """Return the files to add to `tree`; none where it has metadata of that package."""
    package = target.package
    if package is None:
        return {}
    normal = re.sub(r"[-_.]+", "_", package.name)
    first = next(iter(target.suite.pythonpath), ".")
    folder = "" if first == "." else f"{first}/"
    info = f"{folder}{normal}.egg-info"
    if any(path.startswith(f"{info}/") for path in tree):
        return {}
    about = f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {package.version}\n"
    files = {f"{info}/PKG-INFO": File(about.encode())}
    if package.entry_points:
        files[f"{info}/entry_points.txt"] = File(_entry_points(package).encode())
    return files


def _entry_points(package: Package) -> str:
    lines: list[str] = []
    for group, points in sorted(package.entry_points.items()):
        lines += [f"[{group}]", *(f"{k} = {v}" for k, v in sorted(points.items())), ""]
    return "\n".join(lines)
