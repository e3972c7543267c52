"""Every kernel that shflbench ships, compiled file by file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from shflbench.core.model import Kernel, Launch, Mechanism
from shflbench.cuda.backends.base import KernelCall
from shflbench.cuda.backends.emulator import EmulatedKernel, EmulatorBackend
from shflbench.cuda.compile import toolchain
from shflbench.cuda.compile.build import Builder, BuildRequest, MachineCode, machine_code
from shflbench.cuda.compile.nvrtc import ptx_by_kernel
from shflbench.cuda.compile.source import Source, translation_unit
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.errors import CompileError, KernelError
from shflbench.kernel_facts.pattern_checks.kernels import check_all
from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject, find
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.declare import Variant
from shflbench.patterns.discover import LoadedPattern, builtin
from tests import cases
from tests.emulator.archive import digest, digests, ptx
from tests.precompiled import headers_of, precompiled_headers

# Kernels are addressed by all of their inputs, so they can be kept from one run of the tests to the next.
CACHE = Path(__file__).parents[1] / ".pytest_cache" / "kernels"
REFERENCE_ARCH = "sm_90"
OLDER_ARCHS, NEWER_ARCHS = ("sm_75", "sm_80", "sm_86"), ("sm_100", "sm_120")
ARCHS = (*OLDER_ARCHS, REFERENCE_ARCH, *NEWER_ARCHS)
OTHER_ARCHS = (*OLDER_ARCHS, *NEWER_ARCHS)
DTYPES_FIRST = ("f32", "i32")
CHECKED = ("neighbor/", "reduce/")
EVERY_DTYPE = ("neighbor/", "reduce/shfl/", "reduce/smem")  # other kernels have one dtype outside of `make test-archs`

tools = cache(toolchain.find)


@cache
def subjects() -> Mapping[str, KernelSubject]:
    """Return every kernel by its name, e.g. `scan/shfl/f32/width=32`: all dtypes, and each option's values in turn."""
    return {subject.name: subject for subject in find(list(builtin()))}


@cache
def patterns() -> Mapping[str, LoadedPattern]:
    """Return the patterns that come with shflbench, by name, each loaded once for all tests."""
    return {item.case.pattern: item.pattern for item in subjects().values()}


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
    """Return the kernels that are compared with their recorded races; `make test-archs` checks all kernels."""
    return [name for name in with_one_dtype() if name.startswith(CHECKED)]


def with_every_option() -> list[str]:
    """Return each variant with each value of each option, in one dtype."""
    cases = [subjects()[name].case for name in with_one_dtype()]
    chosen = {(case.pattern, case.variant, case.dtype) for case in cases}
    return [
        name for name, item in subjects().items() if (item.case.pattern, item.case.variant, item.case.dtype) in chosen
    ]


@cache
def run_by_tests() -> list[str]:
    """Return the kernels that the tests compile and emulate: each dtype; each option in one dtype."""
    wanted = {*with_every_dtype(), *with_every_option()}
    return [name for name in subjects() if name in wanted]


@cache
def on_arch(arch: str, *, every: bool) -> frozenset[str]:
    """Return the kernels that the slow tests compile for an architecture.

    For sm_90, all of them if `every`, else each dtype and every third of the other kernels of `run_by_tests`.
    For each other architecture, they are each variant in each dtype, or in one dtype in turn, with its first options;
    in turn, those of half of the patterns.
    Each other option is compiled for one of the older architectures and for one of the newer ones in turn, or for one
    of them all; of libraries, whose headers take seconds for each option, for sm_90 only. For sm_86, whose instructions
    are those of sm_80, no library is compiled.
    """
    if arch == REFERENCE_ARCH:
        known = set(with_every_dtype())
        others = [name for name in run_by_tests() if name not in known]
        return frozenset(subjects()) if every else frozenset({*known, *others[::3]})
    chosen = set(with_every_dtype() if every else _dtypes_in_turn(arch))
    known = set(with_every_dtype())
    parts = (OLDER_ARCHS, NEWER_ARCHS) if every else (OTHER_ARCHS,)
    numbers: dict[object, int] = {}
    for name in run_by_tests():
        is_library = variant_of(name).mechanism is Mechanism.LIBRARY
        if is_library and arch == "sm_86":
            chosen.discard(name)
        elif name not in known and not is_library:
            number = numbers.setdefault(source_of(name).unit, len(numbers))
            if arch in {part[number % len(part)] for part in parts}:
                chosen.add(name)
    return frozenset(name for name in chosen if every or is_in_turn(subjects()[name].case.pattern, arch))


def is_in_turn(pattern: str, arch: str) -> bool:
    """Whether `make test-archs` compiles a pattern for an architecture: each for sm_90 and half of the others."""
    return arch == REFERENCE_ARCH or (list(patterns()).index(pattern) + OTHER_ARCHS.index(arch)) % 2 == 0


def _dtypes_in_turn(arch: str) -> list[str]:
    """Return each variant once, in another dtype than for the architecture before."""
    by_variant: dict[tuple[str, str], list[str]] = {}
    for name in with_every_dtype():
        case = subjects()[name].case
        by_variant.setdefault((case.pattern, case.variant), []).append(name)
    turn = OTHER_ARCHS.index(arch)
    return [names[(turn + number) % len(names)] for number, names in enumerate(by_variant.values())]


@cache
def in_every_run() -> list[str]:
    """Return those that not only `make test-archs` compiles and emulates: each variant, and some in each dtype."""
    one_dtype = with_one_dtype()
    return [name for name in with_every_dtype() if name in one_dtype or name.startswith(EVERY_DTYPE)]


def _rank(name: str) -> int:
    dtype = subjects()[name].case.dtype
    return DTYPES_FIRST.index(dtype) if dtype in DTYPES_FIRST else len(DTYPES_FIRST)


@cache
def units(arch: str = "sm_90") -> list[tuple[str, ...]]:
    """Return the kernels that `arch` has, by translation unit; those that every run of the tests needs lie apart."""
    needed = set(in_every_run())
    groups: dict[object, list[str]] = {}
    for name in subjects():
        if not variant_of(name).unsupported_reason(tools().target(arch)):
            groups.setdefault((source_of(name).unit, name in needed), []).append(name)
    return [tuple(names) for names in groups.values()]


def source_of(name: str) -> Source:
    """Return a kernel's translation unit."""
    subject = subjects()[name]
    return translation_unit(subject.pattern, subject.case)


def compiled(name: str, arch: str = "sm_90", *, disassembled: bool = True) -> Kernel:
    """Return one kernel from the cache of the tests, compiled if it is missing; KernelError if it cannot be.

    Without disassembly, which takes longer than compilation, it may have no machine code.
    """
    builder = whole = Builder(tools(), arch, CACHE)
    if variant_of(name).later:
        return builder.build(subjects()[name].pattern, subjects()[name].case)
    if not disassembled:
        builder = Builder(replace(tools(), nvdisasm=None), arch, CACHE / "not-disassembled")
    key = _request(builder, name).key
    if (kernel := whole.cache.get(key) or builder.cache.get(key)) is not None:
        return kernel
    batch = _batch(name, builder)
    code = chain.from_iterable(_compile(builder, batch))
    return builder.finish(_request(builder, name), dict(zip(chain.from_iterable(batch), code, strict=True))[name])


def _batch(name: str, builder: Builder) -> list[tuple[str, ...]]:
    """Return the units to compile for one kernel: its own, and others that the same run of the tests will need.

    The disassembler starts once for all of them. Two processes that run tests begin with different patterns.
    """
    (wanted,) = (unit for unit in units(builder.arch) if name in unit)
    batch = [wanted]
    if _compiles_fast(name):
        batch += [
            unit
            for unit in units(builder.arch)
            if unit != wanted
            and _compiles_fast(unit[0])
            and unit[0].startswith(CHECKED) == name.startswith(CHECKED)
            and builder.cache.get(_request(builder, unit[0]).key) is None
        ]
    return batch


def _compiles_fast(name: str) -> bool:
    """Whether every run of the tests compiles a kernel's unit, and does so without the headers of a library."""
    return name in in_every_run() and variant_of(name).mechanism is not Mechanism.LIBRARY


def compile_pattern(pattern: str, arch: str, *, every: bool) -> list[str]:
    """Compile those kernels of `on_arch` of a pattern that the cache of the tests lacks, and return all their names."""
    builder = Builder(tools(), arch, CACHE)
    wanted = on_arch(arch, every=every)
    names = [name for unit in units(arch) for name in unit if name.startswith(f"{pattern}/") and name in wanted]
    missing: dict[object, list[str]] = {}
    for name in names:
        if builder.cache.get(_request(builder, name).key) is None:
            missing.setdefault(source_of(name).unit, []).append(name)
    ordered = sorted(missing.values(), key=lambda unit: headers_of(source_of(unit[0])))
    with precompiled_headers([source_of(unit[0]) for unit in ordered]):
        _compile(builder, ordered)
    return names


def _compile(builder: Builder, units: Sequence[Sequence[str]]) -> list[list[MachineCode | CompileError]]:
    """Compile units, and put the kernels that can be built into the cache."""
    requests = [[_request(builder, name) for name in unit] for unit in units]
    code = machine_code([[item.source for item in unit] for unit in requests], builder.arch, builder.toolchain)
    for request, made in zip(chain.from_iterable(requests), chain.from_iterable(code), strict=True):
        with suppress(KernelError):
            builder.finish(request, made)
    return code


def _request(builder: Builder, name: str) -> BuildRequest:
    return builder.request(subjects()[name].pattern, subjects()[name].case)


@cache
def kernel(name: str) -> Kernel:
    """Return one kernel for sm_90: from its committed PTX, without machine code, or else compiled.

    Of options other than the first, `make test-archs` looks at the machine code.
    """
    return archived(name) if committed(name) else compiled(name, disassembled=name in with_every_dtype())


def committed(name: str, arch: str = "sm_90") -> bool:
    """Whether there is PTX of a kernel as it is now."""
    return digests().get(f"{arch}/{name}") == digest(source_of(name))


def archived(name: str, arch: str = "sm_90") -> Kernel:
    """Return a kernel from its committed PTX."""
    text = ptx(f"{arch}/{name}")
    (symbol,) = ptx_by_kernel(text)
    return cases.kernel(symbol, text, arch)


def call(name: str, kernel: Kernel, shape: str = "") -> tuple[KernelCall, Workload]:
    """Return how a kernel is launched, and the workload that knows its results.

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
    """Return a kernel in the emulator, and the workload that knows its results."""
    called, workload = call(name, kernel, shape)
    return EmulatorBackend(kernel.arch).open(called), workload


def launch(name: str, kernel: Kernel, iterations: int, shape: str = "") -> tuple[EmulatedLaunch, Workload]:
    """Return a launch on input set 0, and the workload that knows its results."""
    emulated, workload = opened(name, kernel, shape)
    return emulated.launch(workload.inputs(0), iterations), workload


def report(name: str, kernel: Kernel) -> SubjectReport:
    """Return the report of `shflbench check` on a kernel."""
    subject = subjects()[name]
    (reported,) = check_all([subject], {subject: kernel}, tools().target(kernel.arch), seed=0)
    return reported
