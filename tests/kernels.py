"""Every kernel that shflbench ships, compiled file by file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from shflbench.backends.emulator.backend import EmulatorBackend
from shflbench.check import find
from shflbench.compile import toolchain
from shflbench.compile.build import Builder, machine_code
from shflbench.compile.nvrtc import ptx_by_kernel
from shflbench.compile.source import Source, translation_unit
from shflbench.measure.workload import Workload, call_of
from shflbench.model import DTYPES, Launch, Mechanism
from shflbench.patterns.discover import builtin
from tests import cases
from tests.backends.emulator.archive import digest, digests, ptx

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.backends.base import KernelCall
    from shflbench.backends.emulator.backend import EmulatedKernel
    from shflbench.backends.emulator.machine.launch import EmulatedLaunch
    from shflbench.check import KernelSubject
    from shflbench.model import Kernel
    from shflbench.patterns.declare import Variant

DTYPES_FIRST = ("f32", "i32")

tools = cache(toolchain.find)


@cache
def subjects() -> Mapping[str, KernelSubject]:
    """Return every kernel by its name, e.g. `scan/shfl/f32/width=32`: all dtypes, and each option's values in turn."""
    return {subject.name: subject for subject in find(list(builtin()))}


def variant_of(name: str) -> Variant:
    subject = subjects()[name]
    return subject.pattern.declaration.variant(subject.case.variant)


@cache
def with_every_dtype() -> list[str]:
    """Return each variant in each dtype, with the first options that it has."""
    found: dict[tuple[str, str, str], str] = {}
    for name, item in subjects().items():
        found.setdefault((item.case.pattern, item.case.variant, item.case.dtype), name)
    return list(found.values())


@cache
def with_one_dtype() -> list[str]:
    """Return each variant once: in f32, else i32, else the first dtype that it has."""
    found: dict[tuple[str, str], str] = {}
    for name in sorted(with_every_dtype(), key=_rank):
        case = subjects()[name].case
        found.setdefault((case.pattern, case.variant), name)
    return [name for name in with_every_dtype() if name in found.values()]


def checked_by_tests() -> list[str]:
    """Return the kernels that every run of the tests checks under all schedules; `make test-archs` checks all."""
    return [name for name in with_one_dtype() if name.startswith(("neighbor/", "reduce/"))]


def with_every_option() -> list[str]:
    """Return each variant with each value of each option, in one dtype."""
    cases = [subjects()[name].case for name in with_one_dtype()]
    chosen = {(case.pattern, case.variant, case.dtype) for case in cases}
    return [
        name for name, item in subjects().items() if (item.case.pattern, item.case.variant, item.case.dtype) in chosen
    ]


def run_by_tests() -> list[str]:
    """Return what every run of the tests compiles and emulates: each dtype, and each option's values in one dtype."""
    wanted = {*with_every_dtype(), *with_every_option()}
    return [name for name in subjects() if name in wanted]


def _rank(name: str) -> int:
    dtype = subjects()[name].case.dtype
    return DTYPES_FIRST.index(dtype) if dtype in DTYPES_FIRST else len(DTYPES_FIRST)


@dataclass(frozen=True, slots=True)
class Unit:
    """The kernels that one translation unit holds."""

    source: Source
    names: tuple[str, ...]

    @property
    def slow(self) -> bool:
        """Whether it includes CUB or cooperative groups, which take the compiler seconds."""
        return any(variant_of(name).mechanism is Mechanism.LIBRARY for name in self.names)


def units(names: Iterable[str], arch: str = "sm_90") -> list[Unit]:
    """Return the translation units of the kernels among `names` that `arch` has."""
    found: dict[object, list[str]] = {}
    for name in names:
        if not variant_of(name).unsupported_reason(arch):
            found.setdefault(source_of(name).unit, []).append(name)
    return [Unit(source_of(group[0]), tuple(group)) for group in found.values()]


def source_of(name: str) -> Source:
    """Return a kernel's translation unit."""
    subject = subjects()[name]
    return translation_unit(subject.pattern, variant_of(name), DTYPES[subject.case.dtype], subject.case.options)


def build(names: Sequence[str], arch: str = "sm_90", *, disassembled: bool = True) -> dict[str, Kernel]:
    """Compile the kernels of one unit; KernelError if one of them does not compile."""
    compiler = tools() if disassembled else replace(tools(), nvdisasm=None)
    builder = Builder(compiler, arch, None)
    requests = [builder.request(subjects()[name].pattern, subjects()[name].case) for name in names]
    code = machine_code([request.source for request in requests], arch, compiler)
    return {name: builder.finish(request, made) for name, request, made in zip(names, requests, code, strict=True)}


@cache
def kernel(name: str) -> Kernel:
    """Return one kernel for sm_90, whose machine code nobody has looked at."""
    (unit,) = units([name])
    return archived(name) if committed(name) else build(unit.names, disassembled=False)[name]


def committed(name: str, arch: str = "sm_90") -> bool:
    """Whether there is PTX of a kernel as it is now."""
    return digests().get(f"{arch}/{name}") == digest(source_of(name))


def archived(name: str, arch: str = "sm_90") -> Kernel:
    """Return a kernel from its committed PTX."""
    text = ptx(f"{arch}/{name}")
    (symbol,) = ptx_by_kernel(text)
    return cases.kernel(symbol, text, arch)


def call(name: str, kernel: Kernel, shape: str = "") -> tuple[KernelCall, Workload]:
    """Return how a kernel is launched, and the workload that knows what must come out.

    `shape` is the launch, by default that of `shflbench check`.
    """
    case = subjects()[name].case
    if shape:
        grid, block = map(int, shape.split("x"))
        case = replace(case, launch=Launch(shape, block, grid))
    pattern = subjects()[name].pattern
    workload = Workload.of(pattern, case, case.launch.grid or 0, seed=1)
    return call_of(pattern, case, kernel, workload.setting), workload


def opened(name: str, kernel: Kernel, shape: str = "") -> tuple[EmulatedKernel, Workload]:
    """Return a kernel in the emulator, and the workload that knows what must come out."""
    called, workload = call(name, kernel, shape)
    return EmulatorBackend(kernel.arch).open(called), workload


def launch(name: str, kernel: Kernel, iterations: int, shape: str = "") -> tuple[EmulatedLaunch, Workload]:
    """Return a launch on input set 0, and the workload that knows what must come out."""
    emulated, workload = opened(name, kernel, shape)
    return emulated.launch(workload.inputs(0), iterations), workload
