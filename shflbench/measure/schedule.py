"""Choose how many iterations, samples and launches to take: pure functions of numbers."""

from __future__ import annotations

# Duration of a burst: a hundredth of the longest slow state of a GPU (0.1 s), so that the launches of a round mostly
# share one state, and nine rounds of three iteration counts take a seventh of 0.2 s.
BURST_US = 1_000.0
# Even numbers: where the data exceeds L2 by little, launches take two times in turn, since each finds what the one
# before left, and the middle one of an odd number is of the same kind in every burst. On an H100, the times of two
# softmax kernels on 32 to 64 MiB lay up to 3.5% from the mean of both kinds with odd numbers, and at most 0.8% with
# even ones, whose two middle samples are of both kinds. With skewed noise, the mean of these two exceeds the true
# median: with exponential noise by 5% of its standard deviation for four samples, by 1% for ten.
FEWEST_SAMPLES = 4
MOST_SAMPLES = 10
# The first samples of a burst, which are discarded if it has more than the fewest: on an H200, the second launch of a
# kernel below 0.2 ms still took 0.3 µs longer than those after it. (The first launch is not part of any sample.)
DISCARDED = 1

# Timestamps of events have steps of 32 ns on the GPUs tried, and the two events add one or two microseconds, which vary
# from launch to launch. At 8 µs the step is 0.4%, about the default precision; the time of one shorter launch cannot be
# known to it. Eight launches between two events divide both by eight: 0.2% of 2 µs, the shortest that a kernel takes.
SHORT_US = 8.0
# Two values only, not the nearest power of two: then two runs of the same code nearly always choose the same number,
# and only times with the same number can be compared. (Back to back, the start of a launch overlaps the previous end.)
LAUNCHES_OF_SHORT = 8

PARTS = (1, 2, 4)  # the iteration counts to time, as parts of the case's own


def iteration_counts(iterations: int, unroll: int) -> tuple[int, ...]:
    """Return the iteration counts to time: the case's own count first, then about half and about a quarter of it.

    They differ by whole passes through the unrolled loop, so that all have the same number of remaining iterations and
    their difference consists of unrolled ones. The ends give the slope; the middle shows whether the times are linear.
    A loop of two passes has two counts. A shorter loop has only its own count and no slope.
    """
    passes = iterations // unroll
    rest = iterations % unroll
    kept = dict.fromkeys(-(-passes // part) for part in PARTS)
    return tuple(count * unroll + rest for count in kept)


def verified_counts(iterations: int, unroll: int) -> tuple[int, ...]:
    """Return the iteration counts at which an untrusted kernel is verified: all that are timed, and an odd one."""
    return tuple(dict.fromkeys((*iteration_counts(iterations, unroll), iterations // 3 | 1)))


def samples_per_burst(sample_us: float) -> int:
    """Return how many samples, each of which takes `sample_us`, fill a burst of a millisecond: an even number."""
    if sample_us <= 0:
        return MOST_SAMPLES
    wanted = 2 * round(BURST_US / sample_us / 2)
    return max(FEWEST_SAMPLES, min(MOST_SAMPLES, wanted))


def count_discarded(samples: int) -> int:
    """Return how many samples to take and discard before the `samples` of a burst."""
    return DISCARDED if samples > FEWEST_SAMPLES else 0


def launches_per_sample(fastest_us: float) -> int:
    """Return how many launches to take between the two events of a sample, the same for all variants of a group.

    Args: the time of one launch of the group's fastest case at its own iterations.
    """
    return LAUNCHES_OF_SHORT if fastest_us < SHORT_US else 1
