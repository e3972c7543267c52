"""The JSON of `shflbench compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER, OpenInterval

SCHEMA: Final = 1
ABOUT = (
    "Two runs, compared: a verdict for each case. Values are in the `unit` of the metric, ratios are new / base, "
    "fractions are of the base."
)


class SideObject(TypedDict):
    """One side of a comparison."""

    name: Annotated[str, "folders of its runs, or name of a baseline"]
    suite: Annotated[str, "name of the suite"]
    device: Annotated[str, "product name of the GPU; empty without one"]
    gpus: Annotated[Sequence[str], "UUIDs of the GPUs"]
    driver: Annotated[str, "version of the driver"]
    nvrtc: Annotated[str, "version of the compiler"]
    started: Annotated[str, "when its first run started, UTC"]
    commit: Annotated[str, "commit of the checkout that shflbench ran from; empty if unknown"]
    runs: Annotated[int, "number of runs"]
    processes: Annotated[int, "fewest processes of a timed case"]
    most_processes: Annotated[int, "most processes of a timed case"]


class NoiseModelObject(TypedDict):
    """The noise of the time of one process: sd² = a² + (b·time)²."""

    source: Annotated[str, "where it is from, in words"]
    a_us: Annotated[float, "noise of the shortest kernels, µs"]
    b: Annotated[float, "noise of the longest kernels, as a fraction of their time"]


class CorrectionObject(TypedDict):
    """The difference that is judged minus the difference of the measured values, in the unit of the metric."""

    total: Annotated[float, "the sum of both parts"]
    sentinels: Annotated[float, "minus how much longer the sentinels ran on the new side; 0 without common sentinels"]
    fastest_half: Annotated[float, "the rest: means of the fastest half of the samples instead of medians"]


class CauseObject(TypedDict):
    """A likely cause of a change: it goes with the change, which does not prove it."""

    kind: Annotated[
        str,
        "spills, local-memory, occupancy, grid, instructions, machine-code, limit, model, source, compiler, options, "
        "clock or same-code",
    ]
    sentence: Annotated[str, "the cause in one sentence"]
    changes: Annotated[Sequence[str], "the entries of `why` that the sentence contains in its own words"]


class LimitObject(TypedDict):
    """The time of a case on the new side, checked against the longest time that `--limit` allows."""

    state: Annotated[
        str,
        "within, over, or uncertain: the interval contains the limit or, if it is unknown, the time is within 5% of it",
    ]
    limit_us: Annotated[float, "longest time that is allowed, µs"]
    time_us: Annotated[float, "time of results.csv on the new side, µs; of several runs, the median"]
    low_us: Annotated[float | None, "low end of its 95% interval, µs"]
    high_us: Annotated[float | None, "high end of its 95% interval, µs"]


class VerdictObject(TypedDict):
    """The verdict on one case."""

    case_id: Annotated[str, "stable readable name of the case"]
    outcome: Annotated[str, "slower, failed, missing, suspected, inconclusive, not-comparable, faster, new or same"]
    reason: Annotated[str, "code of the reason: beyond-threshold, interval-too-wide, few-processes, …"]
    sentence: Annotated[str, "the verdict in one sentence"]
    advice: Annotated[str, "why an undecided case is not certain, and what to do; else empty"]
    measured_base: Annotated[float | None, "value of results.csv on the base side; of several runs, the median"]
    measured_new: Annotated[float | None, "likewise on the new side"]
    correction: Annotated[CorrectionObject | None, "null if the measured values are judged as they are"]
    base: Annotated[float | None, "value of the base side that is judged"]
    new: Annotated[float | None, "value of the new side that is judged"]
    ratio: Annotated[OpenInterval | None, "new / base, with an interval that is simultaneous for all cases"]
    threshold: Annotated[float | None, "smallest change that matters, as a fraction"]
    detectable: Annotated[float | None, "smallest slowdown that 98 of 100 such comparisons find, as a fraction"]
    detectable_95: Annotated[float | None, "likewise, that 95 of 100 find"]
    needs_processes: Annotated[
        int | None, "processes per side that would settle an inconclusive case; null if more will not settle it"
    ]
    median_ratio: Annotated[float | None, "ratio of the medians of all samples"]
    p90_ratio: Annotated[float | None, "ratio of the 90th percentiles of all samples"]
    why: Annotated[Sequence[str], "what changed in the kernel: `registers 32 → 40`"]
    remarks: Annotated[Sequence[str], "further sentences on the case"]
    causes: Annotated[Sequence[CauseObject], "likely causes of the change, the most specific first"]
    limit: Annotated[LimitObject | None, "check of the time on the new side; null without a limit or a time"]


class ComparisonDocument(TypedDict):
    """A comparison of two sides."""

    schema: Annotated[Literal[1], NUMBER]
    headline: Annotated[str, "the result in one sentence"]
    unchanged: Annotated[str, "how many cases are the same, in words; empty if none is"]
    missed: Annotated[str, "which changes might have been missed, in words; empty if none"]
    tested: Annotated[str, "what was compared, in words"]
    exit_code: Annotated[int, "0, or 1 for a finding: a case that is slower, missing, failed or over its limit"]
    exit_code_strict: Annotated[int, "likewise with `--strict`: 6 for an undecided case"]
    counts: Annotated[Mapping[str, int], "number of cases by outcome; outcomes without a case are missing"]
    metric: Annotated[str, "what is compared: time, ns_per_iteration, cycles_per_iteration or registers"]
    unit: Annotated[str, "unit of the metric: µs, ns, cycles or registers"]
    base: Annotated[SideObject, "the base side"]
    new: Annotated[SideObject, "the new side"]
    noise: Annotated[NoiseModelObject | None, "null if no case was judged by noise"]
    false_alarms: Annotated[
        float | None, "share of comparisons of unchanged code with a finding, at most, by design of the rule"
    ]
    offset_us: Annotated[float | None, "how much longer the sentinels ran on the new side, µs"]
    across: Annotated[Sequence[str], "why the sides cannot be compared, with `--across`"]
    allowed: Annotated[Sequence[str], "outcomes that `--allow` accepts"]
    notes: Annotated[Sequence[str], "other differences between the sides"]
    warnings: Annotated[Sequence[str], "warnings"]
    verdicts: Annotated[Sequence[VerdictObject], "a verdict per case: those of the base in their order, then new ones"]


DOCUMENTS = (ComparisonDocument,)
