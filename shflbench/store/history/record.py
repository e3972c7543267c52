"""One run in a history: the time and the identity of each kernel, and all around it."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryKernel:
    """The identity of a kernel as it ran; None and empty texts are unknown."""

    code: str = ""  # hash of its machine code, with that of kernels that its case launches later
    source: str = ""  # hash of its unit, headers and name: `kernel_revision`
    # Hash of the machine code that this compiler makes of the source of the run before, where both differ.
    recompiled: str = ""
    registers: int | None = None
    shared_bytes: int | None = None
    local_bytes: int | None = None
    spill_bytes: int | None = None
    launch: str = ""  # as resolved: `1056x256`


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCase:
    """One case of a run."""

    case: str  # id
    status: str  # value of `Status`
    time_us: float | None = None  # mean of the fastest half over the processes
    # Standard error of that as a fraction: of the differences between processes, or of one process by its rounds.
    error: float | None = None
    processes: int = 0
    kernel: HistoryKernel


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMachine:
    """All that a time depends on besides the kernel, empty where it is unknown."""

    gpu: str = ""  # UUID
    gpu_name: str = ""
    arch: str = ""
    host: str = ""
    driver: str = ""
    compiler: str = ""  # version of NVRTC
    options: str = ""  # of the compiler, without folders
    cccl: str = ""
    method: str = ""  # how it was timed: version of shflbench, settings and sentinels
    noise: str = ""  # verdict on the run
    sentinels: tuple[tuple[str, float], ...] = ()  # name, mean of the fastest half in µs


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRun:
    """One run, as a file of the history keeps it."""

    suite: str
    suite_sha256: str
    started: str  # UTC, ISO 8601
    commit: str = ""  # of the repository that holds the suite, or as given
    is_dirty: bool = False
    machine: HistoryMachine
    cases: tuple[HistoryCase, ...]
