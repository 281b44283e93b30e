"""Near-duplicates among environments: the same request for the same kind of desk.

Two are compared by the three-word shingles of their instructions, with names, numbers,
dates and paths masked, and by the shape of their resource graphs; alike from a Jaccard
similarity of 0.8 on (Cowork-Gym measures alike). MinHash finds candidates, the sets
themselves decide, so no estimate is in the figure.
"""

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from rensa import RMinHash, RMinHashLSH  # type: ignore[import-untyped]  # a wheel

from envplatform.bundle import Environment

SIMILARITY = 0.8
_SHINGLE_WORDS = 3
_PERMUTATIONS = 64
_BANDS = 16
_SEARCHED = 0.6
"""At which candidates are searched: lower than what decides, so that none is missed."""
_SEED = 42
_MASK = "_"
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_NUMBER = re.compile(r"\d[\d.,:/%-]*")
_NAMED = re.compile(r"(?<![.!?:]\s)(?<!^)(?<!\n)\b[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*")
_WORD = re.compile(r"[A-Za-z']+|_+")


def masked(instruction: str) -> list[str]:
    """Return the words of an instruction, in lower case, entities as `_`."""
    text = _QUOTED.sub(f" {_MASK} ", instruction)
    text = _NUMBER.sub(f" {_MASK} ", text)
    text = _NAMED.sub(f" {_MASK} ", text)
    return [word.lower() for word in _WORD.findall(text)]


def features(environment: Environment) -> frozenset[str]:
    """Return what an environment is compared by."""
    words = masked(environment.instruction)
    shingles = {
        " ".join(words[at : at + _SHINGLE_WORDS])
        for at in range(max(1, len(words) - _SHINGLE_WORDS + 1))
    }
    return frozenset({*shingles, *_shape(environment)})


def shape_of(environment: Environment) -> tuple[int, ...]:
    """Return the features as numbers below 2**63, sorted: what is kept of each."""
    return tuple(sorted(_number(one) for one in features(environment)))


class NearDuplicates:
    """Finds, for each environment, one before it that it repeats.

    Takes about 3 KB an entry of 200 features.
    """

    def __init__(self, similarity: float = SIMILARITY) -> None:
        self._similarity = similarity
        self._search = RMinHashLSH(_SEARCHED, _PERMUTATIONS, _BANDS)
        self._known: list[tuple[str, array[int]]] = []

    def find_or_add(self, name: str, wanted: Sequence[int]) -> str | None:
        """Return the name of the most similar one that `wanted` repeats; None: added.

        One that repeats another is not added, so a group of alike has one member here.
        """
        minhash = RMinHash(_PERMUTATIONS, _SEED)
        minhash.update([str(one) for one in wanted])
        best, at, mine = 0.0, None, frozenset(wanted)
        candidates: list[int] = sorted(self._search.query(minhash))
        for number in candidates:
            similarity = jaccard(mine, frozenset(self._known[number][1]))
            if similarity > best:
                best, at = similarity, number
        if at is not None and best >= self._similarity:
            return self._known[at][0]
        self._search.insert(len(self._known), minhash)
        self._known.append((name, array("q", wanted)))
        return None


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Return how far two sets agree, 0 to 1; 1 of two empty ones."""
    return len(one & other) / len(one | other) if one | other else 1.0


def _number(feature: str) -> int:
    digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def _shape(environment: Environment) -> Iterator[str]:
    """Yield the resource graph without names: each kind of view once per number."""
    kinds = {one.name: one for one in environment.resources}
    shapes: Counter[str] = Counter()
    for view in environment.views:
        source = kinds.get(view.source)
        held = f"{source.kind} {source.provider}" if source else "-"
        shapes[f"view {view.kind} of {held}"] += 1
    for edge in environment.dependencies:
        shapes[f"needs {edge.kind}"] += 1
    shapes["user" if environment.user else "nobody"] += 1
    shapes["criteria " * len(environment.criteria)] += 1
    for shape, count in shapes.items():
        yield from (f"{shape} #{number}" for number in range(count))
