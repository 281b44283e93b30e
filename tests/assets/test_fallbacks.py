"""A sandbox that can't hold its limits hard says so on every artefact it had a part in."""

from typing import Literal

import pytest

from assets.sandbox_runs import fallbacks
from envplatform.sandbox.base import SandboxInfo


@pytest.mark.parametrize(
    ("limits", "notes"), [("cgroup", 0), ("engine", 0), ("best_effort", 1)]
)
def test_polled_limits_are_a_note(
    limits: Literal["cgroup", "engine", "best_effort"], notes: int
) -> None:
    """Nothing to say where the kernel holds the limits."""
    info = SandboxInfo(kind="bubblewrap", version="0.8.0", limits=limits)
    assert len(fallbacks(info)) == notes
