"""The configured sandbox as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.configuration import load_configuration
from envplatform.sandbox.base import SandboxProvider
from envplatform.sandbox.choose import SandboxChoice, choose_provider


class SandboxResource(dg.ConfigurableResource[SandboxProvider]):
    """Opens whatever `[sandbox]` names."""

    path: str
    """Absolute path of envplatform.toml."""

    def open(self) -> SandboxProvider:
        """The provider; it holds no sandbox open between uses.

        Raises:
            ConfigError: names file, key and remedy.
            SandboxUnavailableError: names what to install.
        """
        settings = load_configuration(Path(self.path)).sandbox
        return choose_provider(settings.kind, docker_base=settings.base_image)

    def other(self) -> SandboxProvider:
        """The provider of the other kind, to see that both come to the same verdicts.

        Raises:
            ConfigError: names file, key and remedy.
            SandboxUnavailableError: it is not here; names what to install.
        """
        settings = load_configuration(Path(self.path)).sandbox
        here = self.open().info.kind
        there: SandboxChoice = "docker" if here == "bubblewrap" else "bubblewrap"
        return choose_provider(there, docker_base=settings.base_image)

    def concurrency(self) -> int:
        """Sandboxes that may be open at once in one process."""
        return load_configuration(Path(self.path)).sandbox.concurrency
