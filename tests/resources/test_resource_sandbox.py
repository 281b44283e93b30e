"""The sandbox that `envplatform.toml` names, as Dagster's code gets it."""

from pathlib import Path

from envplatform.sandbox.bubblewrap import BubblewrapProvider
from resources.sandbox import SandboxResource


def test_the_configured_sandbox_is_opened(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    path = tmp_path / "envplatform.toml"
    text = '[sandbox]\nkind = "bubblewrap"\nconcurrency = 3\n'
    path.write_text(text, encoding="utf-8")
    resource = SandboxResource(path=str(path))
    assert resource.open().info == bubblewrap.info
    assert resource.concurrency() == 3
