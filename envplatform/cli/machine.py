"""What commands need of this machine: the configured sandbox, images, package index."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment
from envplatform.cli.find import find_environment
from envplatform.cli.place import Place
from envplatform.grading.images import image_of
from envplatform.sandbox.base import (
    Door,
    Image,
    Limits,
    Sandbox,
    SandboxProvider,
)
from envplatform.sandbox.choose import choose_provider
from envplatform.store import Store

TARGETS_CACHE = "targets"
"""Name of the store's cache for sdists, wheels and images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An environment with everything at hand to run it."""

    environment: Environment
    folder: Path
    image: Image
    provider: SandboxProvider


def open_for_work(place: Place, name: str, told: Callable[[str], None]) -> Opened:
    """Find an environment, its image and a sandbox for it; tells what takes long.

    Raises:
        StoreError: no or several environments fit.
        BundleError: it is not what its digest says.
        SandboxUnavailableError: nothing to run it in; names what to install.
        TargetError: its image can't be built.
    """
    store = Store(place.home)
    environment, folder = find_environment(store, name)
    provider = provider_of(place)
    told(f"preparing {environment.environment_id} on image {environment.image.name}")
    image = image_of(environment, store.cache_folder(TARGETS_CACHE))
    return Opened(
        environment=environment, folder=folder, image=image, provider=provider
    )


def provider_of(place: Place) -> SandboxProvider:
    """The configured sandbox.

    Raises:
        SandboxUnavailableError: names what to install.
    """
    settings = place.configuration.sandbox
    return choose_provider(settings.kind, docker_base=settings.base_image)


class ToldProvider(SandboxProvider):
    """Opens another provider's sandboxes and tells of each: for progress."""

    def __init__(
        self, provider: SandboxProvider, told: Callable[[str], None], *, what: str
    ) -> None:
        self.info = provider.info
        self._provider = provider
        self._told = told
        self._what = what
        self._count = 0

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[Sandbox]:
        """Open a sandbox of the other provider."""
        self._count += 1
        self._told(f"{self._what} {self._count}")
        async with self._provider.open(image, limits, doors=doors) as sandbox:
            yield sandbox

    def meet(self) -> AbstractAsyncContextManager[str]:
        """Make a meeting place of the other provider's."""
        return self._provider.meet()

    async def reach(self, place: str) -> Path | None:
        """As the other provider."""
        return await self._provider.reach(place)
