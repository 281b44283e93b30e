"""What must not be trained on, as hashes: by repository, file and changed lines.

Everything is a hash, so a set of one's own can be handed to others as a file
(`hash_file`) without its content. Names of repositories can be guessed from their
hashes, as names are few; files and lines can only be recognised by who has them.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSet:
    """One set, hashed."""

    name: str
    repositories: frozenset[str] = frozenset()
    """`repository_hash` of each."""
    blobs: frozenset[str] = frozenset()
    """`blob_hash` of each code file, before and after the fix."""
    ngrams: frozenset[int] = frozenset()
    """As `analysis.ngrams` makes them, none left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """All sets that count, ready to be asked. Of several sets the first is named."""

    repositories: Mapping[str, str] = field(default_factory=dict)
    """Hash to name of the set; likewise below."""
    blobs: Mapping[str, str] = field(default_factory=dict)
    ngrams: Mapping[int, str] = field(default_factory=dict)

    def of_repository(self, repository: str) -> str | None:
        """Return the set that holds this repository, `owner__name` or `owner/name`."""
        if not self.repositories:
            return None
        return self.repositories.get(repository_hash(repository))

    def of_blobs(self, blobs: Iterable[str]) -> tuple[str, str] | None:
        """Return the set that holds one of these git blobs, and the blob."""
        if not self.blobs:
            return None
        for blob in blobs:
            name = self.blobs.get(blob_hash(blob))
            if name is not None:
                return name, blob
        return None

    def of_ngrams(self, ngrams: Iterable[int]) -> tuple[str, int] | None:
        """Return the set first hit by these 13-grams, and how many of them any holds."""
        names = [self.ngrams[gram] for gram in ngrams if gram in self.ngrams]
        return (names[0], len(names)) if names else None


def repository_hash(repository: str) -> str:
    """SHA-256 (hex) of `owner/name` in lower case; `owner__name` is taken as that."""
    name = repository.lower().strip().removesuffix(".git")
    if "/" not in name:
        name = name.replace("__", "/", 1)
    return hashlib.sha256(f"repository {name}".encode("utf-8", "replace")).hexdigest()


def blob_hash(blob: str) -> str:
    """SHA-256 (hex) of a git blob id in hex."""
    return hashlib.sha256(f"blob {blob}".encode()).hexdigest()


def join_sets(sets: Sequence[HeldOutSet]) -> HeldOut:
    """Make sets ready to be asked."""
    repositories: dict[str, str] = {}
    blobs: dict[str, str] = {}
    ngrams: dict[int, str] = {}
    for held in reversed(sets):
        repositories |= dict.fromkeys(held.repositories, held.name)
        blobs |= dict.fromkeys(held.blobs, held.name)
        ngrams |= dict.fromkeys(held.ngrams, held.name)
    return HeldOut(repositories=repositories, blobs=blobs, ngrams=ngrams)
