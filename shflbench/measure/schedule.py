"""Decide how often and how long to launch: pure functions of numbers."""

from __future__ import annotations

# How much of one kernel to launch in a row: a hundredth of the longest slow state of a GPU (0.1 s), so that the
# launches of a round mostly share one state, and nine rounds of three iteration counts take a seventh of 0.2 s.
BURST_US = 1_000.0
# Odd numbers, for then the median over rounds of the medians of rounds aims at the median launch itself, however skewed
# the noise: of an odd number of launches the middle one lies above the true median with probability 1/2; the mean of
# the two middle ones of an even number need not.
FEWEST_SAMPLES = 3
MOST_SAMPLES = 9
# The first samples of a burst that are not counted where it holds more than the fewest: after the launch that no sample
# brackets, the next one of a kernel below 0.2 ms still took 0.3 µs longer on an H200, and the ones after it did not.
UNSETTLED = 1

# Events are stamped in steps of 32 ns on the GPUs tried, and the pair around a launch costs it a microsecond or two
# that differ from launch to launch. Of 8 µs the step is 0.4 %, about the precision asked for: below, the time of one
# launch is not known to it. Eight launches between two events bring both down to an eighth: to 0.2 % of 2 µs, which no
# kernel falls short of.
SHORT_US = 8.0
# Only two numbers, not the nearest power of two: two runs of the same code then nearly always choose alike, and only
# times of as many launches can be compared. (Launches back to back overlap the begin of one with the end of another.)
LAUNCHES_OF_SHORT = 8

PARTS = (1, 2, 4)  # the iteration counts to time, as parts of the case's own


def iteration_counts(iterations: int, unroll: int) -> tuple[int, ...]:
    """Return the counts to time, the case's own first: it, about half and about a quarter of it.

    They differ by whole passes through the unrolled loop, so that all leave the same number of remaining trips and
    their difference is unrolled trips alone. The ends give the slope, and the middle one tells whether there is one
    line. A loop of two passes gives two counts, a shorter one its own count only, and no slope.
    """
    passes = iterations // unroll
    rest = iterations % unroll
    kept = dict.fromkeys(-(-passes // part) for part in PARTS)
    return tuple(count * unroll + rest for count in kept)


def samples_per_burst(sample_us: float) -> int:
    """Return how many samples of `sample_us` each (all launches together) to take in a row: a millisecond's, odd."""
    if sample_us <= 0:
        return MOST_SAMPLES
    wanted = 2 * int(BURST_US / sample_us / 2) + 1  # the nearest odd number
    return max(FEWEST_SAMPLES, min(MOST_SAMPLES, wanted))


def unsettled(samples: int) -> int:
    """Return how many samples to take before the `samples` of a burst, and not to count."""
    return UNSETTLED if samples > FEWEST_SAMPLES else 0


def launches_per_sample(fastest_us: float) -> int:
    """Return how many launches the two events of a sample bracket, the same for all variants of a group.

    Args: the time of one launch of the group's fastest case at its own iterations.
    """
    return LAUNCHES_OF_SHORT if fastest_us < SHORT_US else 1
