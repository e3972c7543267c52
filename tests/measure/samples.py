"""Samples made by hand."""

from collections.abc import Callable, Iterable, Sequence

from shflbench.core.model import Sample

ITERATIONS = 100


def burst(
    times_us: Iterable[float],
    *,
    iterations: int = ITERATIONS,
    process: int = 0,
    round_: int = 0,
    launches: int = 1,
    clock_mhz: float | None = 2000.0,
    dropped: bool = False,
    seconds: float | None = 0.0,
    case_id: str = "neighbor/shfl/f32/2x64/100",
) -> list[Sample]:
    """Return the samples of one burst."""
    return [
        Sample(case_id, process, round_, index, iterations, launches, time_us, clock_mhz, dropped, seconds)
        for index, time_us in enumerate(times_us)
    ]


def lined(
    levels_us: Sequence[float],
    *,
    overhead_us: float = 4.0,
    counts: Sequence[int] = (ITERATIONS, 50, 25),
    process: int = 0,
    also: Callable[[int], float] = lambda _: 0.0,
) -> list[Sample]:
    """Return a round for each of `levels_us`, its time at 100 iterations; the others lie on a line, or `also` off."""
    return [
        sample
        for number, level in enumerate(levels_us)
        for count in counts
        for sample in burst(
            [overhead_us + (level - overhead_us) * count / ITERATIONS + also(count)] * 3,
            iterations=count,
            process=process,
            round_=number,
            seconds=number / 10,
        )
    ]
