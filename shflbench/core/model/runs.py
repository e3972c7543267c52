"""Suites, cases, devices, samples and times: what a run is about (standard library only)."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (kernels travel to worker processes: their types are read there)
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from operator import attrgetter
from pathlib import Path  # noqa: TC003

from shflbench.core.claims.claim import Claim  # noqa: TC001  (likewise)
from shflbench.core.dimensions import LaunchDims  # noqa: TC001  (likewise)
from shflbench.core.thresholds import Thresholds

WARP = 32  # threads per warp, on every GPU with CUDA
MAX_BLOCK = 1024  # threads per block, on every GPU since Fermi
SENTINEL = "sentinel"  # in the id of a sentinel, in place of the pattern


class Status(StrEnum):
    """The final status of a case."""

    TIMED = "timed"
    VERIFIED = "verified"
    COMPILED = "compiled"
    INCORRECT = "incorrect"
    FAILED = "failed"
    SKIPPED = "skipped"


class Mechanism(StrEnum):
    """The family of hardware or software that moves the values."""

    SMEM = "smem"
    SMEM_UNSAFE = "smem-unsafe"
    SHFL = "shfl"
    HYBRID = "hybrid"
    COLLECTIVE = "collective"
    ATOMIC = "atomic"
    GLOBAL = "global"
    LOCAL = "local"
    REGISTER = "register"
    MATRIX = "matrix"
    ASYNC = "async"
    CLUSTER = "cluster"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Dtype:
    """An element type: its name in shflbench, in CUDA C++ and in NumPy, and the bytes per element."""

    name: str
    cuda: str
    numpy: str  # of one component; NumPy knows `bfloat16` if ml_dtypes is imported
    size: int
    components: int = 1  # numbers per element: float4 has four
    header: str = ""  # the CUDA header that defines the type

    @property
    def words(self) -> int:
        """The number of 32-bit words per element, the unit of a shuffle."""
        return max(1, self.size // 4)

    @property
    def floating(self) -> bool:
        """Whether its numbers are floating point."""
        return "float" in self.numpy


DTYPES: Mapping[str, Dtype] = {
    dtype.name: dtype
    for dtype in (
        Dtype("f16", "__half", "float16", 2, header="cuda_fp16.h"),
        Dtype("bf16", "__nv_bfloat16", "bfloat16", 2, header="cuda_bf16.h"),
        Dtype("f16x2", "__half2", "float16", 4, components=2, header="cuda_fp16.h"),
        Dtype("bf16x2", "__nv_bfloat162", "bfloat16", 4, components=2, header="cuda_bf16.h"),
        Dtype("f32", "float", "float32", 4),
        Dtype("f64", "double", "float64", 8),
        Dtype("i8", "signed char", "int8", 1),
        Dtype("i16", "short", "int16", 2),
        Dtype("i32", "int", "int32", 4),
        Dtype("i64", "long long", "int64", 8),
        Dtype("f32x2", "float2", "float32", 8, components=2),
        Dtype("f32x4", "float4", "float32", 16, components=4),
    )
}


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch shape: the expression as the user wrote it, and the grid once the device is known."""

    expression: str  # canonical, e.g. "26x1024", "2*sms x 256" or "8x8:16x16"
    block: int  # threads per block
    grid: int | None  # blocks; None while it depends on an unknown device
    dims: LaunchDims | None = None  # None: all blocks and threads along x


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the results: pattern, variant, dtype, launch, iterations and options."""

    pattern: str
    variant: str
    dtype: str
    launch: Launch
    iterations: int
    options: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """The stable readable name, e.g. `neighbor/shfl/f32/26x1024/4096`."""
        return "/".join((self.pattern, self.variant, *self._rest))

    @property
    def group(self) -> str:
        """The name of the cases that differ in variant only, e.g. `neighbor/f32/26x1024/4096`."""
        return "/".join((self.pattern, *self._rest))

    @property
    def _rest(self) -> tuple[str, ...]:
        options = (f"{name}={value}" for name, value in self.options)
        return (self.dtype, self.launch.expression, str(self.iterations), *options)


@dataclass(frozen=True, slots=True)
class MeasureRules:
    """How long to measure a case: until its interval is within `precision`, inside these limits."""

    precision: float = 0.005  # half-width of the 95% interval of the median, as a fraction of the median
    min_seconds: float = 1.0  # from the first to the last round of a case: slow states of a GPU last up to 0.1 s
    max_seconds: float = 2.0  # of sampling per case
    min_samples: int = 27  # per case
    max_samples: int = 2500  # per case
    processes: int = 1  # fresh worker processes per case
    places: int = 1  # contexts in which a process opens each kernel at most; its rounds use them in turn
    timeout: float = 60.0  # seconds without an event after which a worker process is killed

    def changed(
        self, precision: float | None = None, max_seconds: float | None = None, processes: int | None = None
    ) -> MeasureRules:
        """Return the rules with what the user gives."""
        return replace(
            self,
            precision=self.precision if precision is None else precision,
            max_seconds=self.max_seconds if max_seconds is None else max_seconds,
            processes=self.processes if processes is None else processes,
        )


@dataclass(frozen=True, slots=True)
class Overrides:
    """Keep only these patterns, variants and dtypes, and use these launches and iterations; empty changes nothing."""

    patterns: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    iterations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A validated suite file: the cases, how to measure them, and the text of the file."""

    name: str
    title: str
    path: Path
    text: str  # verbatim, for provenance
    cases: tuple[Case, ...]  # in the order of the file; a grid is None if it depends on the device
    rules: MeasureRules
    pattern_folders: Mapping[str, Path]  # pattern name → its folder, for every pattern in `cases`
    thresholds: Thresholds = field(default_factory=Thresholds)  # for comparisons only; measurements ignore them
    claims: tuple[Claim, ...] = ()  # likewise
    charts: tuple[str, ...] = ()  # likewise: names of those that answer its questions


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceState:
    """The configuration and load of a GPU when a run starts; None where unknown."""

    pci_bus: str | None = None  # domain:bus:device.function, e.g. "00000000:5d:00.0"
    l2_bytes: int | None = None
    max_memory_clock_mhz: int | None = None
    memory_bus_bits: int | None = None
    application_clock_mhz: int | None = None  # the configured SM clock for programs, which may be lowered
    application_memory_clock_mhz: int | None = None
    ecc: bool | None = None
    mig: bool | None = None  # whether the GPU is divided into instances
    persistence: bool | None = None  # whether the driver stays loaded while no process uses the GPU
    compute_mode: str | None = None  # default, exclusive-process or prohibited
    power_limit_w: float | None = None  # the lowest of those in force
    memory_used_bytes: int | None = None
    other_processes: int | None = None  # other processes on the GPU that are visible to this one


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU as the driver describes it."""

    name: str
    uuid: str
    arch: str
    sms: int
    max_shared_bytes: int  # per block, opt-in
    memory_bytes: int
    clock_mhz: int  # the highest SM clock the driver offers
    driver: str
    cuda: str  # the newest CUDA version the driver supports
    index: int = 0
    threads_per_sm: int = 0  # resident at once, 0 if unknown
    state: DeviceState = DeviceState()


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of verifying one case."""

    matched: int  # input sets with correct outputs
    inputs: int  # input sets
    iterations: tuple[int, ...]  # iteration counts at which each input set was run
    launch: str  # at which they were run, e.g. "26x1024"; the emulator uses fewer blocks for large cases
    mismatch: str = ""  # the first wrong value, in words; empty if all inputs matched
    written_bytes: int = 0  # that a timed launch changes in its outputs, at least; only of kernels of a file
    relative_tolerance: float = 0.0  # allowed error of floating-point results; 0 if it is not relative
    by_median: int = 0  # elements whose error only the median magnitude allows, of the input set with the most of them
    other_zeros: int = 0  # likewise zeros with another sign than that of the reference
    not_compared: tuple[str, ...] = ()  # what was left out, as noun phrases

    @property
    def complete(self) -> bool:
        """Whether every input set matched."""
        return self.matched == self.inputs


def is_sentinel(case_id: str) -> bool:
    """Whether `case_id` is the id of a sentinel; their samples are stored with those of the cases."""
    return case_id.partition("/")[0] == SENTINEL


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed launch."""

    case_id: str
    process: int
    round: int
    sample: int  # index within its round
    iterations: int
    launches: int  # launches between the two events, by which the time was divided
    time_us: float
    sm_clock_mhz: float | None  # measured on the device around this sample's burst
    dropped: bool  # taken while the GPU was throttled, or launched too late by the host
    seconds: float | None = None  # from the first round of its process to the start of its burst

    @property
    def is_sentinel(self) -> bool:
        """Whether it is a sample of a sentinel and not of a case."""
        return is_sentinel(self.case_id)

    def __reduce__(self) -> tuple[type[Sample], tuple[object, ...]]:
        """Pickle the values alone: what dataclasses with slots do by default takes twice as long to read."""
        return Sample, _SAMPLE_VALUES(self)


_SAMPLE_VALUES = attrgetter(*(item.name for item in fields(Sample)))


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95% interval; without ends, from -inf to inf, where the uncertainty is unknown."""

    value: float
    low: float
    high: float

    @classmethod
    def unknown(cls, value: float) -> Interval:
        """Return a value whose uncertainty nobody measured."""
        return cls(value, float("-inf"), float("inf"))

    @property
    def is_known(self) -> bool:
        """Whether the interval has ends."""
        return float("-inf") < self.low <= self.high < float("inf")

    @property
    def half_width(self) -> float:
        """Half the width of the interval, as a fraction of the value."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else float("inf")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The GPU's state around one round, from NVML; None where NVML does not report it."""

    sm_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttle: tuple[str, ...] = ()  # reasons for a reduced clock; empty if there are none


@dataclass(frozen=True, slots=True)
class Timing:
    """The estimate from the samples of one case."""

    time_us: Interval  # of one launch at the case's iterations
    ns_per_iteration: Interval | None  # slope over iteration counts; None for patterns of one pass
    launch_overhead_us: float | None  # the intercept of that line
    sm_clock_mhz: float | None
    samples: int  # kept, at the case's iterations
    dropped: int
    rounds: int  # kept
    launches: int  # per sample
    processes: tuple[int, ...]  # indices of the worker processes that took the samples
    troubles: tuple[Trouble, ...] = ()


class Disturbance(StrEnum):
    """A kind of disturbance in the samples of a case."""

    DRIFT = "drift"  # the time moves steadily in one direction
    SLOW_EPISODES = "slow-episodes"  # some rounds are slower than the others
    TWO_LEVELS = "two-levels"  # the samples cluster around two times
    THROTTLED = "throttled"  # samples were dropped
    NONLINEAR = "nonlinear"  # the times at the iteration counts are not on a line
    PROCESSES = "processes"  # the worker processes disagree


@dataclass(frozen=True, slots=True)
class Trouble:
    """One disturbance in the samples of a case: its kind and size, and what to do."""

    kind: Disturbance
    size: float  # as a fraction of the time; of THROTTLED, of the samples
    sentence: str
    advice: str


QUIET = "quiet"  # the verdict on a run, and the value of the column `noise`, if no disturbance was detected


@dataclass(frozen=True, slots=True)
class Noise:
    """The verdict on a machine, its evidence in one sentence, and what to do (empty if it was quiet)."""

    verdict: str
    sentence: str
    advice: str

    @property
    def quiet(self) -> bool:
        """Whether no disturbance was detected."""
        return self.verdict == QUIET
