"""What a source of fixes is. Knows no layout and no place where fixes are kept."""

import hashlib
from collections.abc import Iterator
from typing import Protocol

from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow


class Source(Protocol):
    """Gives the fixes of one `[[fixes.sources]]`, in an order that never changes."""

    @property
    def name(self) -> str:
        """As in tables and funnels; unlike any other source's of the project."""
        ...

    def digest(self) -> str:
        """SHA-256 (hex) of all that decides what `read` yields: content and settings.

        Raises:
            FixSourceError: what is to be read is absent or out of reach.
        """
        ...

    def read(self) -> Iterator[FixInstance | QuarantinedRow]:
        """Yield each row once, as an instance or with the reason why it is none.

        Streams: memory does not grow with the source, but for some bytes a row that
        find repeated ids.

        Raises:
            FixSourceError: the source as a whole can't be read, or not any further;
                names file, column and what to do.
        """
        ...


def instance_digest(instance: FixInstance) -> str:
    """SHA-256 (hex) of what makes two instances one fix, whoever published them.

    That is repository (in any case of letters), place of the files, or the files where
    the instance carries them, and patch. Ids, texts, tests and licences may differ.
    """
    release = instance.release
    parts = (
        instance.repository.lower(),
        instance.origin,
        instance.base_commit,
        f"{release.project}=={release.version}" if release else "",
        instance.patch_makes,
        instance.patch,
        *_carried(instance),
    )
    return _digest(parts)


def _carried(instance: FixInstance) -> Iterator[str]:
    """Yield all versions; what is absent differs from what is empty."""
    for one in instance.versions:
        for text in (one.before, one.after):
            yield one.path
            yield "absent" if text is None else "present"
            yield text or ""


def _digest(parts: tuple[str, ...]) -> str:
    """Length before content, so that no two tuples give the same bytes."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
