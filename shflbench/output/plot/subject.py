"""The subject of a chart: the rows and samples of one pattern of one run, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum, inf, log
from typing import TYPE_CHECKING

from shflbench.analysis.answers.request import usual_request
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.kernel_sentences import is_of_kernels
from shflbench.analysis.ranking import time_us
from shflbench.analysis.settings import DTYPE, ITERATIONS, common_factors, factors, words
from shflbench.core.grouping import group_by
from shflbench.errors import ResultsError
from shflbench.output.plot.page import Caption
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import pandas as pd

    from shflbench.store import Row, Run, RunInfo
    from shflbench.store.limits_file import CaseLimit

# Of the columns of samples, what a chart shows, and what selects and orders them.
DRAWN = ("case_id", "iterations", "process", "round", "sample", "time_us", "dropped")


@dataclass(frozen=True, eq=False)  # without slots, for the cached properties
class ChartSubject:
    """One pattern of one run, or a part of its cases; or a whole run, named after its suite."""

    pattern: str
    rows: tuple[Row, ...]  # in the order of the suite
    samples: pd.DataFrame  # those that the rows' times come from, in the order of measuring
    dropped: int  # samples that were dropped because the GPU was throttled
    caption: Caption
    limits: Mapping[str, CaseLimit] = field(default_factory=dict)  # by case; empty for a run without limits.csv
    times: RunTimes | None = None  # for joint intervals; None: the intervals of the rows decide ties
    threads_per_sm: int = 0  # resident at once on an SM of the device, 0 if unknown
    is_of_kernels: bool = False  # of a user's file, so that no variant of a pattern

    @cached_property
    def timed(self) -> tuple[Row, ...]:
        """The rows that have a time."""
        return tuple(row for row in self.rows if row.time_us is not None)

    @property
    def launches(self) -> tuple[str, ...]:
        """The launch expressions, each once, in the order of the suite."""
        return tuple(dict.fromkeys(row.launch for row in self.rows))

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The variants, fastest first; those without a time last.

        They are ranked by the geometric mean of their times, each relative to the fastest time of its group.
        """
        lags: dict[str, list[float]] = {row.variant: [] for row in self.rows}
        for rows in self.groups:
            fastest = min(map(time_us, rows))
            for row in rows:
                if row.time_us:
                    lags[row.variant].append(log(row.time_us / fastest))
        return tuple(
            sorted(lags, key=lambda variant: fsum(lags[variant]) / len(lags[variant]) if lags[variant] else inf)
        )

    @property
    def baseline(self) -> str | None:
        """The variant that the speed-ups refer to, if a row names it."""
        return next((row.baseline for row in self.rows if row.baseline), None)

    @cached_property
    def groups(self) -> tuple[tuple[Row, ...], ...]:
        """The rows that differ in variant only, group by group."""
        by_setting = group_by(self.rows, lambda row: (row.pattern, *factors(row).items()))
        return tuple(map(tuple, by_setting.values()))

    @property
    def group_names(self) -> tuple[str, ...]:
        """The name of each group: a case id without its variant, `neighbor/f32/26x1024/4096/mode=idx`."""
        return tuple(f"{rows[0].pattern}/{rows[0].case_id.split('/', 2)[-1]}" for rows in self.groups)

    @cached_property
    def common_factors(self) -> dict[str, str]:
        """The factors that all rows have in common."""
        settings = [factors(row) for row in self.rows]
        counts = {setting[ITERATIONS] for setting in settings if ITERATIONS in setting}  # a pass over data has none
        return common_factors(settings) | ({ITERATIONS: counts.pop()} if len(counts) == 1 else {})

    @property
    def shared_setting(self) -> str:
        """What all rows have in common, in words: ` at 26x1024, 4096 iterations`; empty if nothing."""
        common = words(self.common_factors)
        return f" at {common}" if common else ""

    def distinct_factors(self, row: Row, without: Collection[str] = ()) -> dict[str, str]:
        """Return the factors by which the row's group differs from others, except those named in `without`."""
        excluded = {*self.common_factors, *without}
        return {name: value for name, value in factors(row).items() if name not in excluded}

    def distinct_setting(self, row: Row, without: Collection[str] = ()) -> str:
        """Return these factors in words: `f64`; empty for the only group."""
        return words(self.distinct_factors(row, without))

    def name_of(self, row: Row) -> str:
        """Return the row's name where no heading names its group: `smem, f64`."""
        pattern = "" if row.pattern == self.pattern else f"{row.pattern} "
        return ", ".join(filter(None, (pattern + row.variant, self.distinct_setting(row))))

    def resident_blocks(self, row: Row) -> int | None:
        """Return how many blocks of the row's launch are resident on an SM at once; None if unknown."""
        if not row.occupancy or not self.threads_per_sm or not row.block:
            return None
        return round(row.occupancy * self.threads_per_sm / row.first_launch[1])

    def part(self, rows: Iterable[Row]) -> ChartSubject:
        """Return a subject of some of the rows."""
        return replace(self, rows=tuple(rows))


def subjects(whole: ChartSubject) -> list[ChartSubject]:
    """Return one subject for each pattern of a whole run that has a time, in the order of the suite."""
    patterns = dict.fromkeys(row.pattern for row in whole.timed)
    return [replace(whole, pattern=pattern, rows=_of_pattern(whole, pattern)) for pattern in patterns]


def _of_pattern(whole: ChartSubject, pattern: str) -> tuple[Row, ...]:
    """Return the rows of a pattern, those of its usual element type first."""
    usual = usual_request(pattern).usual
    rows = [row for row in whole.rows if row.pattern == pattern]
    return tuple(sorted(rows, key=lambda row: usual is not None and row.dtype != usual.dtype))


def whole_run(run: Run) -> ChartSubject:
    """Return the subject that is all of the run, with its samples."""
    samples = run.samples(DRAWN)
    counts = samples["case_id"].map({row.case_id: row.iterations for row in run.rows if row.time_us is not None})
    timed = samples[samples["iterations"] == counts]
    kept = timed[~timed["dropped"]].sort_values(["process", "round", "sample"], kind="stable")
    dropped = len(timed) - len(kept)
    limits = read_limits(run.folder)
    threads = run.info.device.threads_per_sm if run.info.device else 0
    caption, times, of_kernels = caption_of(run.info), _times(run), is_of_kernels(run)
    return ChartSubject(run.info.suite.name, run.rows, kept, dropped, caption, limits, times, threads, of_kernels)


def _times(run: Run) -> RunTimes | None:
    """Return the times of a run; None where its samples do not match its rows, which then decide ties alone."""
    times = RunTimes(run)
    try:
        times.side  # noqa: B018  (reads the samples)
    except ResultsError:
        return None
    return times


def parts(subject: ChartSubject, most: int, drawn: Collection[str]) -> list[tuple[str, ChartSubject]]:
    """Return the subject, or, where it has more than `most` settings, its parts by element type, then by option.

    The factors that the chart itself shows (`drawn`) do not count as settings. Each part comes with the end of its
    file's name: empty, or `-f32-xor`.
    """
    names = dict.fromkeys(name for row in subject.rows for name in subject.distinct_factors(row, drawn))
    if not names or len({subject.distinct_setting(row, drawn) for row in subject.rows}) <= most:
        return [("", subject)]
    name = DTYPE if DTYPE in names else min(names, key=lambda name: len(_values(subject, name)))
    smaller_parts = []
    for value in _values(subject, name):
        part = subject.part(row for row in subject.rows if factors(row).get(name, "") == value)
        suffix = f"-{name}-{value}" if value.isdecimal() else f"-{value}"
        smaller_parts += [(suffix + ending, smaller) for ending, smaller in parts(part, most, drawn) if smaller.timed]
    return smaller_parts


def _values(subject: ChartSubject, name: str) -> list[str]:
    return list(dict.fromkeys(factors(row).get(name, "") for row in subject.rows))


def caption_of(info: RunInfo) -> Caption:
    """Return device, driver, suite, date and version of a run, and what disturbed it if it was not quiet."""
    device, versions, noise = info.device, info.versions, info.noise
    parts_of_origin = [
        f"{device.name} ({device.arch})" if device else info.arch,
        f"driver {versions.driver}" if versions.driver else "",
        f"CUDA {versions.cuda}" if versions.cuda else "",
        f"converted from {info.converted.tool}" if info.converted else f"suite {info.suite.name}",
        f"run of {info.started[:10]}" if info.started else "",
        f"shflbench {versions.shflbench}",
    ]
    warning = (
        "" if noise is None or noise.quiet else f"{noise.verdict[:1].upper()}{noise.verdict[1:]}: {noise.sentence}."
    )
    return Caption(" · ".join(filter(None, parts_of_origin)), warning)


def untimed_notes(rows: Sequence[Row], most: int = 6) -> list[str]:
    """Return a sentence for each variant and reason for which cases have no time; at most `most`, then a count."""
    untimed = group_by((row for row in rows if row.time_us is None), lambda row: (row.variant, why_untimed(row)))
    notes = [f"No time for {variant}{_where(cases)}: {why}" for (variant, why), cases in untimed.items()]
    if len(notes) > most:
        notes[most:] = [f"… and {len(notes) - most} more, in results.csv"]
    return notes


def why_untimed(row: Row) -> str:
    """Return why the row has no time: `skipped: needs sm_80`."""
    return f"{row.status}: {row.reason}" if row.reason else f"{row.status}, not timed"


def _where(cases: Sequence[Row]) -> str:
    if len(cases) > 1:
        return f" in {len(cases)} cases"
    first = cases[0]
    return f" ({', '.join(filter(None, (first.dtype, first.launch, *first.option_texts)))})"
