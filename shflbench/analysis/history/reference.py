"""The level and the spread of each series at its last runs: the reference that the next run is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.noise import ASSUMED

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.int64]

MEMORY = 64  # runs of the level, and differences from it, that a reference knows
RECENT = 10  # differences that show a change of the noise
# Standard deviation / median of the absolute values, of a normal distribution.
SD_OF_MAD = 1.4826
# Weight of the noise that is assumed before the series has shown its own, in runs.
PRIOR_RUNS = 6
# The level is Huber's estimate: differences beyond so many MAD count as these.
CLIP = 1.5
# Margin of a run, in each measure of the spread. Three runs of normal noise are rarely beyond 5 MAD (3.4 sd). Tails
# need more: 1.35 times the difference that 95% of the past runs do not exceed.
MADS, RECENT_MADS, TAILS, TAIL = 5.0, 3.5, 1.35, 0.95
# Runs of a wandering series resemble their neighbors, so that three in a row prove less: more margin above this
# correlation of neighbors.
UNCORRELATED, PER_CORRELATION, FEWEST_PAIRS = 0.3, 0.6, 20
FEWEST_RECENT = 6


def assumed_spread(times_us: Floats) -> Floats:
    """Return the MAD that is assumed of a series at this time, as a fraction."""
    return np.hypot(ASSUMED.a_us, ASSUMED.b * times_us) / times_us / SD_OF_MAD


@dataclass(slots=True)
class References:
    """The references of all series; values are logarithms of times, so that differences are fractions.

    `points` and `differences` are rings of the last values: the place after the newest is the oldest.
    """

    points: Floats  # series × MEMORY: of the present level
    weights: Floats  # likewise; 0 where the level has fewer runs
    counts: Places  # of points so far
    differences: Floats  # series × MEMORY: of each run from the level before it, through all levels
    past: Floats  # series × runs: the same without end
    known: Places  # of differences so far
    level: Floats  # NaN before the first run
    spread: Floats = field(init=False)  # MAD
    margin: Floats = field(init=False)  # without the uncertainty of the level
    correlation: Floats = field(init=False)  # of neighbors

    @classmethod
    def of(cls, series: int, runs: int) -> References:
        """Return references without runs."""

        def unknown(width: int) -> Floats:
            return np.full((series, width), np.nan)

        counts = np.zeros(series, np.int64)
        new = cls(
            points=np.zeros((series, MEMORY)),
            weights=np.zeros((series, MEMORY)),
            counts=counts,
            differences=unknown(MEMORY),
            past=unknown(runs),
            known=counts.copy(),
            level=np.full(series, np.nan),
        )
        new.spread, new.margin, new.correlation = np.zeros((3, series))
        return new

    def absorb(self, rows: Places, values: Floats, weights: Floats) -> None:
        """Add a run of the present level to each of these series."""
        place = self.counts[rows] % MEMORY
        self.points[rows, place] = values
        self.weights[rows, place] = weights
        first = self.counts[rows] == 0
        self.counts[rows] += 1
        self.level[rows[first]] = values[first]
        rows, values = rows[~first], ((values - self.level[rows]) * np.sqrt(weights))[~first]
        self.differences[rows, self.known[rows] % MEMORY] = values
        self.past[rows, self.known[rows]] = values
        self.known[rows] += 1

    def restart(self, row: int, values: Floats, weights: Floats) -> None:
        """Start a level of a series with these runs; the spread is that of the levels before."""
        self.points[row, : len(values)] = values
        self.weights[row] = 0.0
        self.weights[row, : len(values)] = weights
        self.counts[row] = len(values)
        self.level[row] = np.median(values)

    def correct(self, row: int, differences: Floats) -> None:
        """Replace the last differences of a series: a drift that was not known then is no noise."""
        known = int(self.known[row])
        count = min(len(differences), known)
        self.past[row, known - count : known] = differences[len(differences) - count :]
        places = np.arange(max(known - MEMORY, 0), known)
        self.differences[row, places % MEMORY] = self.past[row, places]

    def refresh(self, assumed: Floats) -> None:
        """Estimate level, spread and margin again; `assumed` is the spread before any run."""
        known = np.minimum(self.known, MEMORY)
        sizes = np.sort(np.abs(self.differences), axis=1)  # NaN last
        mad = np.where(known > 0, (_at(sizes, (known - 1) // 2) + _at(sizes, known // 2)) / 2, 0.0)
        self.spread = np.sqrt((PRIOR_RUNS * assumed**2 + known * mad**2) / (PRIOR_RUNS + known))
        tail = np.where(known > 2, _at(sizes, np.ceil(TAIL * known).astype(int) - 1), 0.0)  # noqa: PLR2004
        self.margin = np.maximum.reduce([MADS * self.spread, RECENT_MADS * self._recent_mad(), TAILS * tail])
        self.margin *= 1 + PER_CORRELATION * np.maximum(self.correlation - UNCORRELATED, 0)
        self._find_level()

    def correlate(self) -> None:
        """Estimate the correlation of neighbors again."""
        limit = 3 * self.spread[:, None]
        clipped = np.nan_to_num(np.minimum(np.maximum(self.differences, -limit), limit))
        squares = np.einsum("ij,ij->i", clipped, clipped)
        both = np.einsum("ij,ij->i", clipped[:, :-1], clipped[:, 1:]) + clipped[:, -1] * clipped[:, 0]
        lines, newest = np.arange(len(clipped)), (self.known - 1) % MEMORY
        both -= clipped[lines, newest] * clipped[lines, (newest + 1) % MEMORY]  # the oldest
        correlation = both / np.maximum(squares, np.finfo(float).tiny)
        self.correlation = np.where(self.known >= FEWEST_PAIRS, correlation, 0.0)

    def margins(self) -> Floats:
        """Return the margin of a run, which is wider where the level is known from few runs."""
        runs = np.clip(self.counts, 1, MEMORY)
        return np.asarray(self.margin * np.sqrt((1 + 2 / runs) / (1 + 2 / MEMORY)))

    def _find_level(self) -> None:
        limit = (CLIP * self.margin / MADS)[:, None]
        total = np.maximum(self.weights.sum(axis=1), np.finfo(float).tiny)
        for _ in range(2):  # from the last level, which is close
            apart = self.points - self.level[:, None]
            np.minimum(apart, limit, out=apart)
            np.maximum(apart, -limit, out=apart)
            self.level = self.level + np.einsum("ij,ij->i", self.weights, apart) / total

    def _recent_mad(self) -> Floats:
        places = (self.known[:, None] - 1 - np.arange(RECENT)) % MEMORY
        sizes = np.sort(np.abs(np.take_along_axis(self.differences, places, axis=1)), axis=1)
        count = np.minimum(self.known, RECENT)
        return np.where(count >= FEWEST_RECENT, _at(sizes, (count - 1) // 2), 0.0)


def _at(sizes: Floats, places: Places) -> Floats:
    """Return the element of each line at its place; places outside are those at the ends."""
    inside = np.clip(places, 0, sizes.shape[1] - 1)
    return np.asarray(np.take_along_axis(sizes, inside[:, None], axis=1)[:, 0])
