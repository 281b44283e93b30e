"""What the oracle's work consists of, file by file: what mutants and partial work edit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from envplatform.bundle import Environment, without_repository
from envplatform.grading.evidence import Evidence
from envplatform.grading.sessions import Final
from envplatform.tree import File, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One file that is otherwise than at the beginning."""

    where: Literal["workspace", "held"]
    path: str
    before: File | None
    """None where the oracle made it."""
    after: File | None
    """None where the oracle deleted it."""

    def __str__(self) -> str:
        """Where it is, for people."""
        path = self.path if self.path.isprintable() else ascii(self.path)
        return path if self.where == "workspace" else f"held {path}"


def pieces_of(evidence: Evidence) -> tuple[Piece, ...]:
    """All files that the oracle made, changed or deleted; the workspace's first.

    Of what is held only where an agent may write: the rest is the user's doing, and no
    part of anybody's answer.
    """
    environment = evidence.environment
    found = _pieces(
        "workspace", without_repository(environment.workspace), evidence.solved
    )
    if evidence.solved_served is not None:
        held = _pieces("held", environment.served, evidence.solved_served.held)
        found += [one for one in held if is_writable(environment, one.path)]
    return tuple(found)


def solved_of(evidence: Evidence) -> Final:
    """The oracle's final state."""
    return Final(workspace=evidence.solved, served=evidence.solved_served)


def with_file(final: Final, piece: Piece, file: File | None) -> Final:
    """Return `final` with another file in the place of a piece; None deletes it."""
    if piece.where == "workspace":
        return replace(final, workspace=_with(final.workspace, piece.path, file))
    if final.served is None:
        return final
    held = _with(final.served.held, piece.path, file)
    return replace(final, served=replace(final.served, held=held))


def is_writable(environment: Environment, location: str) -> bool:
    """Whether some name that the agent may change shows what lies at `location`."""
    names = environment.permissions.writable_names
    if not names:
        return False
    held = {one.name: one.location for one in environment.resources}
    return any(
        location == held[view.source] or location.startswith(f"{held[view.source]}/")
        for view in environment.views
        if view.source in held
        and any(
            name == view.name
            or (name.endswith("/") and f"{view.name}/".startswith(name))
            for name in names
        )
    )


def _with(tree: Tree, path: str, file: File | None) -> Mapping[str, File]:
    rest = {name: one for name, one in tree.items() if name != path}
    return rest if file is None else {**rest, path: file}


def _pieces(
    where: Literal["workspace", "held"], before: Tree, after: Tree
) -> list[Piece]:
    return [
        Piece(where=where, path=path, before=before.get(path), after=after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
