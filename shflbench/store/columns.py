"""Every column of `results.csv` and `samples.csv.gz`, each defined once: name, type, unit and meaning.

The reference page of columns, the writer and the reader are all derived from these definitions. A column of a type that
no other has needs a line in `_KINDS` of `rows.py`, which says how its values are read and written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from shflbench.model import Disturbance, Status

Options: TypeAlias = tuple[tuple[str, str], ...]  # names and values, as in `Case`
Counts: TypeAlias = Mapping[str, float]  # opcode → instructions per iteration
Disturbances: TypeAlias = Mapping[Disturbance, float]  # → its size

SCHEMA = 1  # of run.json and both tables; a reader refuses newer ones


def column(meaning: str, *, optional: bool = True, several: bool = False) -> Any:  # noqa: ANN401  (as in dataclasses)
    """Declare one column; an optional one is empty where the value is unknown, never 0, or where `several` are none."""
    metadata = {"meaning": meaning}
    if not optional:
        return field(metadata=metadata)
    return field(default=() if several else None, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case of `results.csv`."""

    case_id: str = column("stable readable name of the case", optional=False)
    pattern: str = column("communication pattern", optional=False)
    variant: str = column("way of doing the pattern", optional=False)
    mechanism: str = column("family of the variant", optional=False)
    safe: bool = column("whether the memory model guarantees the result", optional=False)
    dtype: str = column("element type", optional=False)
    launch: str = column("launch expression as written in the suite", optional=False)
    grid: int | None = column("blocks; empty where the launch needs a device that is not known")
    block: int = column("threads a block", optional=False)
    iterations: int = column("trips of the kernel's inner loop", optional=False)
    options: Options = column("the pattern's own options, `name=value` joined by `;`", optional=False)
    backend: str = column("who ran it: cuda, emulator or none", optional=False)
    arch: str = column("architecture it was compiled for", optional=False)
    status: Status = column(
        "timed, verified (not timed), compiled (neither), incorrect, failed or skipped", optional=False
    )
    reason: str | None = column("why a case is incorrect, failed or skipped, or what a reader should know")
    matched: int | None = column("input sets whose every output was right")
    inputs: int | None = column("input sets tried")
    reference: str | None = column("variant whose results were taken for right; empty: the pattern's own reference")
    time_us: float | None = column("median time of one launch, µs")
    time_low_us: float | None = column("lower end of its 95 % interval, µs")
    time_high_us: float | None = column("upper end of its 95 % interval, µs")
    samples: int | None = column("samples kept, each of `launches` launches")
    dropped: int | None = column("samples dropped because the GPU was throttled, or overtook the host that launches")
    rounds: int | None = column("rounds kept: the independent units of the interval")
    launches: int | None = column("launches back to back that one sample brackets and is divided by")
    processes: tuple[int, ...] = column(
        "numbers of the worker processes that the samples are from, joined by `;`", several=True
    )
    stopped_by: str | None = column("what ended sampling: precision, max_seconds or max_samples")
    noise: Disturbances | None = column(
        "what is wrong with the samples, and how large it is as a fraction of the time, `drift=0.012` joined by `;`: "
        "drift, slow-episodes, two-levels, throttled (a fraction of the samples), nonlinear (the times at the "
        "iteration counts lie on no line), processes (they disagree); quiet if nothing is"
    )
    ns_per_iteration: float | None = column("slope of time over iterations, ns: free of launch overhead")
    ns_per_iteration_low: float | None = column("lower end of its 95 % interval, ns")
    ns_per_iteration_high: float | None = column("upper end of its 95 % interval, ns")
    cycles_per_iteration: float | None = column("the slope in SM clock cycles, by the clock of the samples")
    launch_overhead_us: float | None = column("the slope line's value at no iterations, µs")
    baseline: str | None = column("variant that the speed-up refers to")
    speedup: float | None = column("time_us of the baseline divided by time_us of this case")
    speedup_low: float | None = column("lower end of its interval")
    speedup_high: float | None = column("upper end of its interval")
    gb_per_s: float | None = column("bytes moved a second, 10^9 bytes; only for one-pass patterns")
    registers: int | None = column("registers a thread")
    shared_bytes: int | None = column("shared memory a block, static and dynamic, bytes")
    local_bytes: int | None = column("local memory a thread (stack frame), bytes")
    spill_bytes: int | None = column("spill stores and loads a thread, bytes")
    occupancy: float | None = column("resident warps over the most an SM can hold, 0 to 1")
    sass_per_iteration: Counts | None = column("exchange instructions a trip found in the SASS, `LDS=1;STS=1`")
    sm_clock_mhz: float | None = column("SM clock measured on the device during the samples, MHz")
    temperature_c: int | None = column("GPU temperature by NVML, °C")
    power_w: float | None = column("board power by NVML, W")
    throttle: tuple[str, ...] = column("clock event reasons that slow the GPU down, joined by `;`", several=True)
    verified_launch: str | None = column("launch at which the case was verified")
    verified_iterations: tuple[int, ...] = column("iteration counts it was verified with, joined by `;`", several=True)

    @property
    def option_texts(self) -> tuple[str, ...]:
        """Each of its options as `name=value`."""
        return tuple(f"{name}={value}" for name, value in self.options)


SAMPLE_COLUMNS: Mapping[str, str] = {  # field of model.Sample → meaning, in file order
    "case_id": "the case",
    "process": "worker process, from 0",
    "round": "round of interleaved measuring, from 0",
    "sample": "index within its round",
    "iterations": "trips of the inner loop in this launch",
    "launches": "launches that the time was divided by",
    "time_us": "time of one launch, µs",
    "sm_clock_mhz": "SM clock measured on the device around this sample's burst, MHz",
    "dropped": "whether it was taken while the GPU was throttled, or too late: the GPU overtook the host",
    "seconds": "from the first round of the process to the begin of the sample's burst, s; empty in older runs",
}


def row_columns() -> dict[str, str]:
    """Return the columns of `results.csv` in file order, each with its meaning."""
    return {item.name: item.metadata["meaning"] for item in fields(Row)}
