"""What transformers says of calls that the pinned TRL still makes: known, and silenced."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_RENAMED = "`is_gradient_checkpointing` is deprecated"


@contextmanager
def known_renamings() -> Iterator[None]:
    """Silence them by name while this is entered; nothing else."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_RENAMED, category=FutureWarning)
        yield
