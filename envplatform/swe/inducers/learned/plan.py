"""How often one place is sampled, at which temperatures, and with which seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from envplatform.swe.inducers.answers import seed_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPlan:
    """K samples of each place, the temperatures taking turns, from one on or another."""

    samples: int = 4
    """K; at least 1."""
    temperatures: tuple[float, ...] = (0.4, 0.8, 1.0)
    """Not empty."""
    answer_tokens: int = 1_024
    """Longest answer."""
    shown_characters: int = 9_000
    """Of a file, at most, line numbers included."""
    attempts: int = 4
    """Samples drawn at most for each candidate that is wanted."""

    def draws(self, seed: int, place: str) -> Iterator["Draw"]:
        """Yield the samples of one place; none depends on how many are drawn.

        Places begin with different temperatures: few samples are of all of them too.
        """
        first = sha256(f"{seed}:{place}".encode("utf-8", "replace")).digest()[0]
        for number in range(self.samples):
            yield Draw(
                number=number,
                temperature=self.temperatures[
                    (first + number) % len(self.temperatures)
                ],
                seed=seed_of(f"{seed}:{place}:{number}"),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One sample that is to be drawn."""

    number: int
    """Of its place, from 0."""
    temperature: float
    seed: int
    """As `seed_of` makes them."""
