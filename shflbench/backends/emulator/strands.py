"""Strands: threads that are at the same place of the program, and either run or wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.cohort import scattered

if TYPE_CHECKING:
    from shflbench.backends.emulator.cohort import Cohort
    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.program import Op

QUANTUM = 16  # traces after which another strand gets its turn, so that who spins cannot hold all others up


@dataclass(slots=True, eq=False)
class Strand:
    """Some threads of one unit."""

    cohort: Cohort
    unit: int
    at: int  # number of the block that comes next, or that is waited at
    waits_at: Op | None = None
    turns: int = 0  # traces since it last waited

    def split(self, first: Values, second: Values) -> tuple[Strand, Strand]:
        """Return two strands of these threads, at the same place."""
        parts = (
            Strand(scattered(threads), self.unit, self.at, self.waits_at, self.turns) for threads in (first, second)
        )
        one, other = parts
        return one, other


def merged(strands: list[Strand], unit: Cohort) -> list[Strand]:
    """Return the running strands of one unit with those joined that are at the same place."""
    places: dict[int, list[Strand]] = {}
    result = []
    for strand in strands:
        if strand.waits_at is None:
            places.setdefault(strand.at, []).append(strand)
        else:
            result.append(strand)
    for at, group in places.items():
        if len(group) == 1:
            result.append(group[0])
            continue
        threads = np.sort(np.concatenate([strand.cohort.threads for strand in group]))
        cohort = unit if threads.size == unit.count else scattered(threads)
        result.append(Strand(cohort, group[0].unit, at, turns=max(strand.turns for strand in group)))
    return result
