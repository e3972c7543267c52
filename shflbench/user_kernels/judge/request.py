"""The arguments of `shflbench.judge`: candidates, the reference, and how inputs and launches follow from sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from shflbench.checker import PythonKernel, python_kernel
from shflbench.core.model import MeasureRules
from shflbench.cuda_sources import CompileOptions
from shflbench.errors import UsageError
from shflbench.user_kernels.bench.request import require_names
from shflbench.user_kernels.judge.expectation import NOTHING_SAID, StartContents
from shflbench.user_kernels.judge.sizes import is_size_range
from shflbench.user_kernels.judge.user_calls import call_user, sizes_text

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.checker import Extent
    from shflbench.user_kernels.judge.sizes import SizeRange, Sizes

Value = TypeVar("Value")
BySizes: TypeAlias = "Value | Callable[..., Value]"  # a value, or a function of the sizes, by name
PerCandidate: TypeAlias = "BySizes[Value] | Mapping[str, BySizes[Value]] | None"
MakeInputs: TypeAlias = Callable[..., Sequence[object]]  # of a random generator, and of the sizes by name

REFERENCE = "reference"  # the name of the reference among the kernels
ONLY = "candidate"  # that of a candidate without one


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLaunches:
    """How the kernels are launched; a mapping has a value per candidate, and that of the reference."""

    grid: PerCandidate[Extent]
    block: PerCandidate[Extent]
    shared_bytes: PerCandidate[int] = None
    cluster: PerCandidate[Extent] = None

    def of(self, kernel: str, sizes: Sizes) -> JudgeLaunch:
        """Return the launch of a kernel; UsageError if it has no grid or no block."""
        grid, block = _value("grid", self.grid, kernel, sizes), _value("block", self.block, kernel, sizes)
        if grid is None or block is None:
            raise UsageError(
                f"`{kernel}` has no {'grid' if grid is None else 'block'}",
                "Pass grid=… and block=…: numbers, tuples, or functions of the sizes.",
            )
        shared_bytes = _value("shared_bytes", self.shared_bytes, kernel, sizes) or 0
        return JudgeLaunch(grid, block, shared_bytes, _value("cluster", self.cluster, kernel, sizes))


@dataclass(frozen=True, slots=True)
class JudgeLaunch:
    """The launch of a kernel at one size."""

    grid: Extent
    block: Extent
    shared_bytes: int = 0
    cluster: Extent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRules:
    """How long each part may take, and when results are equal."""

    tolerance: float | None = None  # relative, of floating-point results; None: the usual one of their type
    unordered: tuple[int, ...] = ()  # outputs whose elements may have any order, by position
    contents: StartContents = NOTHING_SAID
    vary: bool = True  # also other contents than those of the inputs
    special: bool = False  # also infinities and NaN
    stop_early: bool = False
    budget: float  # million instructions of the emulator per candidate
    time_limit: float  # seconds per candidate
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTiming:
    """Where and how candidates are timed."""

    device: str = "auto"
    gpu: int = 0
    arch: str | None = None
    l2: str = "warm"
    rules: MeasureRules = field(default_factory=MeasureRules)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """The arguments of `shflbench.judge`."""

    candidates: Mapping[str, object]  # as `bench` takes them
    reference: object  # likewise, or a function
    inputs: Sequence[object] | MakeInputs
    sizes: Mapping[str, SizeRange]
    outputs: tuple[int, ...]  # positions of the results; none: those that the reference writes
    launches: JudgeLaunches
    rules: JudgeRules
    timing: JudgeTiming
    compile: CompileOptions = field(default_factory=CompileOptions)
    failures: Path | None = None  # the folder that keeps inputs that show failures

    def __post_init__(self) -> None:
        """Raise UsageError for requests without candidates, or with names and sizes that cannot be."""
        if not self.candidates:
            raise UsageError("judge needs a candidate", 'Pass a kernel, or several by name: {"a": source}.')
        if REFERENCE in self.candidates:
            raise UsageError(f"a candidate is called `{REFERENCE}`", "Give it another name.")
        require_names(self.candidates)
        for name, allowed in self.sizes.items():
            if not is_size_range(name, allowed):
                raise UsageError(
                    f"sizes[{name!r}] is {allowed!r}",
                    "Pass the name of a size with a tuple of its least and its greatest value, or a list of all.",
                )

    @property
    def function(self) -> Callable[..., Any] | None:
        """The reference, if it is a function."""
        return self.reference if callable(self.reference) else None

    def kernel(self, name: str) -> PythonKernel:
        """Return a candidate, or the reference; UsageError for what is no kernel of CUDA C++."""
        return python_kernel(name, self.reference if name == REFERENCE else self.candidates[name])

    @property
    def kernels(self) -> list[str]:
        """The names of all kernels, that of a reference that is one first."""
        return [*([] if callable(self.reference) else [REFERENCE]), *self.candidates]


def named_candidates(candidates: object) -> Mapping[str, object]:
    """Return candidates by name; one without a name is `candidate`."""
    return candidates if isinstance(candidates, Mapping) else {ONLY: candidates}


def _value(option: str, given: object, kernel: str, sizes: Sizes) -> Any:  # noqa: ANN401  (of each kind of option)
    value = given.get(kernel) if isinstance(given, Mapping) else given
    if not callable(value):
        return value
    return call_user(value, f"`{option}` fails for {sizes_text(sizes)}: ", **sizes)
