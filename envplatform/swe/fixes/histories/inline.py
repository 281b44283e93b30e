"""The history of instances that carry both versions of their files."""

from collections.abc import Iterable, Sequence
from typing import Literal

from envplatform.swe.fixes.history import Side
from envplatform.swe.fixes.instance import FixInstance
from envplatform.tree import File


class InlineHistory:
    """Reads `FixInstance.versions`; needs nothing else."""

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Bring nothing: all is there."""

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Return those of `paths` that the instance carries, before the fix."""
        before = carried_files(instance, "buggy")
        files = {path: before[path] for path in paths if path in before}
        return Side(which="buggy", files=files)

    def licence(self, instance: FixInstance) -> str:
        """Nothing is known but what the row says."""
        return instance.licence

    def close(self) -> None:
        """Let nothing go."""


def carried_files(
    instance: FixInstance, which: Literal["buggy", "fixed"]
) -> dict[str, File]:
    """Files of one side, as the row holds them; no row tells executable bits."""
    texts = (
        (one.path, one.before if which == "buggy" else one.after)
        for one in instance.versions
    )
    return {
        path: File(text.encode("utf-8", "surrogateescape"))
        for path, text in texts
        if text is not None
    }
