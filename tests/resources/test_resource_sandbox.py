"""The sandbox that `envplatform.toml` names, as Dagster's code gets it."""

from pathlib import Path

from envplatform.sandbox.base import Limits
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from resources.sandbox import SandboxResource


def test_the_configured_sandbox_is_opened(
    bubblewrap: BubblewrapProvider, tmp_path: Path
) -> None:
    path = tmp_path / "envplatform.toml"
    text = '[sandbox]\nkind = "bubblewrap"\nwall_s = 7\nmemory_mb = 99\nprocesses = 5\n'
    path.write_text(text, encoding="utf-8")
    resource = SandboxResource(path=str(path))
    assert resource.open().info == bubblewrap.info
    wanted = Limits(wall_s=7, cpu_s=7, memory_mb=99, processes=5)
    assert resource.limits() == wanted
