"""Compute a metric's values from the samples of a case, and how noise enters them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from shflbench.analysis.compare.comparison import Metric
from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.noise import Weights
from shflbench.analysis.compare.quantiles import normal
from shflbench.analysis.settings import one_pass
from shflbench.core.grouping import group_by
from shflbench.core.statistics import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.compare.estimates import Process
    from shflbench.analysis.compare.sides import Side
    from shflbench.store import Row

# The proportional noise enters a slope between n and n/4 iterations by (1² + (1/4)²) / (1 - 1/4)² of its square.
SLOPE = 1.9
# With one CUDA context, the time of a pass over memory depends on the physical pages that it received: on two H200s
# such kernels of 5 to 20 µs differed twice as much from process to process as loops of that length.
PASSES = 2.0
# The additive noise of a process whose rounds use so many CUDA contexts, as a fraction: the offset of a process is the
# mean of those of its contexts, each with other pages. With nine, loops of 2 to 20 µs and passes of 2 to 5 µs differed
# from process to process by 9 to 17 ns instead of 31 to 51 ns (medians over the cases of each recording in tests/data);
# fewer were not measured.
SEVERAL_CONTEXTS, OF_SEVERAL_CONTEXTS = 9, 0.5


class MetricValues(NamedTuple):
    """The values of one case on one side, and how the two parts of the noise of a time enter a value."""

    estimates: Estimates
    weights: Weights


def values_from_samples(
    side: Side, case_id: str, metric: Metric, offsets: Mapping[Process, float] | None
) -> MetricValues | None:
    """Return the metric of a case in each process of a side; None if its samples do not have it.

    The process's offset is subtracted from a time, if it is known; a slope does not contain it.
    """
    kernel, row = side.kernels.get(case_id), side.rows[case_id]
    estimates = kernel.at(row.iterations) if kernel else None
    if kernel is None or estimates is None:
        return None
    if metric is Metric.TIME:
        estimates = estimates.minus(offsets) if offsets is not None else estimates
        if not len(estimates):
            return None
        weights = weights_of_time(float(estimates.values.mean()), passes=one_pass(row), contexts=side.contexts)
        return MetricValues(estimates, weights.averaged(_executions(side, row)))
    fewest = min(kernel.counts)
    shorter = kernel.at(fewest)
    factor = _clock_ghz(row) if metric is Metric.CYCLES_PER_ITERATION else 1.0
    if shorter is None or fewest == row.iterations or not factor:
        return None
    both = [process for process in estimates.processes if process in shorter.processes]
    if not both:
        return None
    estimates, shorter = estimates.select(both), shorter.select(both)
    scale = 1000 * factor / (row.iterations - fewest)
    ends = (float(part.values.mean()) for part in (estimates, shorter))
    additive, proportional = zip(
        *(weights_of_time(end, passes=False, contexts=side.contexts) for end in ends), strict=True
    )
    return MetricValues(
        estimates.slope(shorter, scale), Weights(sum(additive) * scale**2, sum(proportional) * scale**2)
    )


def values_from_row(side: Side, case_id: str, metric: Metric) -> MetricValues | None:
    """Return a case's value and interval from the table alone; None if one of them is empty."""
    row = side.rows[case_id]
    low, high = row.ns_per_iteration_low, row.ns_per_iteration_high
    if metric is Metric.TIME:
        low, high = row.time_low_us, row.time_high_us
    factor = _clock_ghz(row) if metric is Metric.CYCLES_PER_ITERATION else 1.0
    value = value_of(row, metric)
    if value is None or low is None or high is None or not factor:
        return None
    deviation = factor * (high - low) / 2 / normal((1 + CONFIDENCE) / 2)
    estimates = Estimates.known(value, deviation**2, row.launches or 1)
    if metric is Metric.TIME:
        return MetricValues(estimates, weights_of_time(value, passes=one_pass(row), contexts=side.contexts))
    return MetricValues(estimates, Weights(0.0, SLOPE * value**2))


def measured_values(side: Side, metric: Metric) -> dict[str, float]:
    """Return the metric of each case as `results.csv` has it; of several runs, the median of their values.

    Without samples, only one run of a side is judged, and the values are those of this run.
    """
    rows = (row for run in side.runs for row in run.rows) if side.kernels else side.rows.values()
    known = group_by((row for row in rows if value_of(row, metric) is not None), lambda row: row.case_id)
    return {case_id: median(value_of(row, metric) or 0.0 for row in alike) for case_id, alike in known.items()}


def _executions(side: Side, row: Row) -> int:
    """Return how many executions other tools time at once, so that the noise of the timer is divided by their number.

    The noise of shflbench's own times was measured with up to eight launches per sample.
    """
    return (row.launches or 1) if all(run.info.converted for run in side.runs) else 1


def value_of(row: Row, metric: Metric) -> float | None:
    """Return the metric from the table."""
    value: float | None = getattr(row, "time_us" if metric is Metric.TIME else metric)
    return value


def weights_of_time(time_us: float, *, passes: bool, contexts: int = 1) -> Weights:
    """Return how noise enters a time.

    `passes`: of a kernel that makes one pass over memory; `contexts`: number of CUDA contexts that its rounds use.
    """
    of_one = PASSES if passes else 1.0
    factor = OF_SEVERAL_CONTEXTS if contexts >= SEVERAL_CONTEXTS else of_one
    return Weights(factor**2, time_us**2)


def _clock_ghz(row: Row) -> float:
    """Return the SM clock in GHz; 0 if unknown."""
    return (row.cycles_per_iteration or 0.0) / row.ns_per_iteration if row.ns_per_iteration else 0.0
