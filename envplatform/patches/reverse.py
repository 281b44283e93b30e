"""A diff turned around: what it adds is removed, what it removes is added."""

from envplatform.errors import PatchError


def reversed_patch(patch: str) -> str:
    """Return the diff that leads back.

    Raises:
        PatchError: the text can't be read as a diff, not even by its bodies.
    """
    raise PatchError("turning diffs around is not written yet: " + patch[:0])
