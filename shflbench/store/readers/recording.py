"""The result of every reader: processes × cases × samples, and what the files say about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.model import Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.core.model import Device

    Floats: TypeAlias = NDArray[np.float64]


class BenchmarkTool(StrEnum):
    """What wrote the files."""

    NVBENCH = "nvbench"
    GOOGLE_BENCHMARK = "google-benchmark"
    PYTEST_BENCHMARK = "pytest-benchmark"
    HYPERFINE = "hyperfine"
    KERNEL_TUNER = "kernel-tuner"
    TRITON_REPORT = "triton-report"
    CSV = "csv"

    @property
    def label(self) -> str:
        """Its name in sentences."""
        return _LABELS[self]


_LABELS = {
    BenchmarkTool.NVBENCH: "NVBench",
    BenchmarkTool.GOOGLE_BENCHMARK: "Google Benchmark",
    BenchmarkTool.PYTEST_BENCHMARK: "pytest-benchmark",
    BenchmarkTool.HYPERFINE: "hyperfine",
    BenchmarkTool.KERNEL_TUNER: "Kernel Tuner",
    BenchmarkTool.TRITON_REPORT: "Triton's perf_report",
    BenchmarkTool.CSV: "plain CSV",
}


@dataclass(frozen=True, slots=True)
class TimeSummary:
    """What a file without samples says about the time of a case in one process."""

    time_us: float  # the median, or the mean if there is no median
    deviation_us: float | None = None  # standard deviation of a sample
    samples: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCase:
    """One case in one process."""

    status: Status = Status.TIMED  # timed, failed or skipped
    reason: str = ""  # why it failed or was skipped
    rounds: tuple[Floats, ...] = ()  # the times of each round, µs, in the order of measuring; empty without samples
    summary: TimeSummary | None = None  # of a timed case without samples
    executions: int = 1  # between two readings of the timer, of which a sample is the mean; the fewest of all samples
    clocks_mhz: Floats | None = None  # SM clock of each sample
    clock_mhz: float | None = None  # the median of these, or the mean that the tool recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedProcess:
    """One process of a tool."""

    file: Path  # that it wrote
    sha256: str  # of the file, followed by its binary samples
    cases: Mapping[str, RecordedCase]  # by name
    started: datetime | None = None  # UTC
    host: str | None = None
    device: Device | None = None
    version: str | None = None  # of the tool
    notes: tuple[str, ...] = ()  # remarks on the file, a sentence each


@dataclass(frozen=True, slots=True)
class Recording:
    """What several processes of one tool wrote."""

    tool: BenchmarkTool
    place: Path  # what the user named
    processes: tuple[RecordedProcess, ...] = field(repr=False)
