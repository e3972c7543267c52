"""Decide in which order and how often to launch: pure functions of numbers."""

from __future__ import annotations

BURST_US = 1_000.0  # how much of one kernel to launch back to back
FEWEST_LAUNCHES = 3
MOST_LAUNCHES = 10


def iteration_counts(iterations: int, unroll: int) -> tuple[int, ...]:
    """Return the counts to time: the case's own, and about half, by whole passes through the unrolled loop.

    Both leave the same number of remaining trips, so that their difference is unrolled trips alone.
    Too short a loop gives its own count only, and no slope.
    """
    passes = iterations // unroll // 2
    return (iterations, iterations - passes * unroll) if passes else (iterations,)


def launches_a_burst(time_us: float) -> int:
    """Return how many launches of `time_us` to time back to back: about a millisecond of them."""
    return max(FEWEST_LAUNCHES, min(MOST_LAUNCHES, round(BURST_US / time_us))) if time_us > 0 else MOST_LAUNCHES
