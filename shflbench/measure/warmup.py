"""Warm the device up until its clock is steady."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.backends.base import Backend

STEP_MS = 50.0
STEADY_STEPS = 4  # as many in a row within STEADY of one another
STEADY = 0.002
MOST_STEPS = 60  # three seconds


def warm_up(backend: Backend) -> tuple[bool, float | None]:
    """Keep the device busy until its SM clock is steady; return whether it became so, and the clock in MHz."""
    clocks: list[float] = []
    for _ in range(MOST_STEPS):
        clock = backend.keep_busy(STEP_MS)
        if clock is None:  # no clock to wait for
            return True, None
        clocks.append(clock)
        last = clocks[-STEADY_STEPS:]
        if len(last) == STEADY_STEPS and max(last) - min(last) <= STEADY * max(last):
            return True, clock
    return False, clocks[-1]
