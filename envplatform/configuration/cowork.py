"""`[cowork]` of `envplatform.toml`: environments over office work."""

from typing import Annotated, Literal

from pydantic import Field

from envplatform.configuration.library import LibrarySettings
from envplatform.configuration.section import Positive, Section


class CoworkSettings(Section):
    """`[cowork]`."""

    shards: Annotated[int, Field(ge=0, le=100_000)] = 1
    """Of environments, a partition each; its key is its random seed. 0: none."""
    first_seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    """The random seed of the first shard; the next ones count up."""
    environments_per_seed: Positive = 100
    families: tuple[str, ...] = ()
    """Names of scenario families; empty: all that ship."""
    roles: Literal["procedural", "llm"] = "procedural"
    """Who builds and who constructs verifiers; `llm` asks the model of `[model]`."""
    rounds: Positive = 3
    """Of build, execute, revise; what is not accepted by then is kept as rejected."""
    python: Annotated[str, Field(pattern=r"^3\.\d{1,2}$")] | None = None
    """Of the image; None: that which the platform runs on."""
    portability: bool = False
    """Whether some states of each are graded in the other kind of sandbox too, which
    must then be there.
    """
    library: LibrarySettings = LibrarySettings()
