"""How far two labellings of the same fixes agree: table, accuracy, Cohen's kappa."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envplatform.swe.fixes.bug_type import BUG_TYPES, BugType


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often each label of the first labeller met each of the second."""

    counts: Mapping[tuple[BugType, BugType], int]
    """(first, second) to fixes; pairs that never occurred are absent."""

    @property
    def total(self) -> int:
        """Fixes that both labelled."""
        return sum(self.counts.values())

    @property
    def accuracy(self) -> float:
        """Share of equal labels, 0 to 1; 0 without any fix."""
        same = sum(count for (one, other), count in self.counts.items() if one == other)
        return same / self.total if self.total else 0.0

    @property
    def kappa(self) -> float:
        """Cohen's kappa: agreement beyond chance, at most 1.

        0 if chance alone would make all labels equal, as when both use but one label.
        """
        if not self.total:
            return 0.0
        rows, columns = self._margins()
        chance = sum(rows[label] * columns[label] for label in rows) / self.total**2
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else 0.0

    def markdown(self) -> str:
        """Render a table, first labeller down, second across, and the figures below."""
        rows, columns = self._margins()
        used = [label for label in BUG_TYPES if rows[label] or columns[label]]
        lines = [
            f"| | {' | '.join(used)} | all |",
            f"|---|{'---:|' * (len(used) + 1)}",
            *(
                f"| {one} | "
                + " | ".join(str(self.counts.get((one, two), 0) or "") for two in used)
                + f" | {rows[one]} |"
                for one in used
            ),
            f"| all | {' | '.join(str(columns[two]) for two in used)} | {self.total} |",
        ]
        figures = f"Equal: {self.accuracy:.1%} of {self.total}; kappa {self.kappa:.2f}."
        return "\n".join([*lines, "", figures])

    def _margins(self) -> tuple[Counter[BugType], Counter[BugType]]:
        rows: Counter[BugType] = Counter()
        columns: Counter[BugType] = Counter()
        for (one, other), count in self.counts.items():
            rows[one] += count
            columns[other] += count
        return rows, columns


def confusion(pairs: Iterable[tuple[BugType, BugType]]) -> Confusion:
    """Count pairs of labels: of a person and of the rules, or of two models."""
    return Confusion(counts=Counter(pairs))
