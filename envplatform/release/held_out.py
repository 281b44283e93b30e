"""Whether an environment shares texts with what the user holds out, by hashes alone.

Hashes are those of `envplatform held-out`: of changed lines of code as they are, and,
made here, of running text in lower case. The file is the same, so either command's
will do for either use.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from envplatform.bundle import Environment, without_repository
from envplatform.errors import ConfigError, PatchError
from envplatform.patches import diff_trees, parse_patch
from envplatform.swe.fixes.analysis.change import FileLines, changed_lines
from envplatform.swe.fixes.analysis.ngrams import ngrams_of_lines, ngrams_of_patch
from envplatform.swe.fixes.curation.hash_file import read_held_out
from envplatform.swe.fixes.curation.hashes import HeldOut, join_sets
from envplatform.tree import File, Tree

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of characters: JSON can hold them, and no text that is stored."""
_FIXED = "fixed/"
_MOST_BYTES = 1_000_000
"""Of one file of a solution that is compared; a longer one holds data."""


def load_sets(files: Sequence[str]) -> HeldOut:
    """Read hash files.

    Raises:
        ConfigError: one can't be read, or is of another format; names file and field.
    """
    try:
        return join_sets([read_held_out(Path(file)) for file in files])
    except ConfigError as error:
        msg = str(error).replace("fixes.curation", "[release] held_out_files")
        raise ConfigError(msg) from error


def text_grams(text: str) -> frozenset[int]:
    """Hashes of all runs of 13 words of a text, in whatever case and layout."""
    data = _HALVES.sub("?", text.casefold()).encode("utf-8", "surrogateescape")
    return ngrams_of_lines([FileLines(path="", removed=(), added=(data,))])


def patch_grams(patch: str) -> frozenset[int]:
    """Hashes of the changed lines of a diff.

    Raises:
        PatchError: it is no diff that is taken.
    """
    whole = patch if not patch or patch.endswith("\n") else f"{patch}\n"
    return ngrams_of_patch(whole)


def shared_with(
    held_out: HeldOut, environment: Environment, *, repository: str, most: int
) -> str:
    """Say what an environment shares with a set; empty if that is too little.

    `most`: so many equal runs of 13 words are too many.
    """
    name = held_out.of_repository(repository) if repository else None
    if name is not None:
        return f"its repository {repository} is in {name}"
    if not held_out.ngrams:
        return ""
    found = held_out.of_ngrams(_grams(environment))
    if found is None or found[1] < most:
        return ""
    return f"{found[1]} runs of 13 words are in {found[0]}"


def _grams(environment: Environment) -> list[int]:
    """Hashes of what is asked and of what solves it, sorted."""
    grams = set(text_grams(environment.instruction))
    grams |= text_grams(environment.core.goal)
    grams |= ngrams_of_lines(_solution_lines(environment))
    return sorted(grams)


def _solution_lines(environment: Environment) -> Iterable[FileLines]:
    """What the solution changes of the workspace, or writes anew."""
    old = without_repository(environment.workspace)
    new = {
        path.removeprefix(_FIXED): file
        for path, file in environment.solution.items()
        if _is_text(file)
    }
    try:
        patch = diff_trees(_some(old, new), new)
        return [changed_lines(one) for one in parse_patch(patch).files]
    except PatchError:
        return [
            FileLines(path=path, removed=(), added=(file.data,))
            for path, file in new.items()
        ]


def _some(tree: Tree, names: Mapping[str, File]) -> Tree:
    return {path: tree[path] for path in names if path in tree and _is_text(tree[path])}


def _is_text(file: File) -> bool:
    return len(file.data) <= _MOST_BYTES and b"\0" not in file.data
