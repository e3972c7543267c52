"""A run in a history: the time and the identity of each kernel, and of all around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import overload

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryKernel:
    """The identity of a kernel as it ran; None and empty texts are unknown."""

    code: str = ""  # hash of its machine code, with that of kernels that its case launches later
    source: str = ""  # hash of its unit, headers, options and name
    # Hash of the machine code that this compiler makes of the source of the run before, where both differ.
    recompiled: str = ""
    recompiled_of: str = ""  # `source` of that kernel; runs that are added later may come between
    unit: str = ""  # hash of its unit, headers and options: the name of a file in `sources/`
    expressions: tuple[str, ...] = ()  # its name in C++, and those of kernels that its case launches later
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
class CaseColumns(Sequence[HistoryCase]):
    """The cases of a run by column: a history has a million of them, and few readers need them one by one."""

    case: tuple[str, ...]
    status: tuple[str, ...]
    time_us: tuple[float | None, ...]
    error: tuple[float | None, ...]
    processes: tuple[int, ...]
    kernel: tuple[HistoryKernel, ...]

    @classmethod
    def of(cls, cases: Sequence[HistoryCase]) -> CaseColumns:
        """Return the columns of cases, which may be such columns already."""
        if isinstance(cases, CaseColumns):
            return cases
        return cls(**{item.name: tuple(getattr(case, item.name) for case in cases) for item in fields(cls)})

    @overload
    def __getitem__(self, place: int) -> HistoryCase: ...
    @overload
    def __getitem__(self, place: slice) -> CaseColumns: ...
    def __getitem__(self, place: int | slice) -> HistoryCase | CaseColumns:
        """Return one case, or the columns of several."""
        values = {item.name: getattr(self, item.name)[place] for item in fields(self)}
        return CaseColumns(**values) if isinstance(place, slice) else HistoryCase(**values)

    def __len__(self) -> int:
        """Return the number of cases."""
        return len(self.case)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMachine:
    """All that a time depends on besides the kernel, empty where it is unknown."""

    gpu: str = ""  # UUID
    gpu_name: str = ""
    arch: str = ""
    gpu_settings: str = ""  # that may change: clocks set for programs, power limit, ECC, MIG
    host: str = ""
    driver: str = ""
    compiler: str = ""  # version of NVRTC
    options: str = ""  # of the compiler, without folders
    cccl: str = ""
    method: str = ""  # how it was timed: version of shflbench, settings and sentinels
    noise: str = ""  # verdict on the run
    sentinels: tuple[tuple[str, float], ...] = ()  # name, mean of the fastest half in µs
    sentinel_version: str = ""

    @property
    def compiled_by(self) -> tuple[str, ...]:
        """All on which the machine code of a source depends, besides the architecture."""
        return self.compiler, self.options, self.cccl


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRun:
    """One run, as a file of the history keeps it."""

    suite: str
    suite_sha256: str
    started: str  # UTC, ISO 8601
    commit: str = ""  # of the repository that holds the suite, or as given
    is_dirty: bool = False
    machine: HistoryMachine
    cases: Sequence[HistoryCase]  # `CaseColumns` where a file was read
