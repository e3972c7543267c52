"""The kernels of a file as candidates for timing: the verdict on each, and the launches that nobody had to choose.

A launch can be timed where the user or the host code states its shape, its numbers and the sizes of its buffers; what
the check derives is small, and says nothing about times. Contents of buffers may be derived.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.files import read_file, with_given_numbers
from shflbench.checker.host_numbers import variables_of
from shflbench.checker.host_sizes import fixed_sizes
from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.argument_options import UNKNOWN, option_for
from shflbench.checker.inputs.argument_sets import ArgumentSet, with_values
from shflbench.checker.inputs.contents import is_ascending
from shflbench.checker.inputs.derive import derive
from shflbench.checker.inputs.elements import ELEMENTS, element_of
from shflbench.checker.inputs.launches import PlannedLaunch
from shflbench.checker.inputs.linked import linked_kernel
from shflbench.checker.inputs.names import matched, names_of, parameter_name, refuse_unknown
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.inputs.sampled import shortened_launch
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.ptx.parse import parse
from shflbench.checker.report_cache import cached_report
from shflbench.checker.runs.buffer_uses import BufferUse, buffer_uses, writes_device_variables
from shflbench.checker.selection import chosen_kernels, launches_of, refuse_unknown_launches
from shflbench.checker.sources.rejected_kernels import refuse_rejected
from shflbench.checker.unlaunched import with_instances
from shflbench.compile.nvrtc import ptx_by_kernel
from shflbench.errors import KernelError
from shflbench.model import MAX_BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.checker.files import CheckStep, FileOptions
    from shflbench.checker.inputs.argument import Arguments, Span
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.report import FileReport, KernelReport
    from shflbench.checker.sources.kernel_file import (
        HostArgument,
        HostChange,
        HostLaunch,
        KernelFile,
        KernelParameter,
        SourceKernel,
    )
    from shflbench.compile.nvrtc import PtxUnit
    from shflbench.dimensions import Dims

MOST_BYTES = 1 << 33  # of a buffer, whose contents are made on the host
WORDS = "--host-args WORDS, the program's command line, such as --host-args '1024 100'"
PERIOD_BYTES = 1 << 20  # after which contents that nobody states repeat


@dataclass(frozen=True, slots=True, eq=False)
class CandidateBuffer:
    """A buffer of a launch, with its contents before it."""

    name: str
    element: str  # a name such as `f32`
    contents: NDArray[np.uint8]  # which repeat up to the size
    size: int  # bytes
    is_derived: bool  # whether nobody states the contents
    use: BufferUse
    is_ordered: bool = False  # whether its elements are ascending, or ranges, so that another order may be invalid


@dataclass(frozen=True, slots=True)
class CandidateNumber:
    """A number that a launch passes by value."""

    name: str
    element: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CandidatePointer:
    """What a launch passes for one pointer, and what the kernel does with it."""

    buffer: str  # its name
    byte: int  # behind the start of the buffer
    use: BufferUse


@dataclass(frozen=True, slots=True, eq=False)
class CandidateLaunch:
    """One launch that can be timed."""

    grid: Dims
    block: Dims
    shared_bytes: int  # dynamic, per block
    buffers: tuple[CandidateBuffer, ...]
    numbers: tuple[CandidateNumber, ...]
    arguments: tuple[str, ...]  # names of buffers and numbers, in the order of the parameters
    texts: tuple[tuple[str, str], ...]  # `n = 1024` and its origin
    pointers: Mapping[int, CandidatePointer]  # by the place of the parameter
    is_given: bool = False  # whether the user states its shape
    size: tuple[str, str] | None = None  # the name and the value of an option, if there are several sizes

    @property
    def shape(self) -> str:
        """The text that `--launch` takes."""
        return str(LaunchShape(self.grid, self.block))


@dataclass(frozen=True, slots=True, eq=False)
class KernelCandidate:
    """One kernel."""

    name: str  # as the user writes it, and as C++ names it: `reduce<float, 256>`
    symbol: str
    ptx: str  # of this kernel alone
    signature: tuple[tuple[bool, str, int], ...]  # of each parameter: whether it is a pointer, element type, bytes
    launches: tuple[CandidateLaunch, ...]
    missing: tuple[str, ...]  # options without which it cannot be timed: `--launch GRIDxBLOCK`, `--arg n=NUMBER`
    problem: str = ""  # why no option helps, as a sentence
    indexes: frozenset[str] = frozenset()  # buffers whose contents are addresses, or numbers of iterations
    sibling: str = ""  # the instance whose arguments it takes, where only its launch is missing
    line: int = 0  # of its first launch in the host code
    keeps_memory: bool = False  # whether it may write `__device__` variables, which later launches find


@dataclass(frozen=True, slots=True, eq=False)
class CandidateFile:
    """The kernels of a file, and its device code as NVRTC takes it."""

    path: Path
    unit: PtxUnit
    kernels: tuple[KernelCandidate, ...]
    reports: Mapping[str, KernelReport]  # by symbol; empty if the kernels were not checked
    report: FileReport | None


def read_candidates(
    path: Path,
    options: FileOptions,
    watch: Callable[[CheckStep], None] | None = None,
    sets: Sequence[ArgumentSet] = (),
) -> CandidateFile:
    """Read a CUDA file, check its kernels if there is a `watch` to call with each step, and return the candidates.

    Each kernel has the launches of all `sets` of arguments, which replace those of the options. The check is of the
    first set. Sizes of the host code follow a number that is given, where the host code begins with it.

    InputError, CompileError or KernelError if the file cannot be read or compiled, or has no kernel; UsageError if an
    option does not fit it. The time limit of the options is that of the check, and not of compiling.
    """
    file = read_file(path, replace(options, nvcc=None))
    if file.unit is None:
        raise KernelError(f"{path} is PTX, which has no source to compile", "Pass the .cu file.")
    refuse_rejected(path, file.rejected, options.kernels)
    chosen = chosen_kernels(file, options.kernels, several=options.several)
    sets = sets or (ArgumentSet(options.arguments),)
    refuse_unknown_launches(chosen, options.named_launches)
    sets = _with_loop(file, chosen, sets)
    read = [with_given_numbers(file, replace(options, nvcc=None, arguments=item.arguments)) for item in sets]
    sized = [_with_instances(*_without_words(*item), chosen) for item in read]
    variables = [item.name for item in variables_of(file, chosen)]
    refuse_unknown(sets[0].arguments, chosen, variables)
    small, first = _with_instances(*read[0], chosen), read[0][1]
    brief = replace(
        first,
        launches=tuple(map(shortened_launch, options.launches)),
        named_launches=tuple((name, shortened_launch(shape)) for name, shape in options.named_launches),
    )
    report = cached_report(small, brief, watch) if watch is not None else None
    reports = {item.symbol: item for item in report.kernels} if report is not None else {}
    kernels = tuple(_of_all_sizes(kernel, list(zip(sized, sets, strict=True)), options, variables) for kernel in chosen)
    return CandidateFile(path, file.unit, kernels, reports, report)


def _with_loop(file: KernelFile, chosen: Sequence[SourceKernel], sets: Sequence[ArgumentSet]) -> Sequence[ArgumentSet]:
    """Return a set for each number of a loop of the host code, as in `for (int n : {128, 256})`, if sizes follow it."""
    given = {item.name for item in sets[0].arguments}
    loops = [item for item in file.numbers if len(item.values) > 1 and item.name not in given]
    follow = [len(set(map(_sizes, kernel.host_launches))) > 1 for kernel in chosen]
    if len(sets) > 1 or len(loops) != 1 or not all(follow):
        return sets
    return with_values(sets[0], loops[0].name, dict.fromkeys(loops[0].values))


def _sizes(launch: HostLaunch) -> tuple[tuple[int | float | None, int | None], ...]:
    """Return the numbers that a launch passes, and the bytes of its buffers."""
    return tuple((item.value, item.buffer.size if item.buffer is not None else None) for item in launch.arguments)


def _without_words(file: KernelFile, options: FileOptions) -> tuple[KernelFile, FileOptions]:
    """Return a file with the launches of the program without a command line, where others are of derived words.

    What the check derives is small, so that the check is fast; what is timed has the sizes of the program.
    """
    launched = [launch for kernel in file.kernels for launch in kernel.host_launches]
    if options.host_args is not None or not any(launch.assumed for launch in launched):
        return file, options
    plain = replace(options, host_args=())
    readings = {kernel.symbol: kernel for kernel in read_file(file.path, plain, compiled=file).kernels}
    kernels = [_certain(kernel, readings.get(kernel.symbol, kernel)) for kernel in file.kernels]
    return replace(file, kernels=tuple(kernels)), plain


def _with_instances(file: KernelFile, options: FileOptions, chosen: Sequence[SourceKernel]) -> KernelFile:
    """Return a file with launches of the named instances that the host code does not launch."""

    def read(change: HostChange) -> KernelFile:
        numbers = (*options.host_numbers, *change.numbers.items())
        changed = replace(options, host_numbers=numbers, host_instance=change.instance)
        return read_file(file.path, changed, compiled=file)

    return with_instances(file, chosen, read) if any("<" in name for name in options.kernels) else file


def _certain(kernel: SourceKernel, plain: SourceKernel) -> SourceKernel:
    """Return the second one of two readings of a kernel if the program launches it with known arguments."""
    known = [item for item in plain.host_launches if item.grid is not None and item.block is not None]
    launches = [item for item in known if not item.assumed and all(map(_is_known, item.arguments))]
    return plain if launches else kernel


def _is_known(argument: HostArgument) -> bool:
    return argument.value is not None or argument.buffer is not None or bool(argument.fields)


def _of_all_sizes(
    kernel: SourceKernel,
    sized: Sequence[tuple[KernelFile, ArgumentSet]],
    options: FileOptions,
    variables: Sequence[str],
) -> KernelCandidate:
    """Return the candidate with its launches for each set of arguments, or what is missing for the first that lacks.

    Numbers of the sets may be those of `variables` of the host code.
    """
    launches: list[CandidateLaunch] = []
    first: KernelCandidate | None = None
    for file, item in sized:
        same = next((one for one in file.kernels if one.symbol == kernel.symbol), kernel)
        candidate = _candidate(file, same, replace(options, arguments=item.arguments), item.varied)
        if item.varied and not set(item.varied) & {*names_of(kernel), *variables}:
            return replace(
                candidate, launches=(), problem=f"no parameter is called `{item.varied[0]}`, which has several values"
            )
        if not candidate.launches:
            return candidate
        first = first or candidate
        launches += [replace(launch, size=item.option) for launch in candidate.launches]
    return replace(first or _candidate(sized[0][0], kernel, options), launches=tuple(launches))


def _candidate(
    file: KernelFile, kernel: SourceKernel, options: FileOptions, varied: Sequence[str] = ()
) -> KernelCandidate:
    ptx = ptx_by_kernel(file.ptx).get(kernel.symbol, file.ptx)
    line = min((launch.line.line for launch in kernel.host_launches), default=0)
    base = KernelCandidate(kernel.name, kernel.symbol, ptx, _signature(kernel), (), (), line=line)
    try:
        linked = linked_kernel(file, parse(ptx), kernel, arch=options.arch, shared_bytes=options.shared_bytes)
    except KernelError as error:
        return replace(base, problem=error.message)
    return _of_linked(base, linked, options, varied)


def _of_linked(
    base: KernelCandidate, linked: LinkedKernel, options: FileOptions, varied: Sequence[str]
) -> KernelCandidate:
    """Return the candidate with each launch whose arguments are stated, or what is missing for the first."""
    kernel = linked.kernel
    options = replace(options, launches=launches_of(kernel, options.launches, options.named_launches))
    wishes, launches = plan_runs(linked, options.arguments, options.launches, options.shared_bytes)
    uses = buffer_uses(linked, wishes, launches, options.seed)
    wishes = replace(wishes, most_bytes=MOST_BYTES, period_bytes=PERIOD_BYTES)
    stated = launches if options.launches else list(_of_host(kernel))
    if kernel.sibling and not stated:
        return replace(base, missing=(f"--launch '{kernel.name}=GRIDxBLOCK'",), sibling=kernel.sibling)
    if not stated:
        return replace(base, missing=("--launch GRIDxBLOCK", *_missing_of(linked, options)))
    if problem := _problem(kernel):
        return replace(base, problem=problem)
    base = replace(base, keeps_memory=writes_device_variables(linked))
    timed: list[CandidateLaunch] = []
    missing: tuple[str, ...] = ()
    problem = ""
    for launch in stated:
        of_caller = launch.host is not None and launch.host.takes_parameters
        is_assumed = launch.host is not None and bool(launch.host.assumed)
        if is_assumed and launch.origin is not Origin.GIVEN:
            missing = missing or (("--launch GRIDxBLOCK", *_missing_of(linked, options)) if of_caller else (WORDS,))
            continue
        arguments = derive(kernel, replace(launch, host=None) if is_assumed else launch, wishes, options.seed)
        if unstated := tuple(_unstated(kernel, arguments)):
            missing = missing or ((WORDS,) if is_assumed and not of_caller else unstated)
        elif reason := fixed_sizes(kernel, launch, arguments, varied):
            problem = problem or reason
        else:
            timed.append(_with_orders(_launch(kernel, launch, arguments, uses), wishes.offsets))
    indexes = frozenset(wishes.indexes) | frozenset(wishes.offsets)
    if timed or not problem:
        return replace(base, launches=tuple(timed), missing=() if timed else missing, indexes=indexes)
    return replace(base, problem=problem)


def _of_host(kernel: SourceKernel) -> Iterator[PlannedLaunch]:
    """Yield the launches of the host code at their real sizes, those that it performs as it is before others."""
    known = [item for item in kernel.host_launches if item.grid is not None and item.block is not None]
    seen = set()
    for host in sorted(known, key=lambda item: item.forced):
        shape = LaunchShape(host.grid or (1, 1, 1), host.block or (1, 1, 1))
        if 0 in shape.grid or not 0 < shape.threads_per_block <= MAX_BLOCK or (shape, host.arguments) in seen:
            continue
        seen.add((shape, host.arguments))
        yield PlannedLaunch(shape, Origin.HOST, host)


def _missing_of(linked: LinkedKernel, options: FileOptions) -> Iterator[str]:
    """Yield the options for arguments where no launch is known, and so nothing of the host code."""
    given = matched(options.arguments, linked.kernel)
    for place, parameter in enumerate(linked.kernel.parameters):
        if (name := parameter_name(parameter, place)) not in given:
            yield option_for(name, parameter)


def _problem(kernel: SourceKernel) -> str:
    """Return why the kernel cannot be timed at all, as a sentence; empty if it can."""
    for place, parameter in enumerate(kernel.parameters):
        name = parameter_name(parameter, place)
        if not parameter.pointer and (parameter.fields or element_of(parameter.element) is None):
            return f"parameter `{name}` is a structure, which is passed by value"
        if parameter.pointer and any(part.pointer for part in parameter.fields):
            return f"parameter `{name}` points to structures with pointers"
    return ""


def _unstated(kernel: SourceKernel, arguments: Arguments) -> Iterator[str]:
    """Yield the option for each argument that nobody states."""
    for place, (parameter, value) in enumerate(zip(kernel.parameters, arguments.parameters, strict=True)):
        (span,) = value.spans
        buffer = arguments.buffer(span.buffer)
        origin = span.origin if buffer is None else buffer.size
        if origin is Origin.DERIVED:
            yield option_for(parameter_name(parameter, place), parameter)
    if arguments.shared is Origin.DERIVED:
        yield "--shared BYTES"


def _launch(
    kernel: SourceKernel, launch: PlannedLaunch, arguments: Arguments, uses: Mapping[str, BufferUse]
) -> CandidateLaunch:
    buffers: dict[int, CandidateBuffer] = {}
    numbers: dict[str, CandidateNumber] = {}
    pointers: dict[int, CandidatePointer] = {}
    names = []
    for place, (parameter, value) in enumerate(zip(kernel.parameters, arguments.parameters, strict=True)):
        name = parameter_name(parameter, place)
        (span,) = value.spans
        if span.buffer is None:
            numbers[name] = CandidateNumber(name, _element(parameter), value.data)
            names.append(name)
            continue
        if span.buffer not in buffers:
            buffers[span.buffer] = _buffer(parameter, arguments, span, _joint_use(kernel, arguments, span, uses))
        names.append(buffers[span.buffer].name)
        pointers[place] = CandidatePointer(names[-1], span.byte, uses.get(name, BufferUse.UNUSED))
    return CandidateLaunch(
        launch.shape.grid,
        launch.shape.block,
        arguments.shared_bytes,
        tuple(buffers.values()),
        tuple(numbers.values()),
        tuple(names),
        tuple((text, origin.value) for text, origin in arguments.texts),
        pointers,
        launch.origin is Origin.GIVEN,
    )


def _with_orders(launch: CandidateLaunch, ranges: Collection[str]) -> CandidateLaunch:
    """Return the launch with the buffers marked whose elements are ascending, or ranges as the kernel reads them."""
    buffers = []
    for buffer in launch.buffers:
        element = ELEMENTS.get(buffer.element)
        ascends = element is not None and is_ascending(buffer.contents, element)
        buffers.append(replace(buffer, is_ordered=ascends or buffer.name in ranges))
    return replace(launch, buffers=tuple(buffers))


def _joint_use(kernel: SourceKernel, arguments: Arguments, span: Span, uses: Mapping[str, BufferUse]) -> BufferUse:
    """Return what the kernel does with a buffer through all pointers to it, as in `step<<<…>>>(a, a)`."""
    pairs = zip(kernel.parameters, arguments.parameters, strict=True)
    names = [
        parameter_name(parameter, place)
        for place, (parameter, value) in enumerate(pairs)
        if value.spans[0].buffer == span.buffer
    ]
    several = {uses.get(name, BufferUse.UNUSED) for name in names} - {BufferUse.UNUSED}
    if len(several) > 1:
        return BufferUse.CHANGED
    return several.pop() if several else BufferUse.UNUSED


def _buffer(parameter: KernelParameter, arguments: Arguments, span: Span, use: BufferUse) -> CandidateBuffer:
    buffer = arguments.buffers[span.buffer or 0]
    size = buffer.whole or buffer.contents.size
    is_derived = buffer.values is Origin.DERIVED
    return CandidateBuffer(buffer.name, _element(parameter), buffer.contents, size, is_derived, use)


def _element(parameter: KernelParameter) -> str:
    element = element_of(parameter.element)
    return element.name if element is not None and not (parameter.pointer and parameter.lanes < 1) else UNKNOWN


def _signature(kernel: SourceKernel) -> tuple[tuple[bool, str, int], ...]:
    return tuple(
        (parameter.pointer, _element(parameter) if parameter.element else parameter.type, parameter.size)
        for parameter in kernel.parameters
    )
