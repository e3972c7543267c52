"""The frozen dataclasses that the stages pass to one another (standard library only)."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (kernels travel to worker processes: their types are read there)
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path  # noqa: TC003

from shflbench.thresholds import Thresholds

WARP = 32  # threads a warp, on every GPU that CUDA has run on
MAX_BLOCK = 1024  # threads a block, on every GPU since Fermi
SENTINEL = "sentinel"  # where a case's id has its pattern, the id of a sentinel has this


class Status(StrEnum):
    """What became of a case."""

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
    COLLECTIVE = "collective"
    ATOMIC = "atomic"
    GLOBAL = "global"
    LOCAL = "local"
    REGISTER = "register"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Dtype:
    """An element type: its name here, in CUDA C++ and in NumPy, and the bytes of one element."""

    name: str
    cuda: str
    numpy: str  # of one component; `bfloat16` is known to NumPy once ml_dtypes is imported
    size: int
    components: int = 1  # numbers in one element: float4 has four
    header: str = ""  # of CUDA, that defines the type

    @property
    def words(self) -> int:
        """How many 32-bit words one element takes, the unit of a shuffle."""
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

    expression: str  # canonical, e.g. "26x1024" or "2*sms x 256"
    block: int  # threads a block
    grid: int | None  # blocks; None while it depends on an unknown device


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

    precision: float = 0.005  # half-width of the 95 % interval of the median, as a fraction of it
    # Over which a case's rounds are spread, at least: slow states of a GPU last up to 0.1 s.
    min_seconds: float = 1.0
    max_seconds: float = 2.0  # seconds of sampling a case, at most
    min_samples: int = 27  # timed launches a case, at least
    max_samples: int = 2500
    processes: int = 1  # fresh worker processes a case
    timeout: float = 60.0  # seconds without a sign of life after which a worker process is killed


@dataclass(frozen=True, slots=True)
class Overrides:
    """Keep only these patterns, variants and dtypes; run at these launches and iterations. Empty changes nothing."""

    patterns: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    launches: tuple[str, ...] = ()
    iterations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A validated suite file: what to run, how to measure it, and the text it came from."""

    name: str
    title: str
    path: Path
    text: str  # verbatim, for provenance
    cases: tuple[Case, ...]  # in the order of the file; grids None where the device decides
    rules: MeasureRules
    pattern_folders: Mapping[str, Path]  # pattern name → its folder, for every pattern in `cases`
    thresholds: Thresholds = field(default_factory=Thresholds)  # for comparing its runs; no measurement depends on them


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel occupies, by the compiler's own report."""

    registers: int  # a thread
    shared_bytes: int  # a block, static part
    local_bytes: int  # a thread, stack frame
    spill_bytes: int  # a thread, stores and loads together


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction: byte address, predicate (`@!P0` or empty), opcode with modifiers, operands."""

    address: int
    predicate: str
    opcode: str
    operands: tuple[str, ...]

    @property
    def base(self) -> str:
        """The opcode without modifiers: `SHFL` for `SHFL.IDX`."""
        return self.opcode.split(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Loop:
    """The timed loop as found in the SASS."""

    start: int  # address of its first instruction
    end: int  # address of its last instruction
    trips: int  # iterations of the source loop in one pass through the body: the unroll factor
    counts: Mapping[str, int]  # base opcode → instructions in the body, all `trips` together


@dataclass(frozen=True, slots=True)
class Kernel:
    """One compiled variant for one architecture."""

    symbol: str  # the mangled name to load
    arch: str  # e.g. "sm_90"
    ptx: str
    cubin: bytes = field(repr=False)
    resources: Resources
    sass: tuple[Instruction, ...] | None = field(repr=False)  # None where no disassembler reads `arch`
    loop: Loop | None  # None without SASS, or where the pattern declares no iterations
    violations: tuple[str, ...]  # what breaks the pattern's promises; empty for an honest kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceState:
    """How a GPU is set up, and who else is on it, when a run starts; None where nobody says."""

    pci_bus: str | None = None  # domain:bus:device.function, e.g. "00000000:5d:00.0"
    l2_bytes: int | None = None
    max_memory_clock_mhz: int | None = None
    application_clock_mhz: int | None = None  # SM clock that programs are to run at; the owner may have lowered it
    application_memory_clock_mhz: int | None = None
    ecc: bool | None = None
    mig: bool | None = None  # whether the GPU is cut into instances
    persistence: bool | None = None  # whether the driver stays loaded while nobody uses the GPU
    compute_mode: str | None = None  # default, exclusive-process or prohibited
    power_limit_w: float | None = None  # the lowest of those in force
    memory_used_bytes: int | None = None
    other_processes: int | None = None  # that compute on it, as far as this process is shown them


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU as the driver describes it."""

    name: str
    uuid: str
    arch: str
    sms: int
    max_shared_bytes: int  # a block, opt-in
    memory_bytes: int
    clock_mhz: int  # the highest SM clock the driver offers
    driver: str
    cuda: str  # the newest CUDA version the driver supports
    index: int = 0
    threads_per_sm: int = 0  # resident at once, 0 if unknown
    state: DeviceState = DeviceState()


@dataclass(frozen=True, slots=True)
class Proof:
    """What verification found for one case."""

    matched: int  # input sets whose every output was right
    inputs: int  # input sets tried
    iterations: tuple[int, ...]  # iteration counts that each input set was run with
    launch: str  # the launch it was run at, e.g. "26x1024"
    mismatch: str = ""  # the first wrong value, in words; empty when all matched

    @property
    def complete(self) -> bool:
        """Whether every input set matched."""
        return self.matched == self.inputs


def is_sentinel(case_id: str) -> bool:
    """Whether it is the id of a sentinel, whose samples stand among those of the cases."""
    return case_id.partition("/")[0] == SENTINEL


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed launch."""

    case_id: str
    process: int
    round: int
    sample: int  # index within its round
    iterations: int
    launches: int  # launches that the time was divided by
    time_us: float
    sm_clock_mhz: float | None  # measured on the device around this sample's burst
    dropped: bool  # taken while the GPU was throttled
    seconds: float | None = None  # from the first round of its process to the begin of its burst

    @property
    def is_sentinel(self) -> bool:
        """Whether a sentinel was timed, and no case."""
        return is_sentinel(self.case_id)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval's width, as a fraction of the value."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else float("inf")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The GPU's state around one round, by NVML; None where NVML does not say."""

    sm_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttle: tuple[str, ...] = ()  # reasons that slow the clock down; empty when there is none


@dataclass(frozen=True, slots=True)
class Timing:
    """What sampling one case gave."""

    time_us: Interval  # one launch at the case's iterations
    ns_per_iteration: Interval | None  # slope over iteration counts; None for one-pass patterns
    launch_overhead_us: float | None  # the slope line's value at no iterations
    sm_clock_mhz: float | None
    samples: int  # kept, at the case's iterations
    dropped: int
    rounds: int  # kept
    launches: int  # that each sample brackets
    processes: tuple[int, ...]  # numbers of the worker processes that the samples are from
    troubles: tuple[Trouble, ...] = ()


class Disturbance(StrEnum):
    """What can be wrong with the samples of a case."""

    DRIFT = "drift"  # its time moves steadily one way
    SLOW_EPISODES = "slow-episodes"  # some rounds are slower than the others
    TWO_LEVELS = "two-levels"  # its samples gather around two times
    THROTTLED = "throttled"  # samples were dropped
    NONLINEAR = "nonlinear"  # its times at the iteration counts do not lie on a line
    PROCESSES = "processes"  # its worker processes disagree


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong with the samples of a case: how large, and what to do about it."""

    kind: Disturbance
    size: float  # as a fraction of the time; of THROTTLED, of the samples
    sentence: str
    advice: str


QUIET = "quiet"  # as the verdict on a run, and in the column `noise`: nothing disturbed it


@dataclass(frozen=True, slots=True)
class Noise:
    """How quiet a machine was, the evidence in a sentence, and what to do about it (empty where it was quiet)."""

    verdict: str
    sentence: str
    advice: str

    @property
    def quiet(self) -> bool:
        """Whether nothing disturbed it."""
        return self.verdict == QUIET
