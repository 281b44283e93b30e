"""What an earlier reverse patch has already: the same, of the same shape, or nearly.

Those that must stay unseen come first. Of the others only those that passed everything
before are remembered, so that none is dropped for the sake of another that was rejected
itself; and what repeats is not remembered, so
that similarity does not wander from one to the next.
"""

from dataclasses import dataclass, field
from hashlib import sha256

from envplatform.swe.fixes.analysis.shingles import NearDuplicates
from envplatform.swe.fixes.reverse_patch import ReverseFacts

_KEY_BYTES = 12
"""Of digests: 96 bits tell 134,000 apart, and cost half the memory of hex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """An earlier instance has this already."""

    code: str
    """`duplicate`, `duplicate_code` or `near_duplicate`."""
    instance_id: str
    """The earlier one."""
    similarity: float = 1.0
    of_held_out: bool = False
    """Whether the earlier one must stay unseen."""


@dataclass(slots=True, kw_only=True)
class Memory:
    """All that was kept so far. Some 3 KB an instance, whatever its size."""

    similarity: float
    ids: list[str] = field(default_factory=list)
    exact: dict[bytes, int] = field(default_factory=dict)
    shapes: dict[bytes, int] = field(default_factory=dict)
    signed: list[int] = field(default_factory=list)
    """Place in `ids` of each entry of the search below."""
    near: NearDuplicates = field(init=False)
    held_out: int = 0
    """So many of `ids`, the first, must stay unseen."""

    def __post_init__(self) -> None:
        self.near = NearDuplicates(self.similarity)

    def find_or_add(self, facts: ReverseFacts) -> Repeat | None:
        """Return what `facts` repeat; None: nothing, and they are remembered now."""
        exact, shape = _exact_key(facts), _shape_key(facts)
        if exact in self.exact:
            return self._repeat("duplicate", self.exact[exact])
        if shape is not None and shape in self.shapes:
            return self._repeat("duplicate_code", self.shapes[shape])
        if facts.analysis.minhash:
            found = self.near.find_or_add(facts.analysis.minhash)
            if found is not None:
                number, similarity = found
                return self._repeat("near_duplicate", self.signed[number], similarity)
            self.signed.append(len(self.ids))
        self.exact[exact] = len(self.ids)
        if shape is not None:
            self.shapes[shape] = len(self.ids)
        self.ids.append(facts.instance_id)
        return None

    def end_held_out(self) -> None:
        """Say that all remembered so far must stay unseen, and no later one."""
        self.held_out = len(self.ids)

    def _repeat(self, code: str, place: int, similarity: float = 1.0) -> Repeat:
        return Repeat(
            code=code,
            instance_id=self.ids[place],
            similarity=similarity,
            of_held_out=place < self.held_out,
        )


def _exact_key(facts: ReverseFacts) -> bytes:
    analysis = facts.analysis
    parts = (
        facts.repository.lower(),
        *analysis.fixed_blobs,
        "",
        *analysis.buggy_blobs,
        analysis.change_digest,
    )
    text = "\n".join(parts).encode("utf-8", "surrogateescape")
    return sha256(text).digest()[:_KEY_BYTES]


def _shape_key(facts: ReverseFacts) -> bytes | None:
    digest = facts.analysis.code_digest
    return bytes.fromhex(digest)[:_KEY_BYTES] if digest else None
