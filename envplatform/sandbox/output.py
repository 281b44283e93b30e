"""What is kept of an output stream: its first bytes."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Kept:
    """The first `limit` bytes of a stream; what follows is dropped, but noticed."""

    limit: int
    data: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def add(self, chunk: bytes) -> None:
        """Keep of `chunk` what still fits."""
        room = self.limit - len(self.data)
        self.data += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room
