"""`Histories`: one `History` over all the places that a repository's fixes are in."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Literal, Self

from envplatform.configuration import REPOSITORY_FIELD, FixesSettings
from envplatform.swe.fixes.histories.git_history import open_history
from envplatform.swe.fixes.histories.inline import InlineHistory
from envplatform.swe.fixes.histories.mining import mined_repository
from envplatform.swe.fixes.history import History, Side
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.releases.history import ReleaseHistory
from envplatform.swe.fixes.sources.opening import MIRRORS
from envplatform.swe.targets import PackageIndex, configured_index

_Origin = Literal["git", "release", "inline"]


class Histories:
    """Opens a mirror, or an index, when the first instance needs it."""

    def __init__(self, repository: str, settings: FixesSettings, cache: Path) -> None:
        self._repository = repository
        self._settings = settings
        self._cache = cache
        self._open: dict[_Origin, History] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Bring what the instances need, from each place at once."""
        by_origin = defaultdict[_Origin, list[tuple[FixInstance, Sequence[str]]]](list)
        for instance, paths in wanted:
            by_origin[instance.origin].append((instance, paths))
        for origin, group in by_origin.items():
            self._history(origin).prefetch(group)

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Read from where the instance says that its files are."""
        return self._history(instance.origin).read(instance, paths)

    def licence(self, instance: FixInstance) -> str:
        """What the instance names, else what its place says."""
        return instance.licence or self._history(instance.origin).licence(instance)

    def close(self) -> None:
        """Let processes and files go. May be called twice."""
        self._stack.close()
        self._open.clear()

    def _history(self, origin: _Origin) -> History:
        if origin not in self._open:
            self._open[origin] = self._opened(origin)
        return self._open[origin]

    def _opened(self, origin: _Origin) -> History:
        match origin:
            case "git":
                url = clone_url(self._settings, self._repository)
                opening = open_history(self._repository, url, self._cache / MIRRORS)
                return self._stack.enter_context(opening)
            case "release":
                history = ReleaseHistory(
                    self._cache / "sdists", index=configured_index()
                )
                self._stack.callback(history.close)
                return history
            case "inline":
                return InlineHistory()


@cache
def _index() -> PackageIndex:
    """Ask pip for its settings once a process: that takes half a second."""
    return configured_index()


def clone_url(settings: FixesSettings, repository: str) -> str:
    """Where the history of `owner__name` is cloned from.

    That of a repository that is a source itself is known already.
    """
    for source in settings.sources:
        if source.git and mined_repository(source.git).lower() == repository.lower():
            return source.git
    name = repository.replace("__", "/", 1)
    for known, place in settings.histories.items():
        if known.lower() == name.lower():
            return place
    return settings.clone_url.replace(REPOSITORY_FIELD, name)
