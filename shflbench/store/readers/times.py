"""Accept or refuse times, clocks and dates of other tools."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.recording import RecordedCase

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.store.readers.json_node import JsonNode
    from shflbench.store.readers.recording import Floats

MOST_US = 1e10  # 2.8 hours: no sample takes as long
LEAST_US = 0.001  # the shortest time that a run folder holds
MOST_MHZ = 100_000.0
TOO_SHORT = "a sample takes less than 1 ns, which is too short to compare"


def is_time(time_us: float) -> bool:
    """Whether a number can be a time in µs; false for NaN."""
    return 0 <= time_us <= MOST_US


def check_times(times_us: Floats, path: Path, where: str) -> None:
    """Raise ResultsError if one of the numbers cannot be a time."""
    wrong = np.flatnonzero(~((times_us >= 0) & (times_us <= MOST_US)))
    if len(wrong):
        first = int(wrong[0])
        raise ResultsError(f"{path}: {where}: sample {first} is {times_us[first]:g} µs, which is no time", WRITE_AGAIN)


def read_time(node: JsonNode, key: str, unit_us: float) -> float:
    """Return the time under a key in µs; ResultsError if it is no time. `unit_us` is the unit of the file in µs."""
    time_us = node.number(key) * unit_us
    if not is_time(time_us):
        raise node.child(key).wrong("a time")
    return time_us


def read_times(node: JsonNode, key: str, unit_us: float) -> Floats:
    """Return the list of times under a key in µs, one at least; ResultsError if one of them is no time."""
    with np.errstate(over="ignore"):  # a number near the largest one becomes infinite, which is no time
        times_us = node.numbers(key) * unit_us
    if not len(times_us):
        raise node.child(key).wrong("a list of times")
    check_times(times_us, node.path, node.child(key).where)
    return times_us


def timed_case(rounds: tuple[Floats, ...], clocks_mhz: Floats | None, clock_mhz: float | None) -> RecordedCase:
    """Return a case with samples; one with a sample below `LEAST_US` is skipped, with the reason."""
    if min(float(times.min()) for times in rounds) < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    return RecordedCase(rounds=rounds, clocks_mhz=clocks_mhz, clock_mhz=clock_mhz)


def parse_started(text: str) -> datetime | None:
    """Return a date and time in ISO 8601 as UTC, which it is taken for without a zone; None for other text."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # OverflowError: a year that UTC leaves, 0001-01-01T00:00+14:00
        return None


def is_clock(mhz: float) -> bool:
    """Whether a number can be a clock in MHz; false for NaN."""
    return math.isfinite(mhz) and 0 < mhz <= MOST_MHZ
