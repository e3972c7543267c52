"""Every column of `results.csv` and `samples.csv.gz`, each defined once: name, type, unit and meaning.

The reference page of columns, the writer and the reader are derived from these definitions. A column of a new type
needs a line in `ROWS` of `rows.py`, which says how its values are read and written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from shflbench.core.model import Disturbance, Interval, Status

Options: TypeAlias = tuple[tuple[str, str], ...]  # names and values, as in `Case`
Counts: TypeAlias = Mapping[str, float]  # opcode → instructions per iteration
Disturbances: TypeAlias = Mapping[Disturbance, float]  # → its size

SCHEMA = 1  # of run.json and both tables; a reader refuses newer ones


def column(meaning: str, *, optional: bool = True, several: bool = False, timed: bool = False, former: str = "") -> Any:  # noqa: ANN401  (as in dataclasses)
    """Declare one column; an optional one is empty, never 0, where the value is unknown or where `several` are none.

    Only a `timed` case has the value: it is emptied where a case fails. `former` is the name of the column in files of
    older versions.
    """
    metadata = {"meaning": meaning, "former": former, "timed": timed}
    if not optional:
        return field(metadata=metadata)
    return field(default=() if several else None, metadata=metadata)


_ALONG_X = re.compile(r"([1-9]\d{0,9})x([1-9]\d{0,3})(?=,|$)", re.ASCII)  # a launch of one dimension


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case of `results.csv`."""

    case_id: str = column("stable readable name of the case", optional=False)
    pattern: str = column("communication pattern", optional=False)
    variant: str = column("one way to do the pattern: the name of a kernel", optional=False)
    mechanism: str = column("hardware or software that moves the values: smem, shfl, collective, …", optional=False)
    safe: bool = column("whether the memory model guarantees the result", optional=False)
    dtype: str = column("element type", optional=False)
    launch: str = column("launch expression as written in the suite", optional=False)
    grid: int | None = column("blocks; empty where the launch needs a device that is not known")
    block: int = column("threads per block", optional=False)
    iterations: int = column(
        "iterations of the kernel's timed loop; 1 for a kernel that makes one pass", optional=False
    )
    options: Options = column("the pattern's own options, `name=value` joined by `;`", optional=False)
    backend: str = column("what ran it: cuda, emulator or none; of a converted run, the tool", optional=False)
    arch: str = column("architecture it was compiled for", optional=False)
    status: Status = column(
        "timed, verified (not timed), compiled (neither), incorrect, failed or skipped", optional=False
    )
    reason: str | None = column(
        "why a case is incorrect, failed or skipped; of a timed case, what is wrong with its samples"
    )
    matched: int | None = column("input sets for which every output was right")
    inputs: int | None = column("input sets tried")
    reference: str | None = column("variant whose results are the trusted reference; empty where NumPy computes it")
    time_us: float | None = column("median time of one launch, µs", timed=True)
    time_low_us: float | None = column(
        "lower end of its 95% confidence interval, µs; empty where the times of a single round do not show it",
        timed=True,
    )
    time_high_us: float | None = column("upper end of its 95% confidence interval, µs", timed=True)
    samples: int | None = column("samples kept, each of `launches` launches", timed=True)
    dropped: int | None = column("samples dropped: the GPU was throttled, or waited for the host to launch")
    rounds: int | None = column("rounds kept; the interval treats each round as one observation", timed=True)
    launches: int | None = column(
        "launches per sample, back to back between one pair of events; the time is divided by it", timed=True
    )
    processes: tuple[int, ...] = column(
        "indices of the processes that took the samples, joined by `;`; of other tools: whose results contain the case",
        several=True,
        timed=True,
    )
    stopped_by: str | None = column("what ended sampling: precision, max_seconds or max_samples", timed=True)
    noise: Disturbances | None = column(
        "what is wrong with the samples, with its size as a fraction of the time, `drift=0.012` joined by `;`: drift, "
        "slow-episodes (rounds slower than the others), two-levels (bimodal samples), throttled (a fraction of the "
        "samples), nonlinear (the time does not grow linearly with the iterations; `bent` in older runs), processes "
        "(they disagree); quiet where nothing is wrong",
        timed=True,
    )
    ns_per_iteration: float | None = column(
        "slope of the fit of time over iterations, ns: without the launch overhead", timed=True
    )
    ns_per_iteration_low: float | None = column("lower end of its 95% interval, ns", timed=True)
    ns_per_iteration_high: float | None = column("upper end of its 95% interval, ns", timed=True)
    cycles_per_iteration: float | None = column("the slope in SM clock cycles, by the clock of the samples", timed=True)
    launch_overhead_us: float | None = column("intercept of the fit of time over iterations, µs", timed=True)
    baseline: str | None = column("variant that the speed-up refers to")
    speedup: float | None = column("time_us of the baseline divided by time_us of this case")
    speedup_low: float | None = column("lower end of its 95% interval, which covers the processes of the run only")
    speedup_high: float | None = column("upper end of its interval")
    joint_speedup_low: float | None = column(
        "of kernels of a file: lower end of the interval of the speed-up that decides which kernel is fastest; those "
        "of a group hold jointly, with an error of 1%, and include what processes differ by"
    )
    joint_speedup_high: float | None = column("upper end of this interval")
    gb_per_s: float | None = column(
        "bytes moved per second, GB/s (10^9 bytes); only of patterns that make one pass", timed=True
    )
    registers: int | None = column(
        "registers per thread; of kernels that follow one another, the largest, as in the next three columns"
    )
    shared_bytes: int | None = column("shared memory per block, static and dynamic, bytes")
    local_bytes: int | None = column("local memory per thread (stack frame), bytes")
    spill_bytes: int | None = column("spill stores and loads per thread, bytes")
    occupancy: float | None = column(
        "resident warps per SM as a fraction of the maximum, 0 to 1; empty for kernels that follow one another"
    )
    sass_per_iteration: Counts | None = column(
        "data-movement instructions (shuffles, votes, shared-memory accesses, …) per iteration in the SASS, "
        "`LDS=1;STS=1`"
    )
    sm_clock_mhz: float | None = column("SM clock measured on the device during the samples, MHz", timed=True)
    temperature_c: int | None = column("GPU temperature from NVML, °C", timed=True)
    power_w: float | None = column("board power from NVML, W", timed=True)
    throttle: tuple[str, ...] = column("NVML's reasons for a reduced clock, joined by `;`", several=True, timed=True)
    verified_launch: str | None = column(
        "grid and block that the case was verified with, `1056x256`; the emulator may use fewer blocks"
    )
    relative_tolerance: float | None = column(
        "allowed error of floating-point results, as a share of their magnitude or, where that is smaller, of the "
        "median magnitude of the buffer; empty if the pattern has another rule"
    )
    by_median: int | None = column(
        "results whose error only the median magnitude allows, of the input set with the most of them"
    )
    other_zeros: int | None = column("likewise zeros with another sign than that of the reference")
    not_compared: tuple[str, ...] = column("what verification left out, joined by `;`", several=True)
    shape: str | None = column(
        "the launches of a variant that has several, or a shape of its own: `66x512`, `132x128, 1x128`; empty: one of "
        "`grid` and `block`"
    )
    verified_iterations: tuple[int, ...] = column(
        "iteration counts that the case was verified with, joined by `;`", several=True
    )

    @property
    def option_texts(self) -> tuple[str, ...]:
        """Each option as `name=value`."""
        return tuple(f"{name}={value}" for name, value in self.options)

    @property
    def first_launch(self) -> tuple[int | None, int]:
        """Blocks and threads per block of the first launch, also of a variant with a shape of its own."""
        named = _ALONG_X.match(self.shape or "")
        return (int(named[1]), int(named[2])) if named else (self.grid, self.block)

    @property
    def time_interval(self) -> Interval | None:
        """The time of one launch with its interval, in µs; None without a time, or where its interval is unknown."""
        return _interval(self.time_us, self.time_low_us, self.time_high_us)

    @property
    def slope_interval(self) -> Interval | None:
        """The time per iteration with its interval, in ns; None without one, or where its interval is unknown."""
        return _interval(self.ns_per_iteration, self.ns_per_iteration_low, self.ns_per_iteration_high)


def _interval(value: float | None, low: float | None, high: float | None) -> Interval | None:
    return None if value is None or low is None or high is None else Interval(value, low, high)


SAMPLE_COLUMNS: Mapping[str, str] = {  # field of model.Sample → meaning, in file order
    "case_id": "the case",
    "process": "worker process, from 0",
    "round": "round of interleaved measuring, from 0",
    "sample": "index within its round",
    "iterations": "iterations of the timed loop in this launch",
    "launches": "launches that the time was divided by",
    "time_us": "time of one launch, µs",
    "sm_clock_mhz": "SM clock during the burst of the sample, measured on the device, MHz",
    "dropped": "whether the sample was dropped: the GPU was throttled, or waited for the host to launch",
    "seconds": "time from the first round of the process to the start of the sample's burst, s; empty in older runs",
}


def row_columns() -> dict[str, str]:
    """Return the columns of `results.csv` in file order, each with its meaning."""
    return {item.name: item.metadata["meaning"] for item in fields(Row)}
