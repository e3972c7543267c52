"""The kernels of a file as candidates for timing: the verdict on each, and the launches that nobody had to choose.

A launch can be timed where the user or the host code specifies its shape, its numbers and the sizes of its buffers;
what the check chooses is small, and says nothing about times. Contents of buffers may be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.checker.candidate import (
    CandidateBuffer,
    CandidateFile,
    CandidateLaunch,
    CandidateNumber,
    CandidatePointer,
    CandidateStructure,
    KernelCandidate,
)
from shflbench.checker.file_reading import read_file, with_given_numbers
from shflbench.checker.host_numbers import variables_of
from shflbench.checker.host_sizes import fixed_sizes, following
from shflbench.checker.inputs.argument_options import UNKNOWN, option_for
from shflbench.checker.inputs.argument_sets import ArgumentSet
from shflbench.checker.inputs.choose import choose
from shflbench.checker.inputs.contents import is_ascending
from shflbench.checker.inputs.default_launches import PlannedLaunch, not_understood
from shflbench.checker.inputs.elements import ELEMENTS, element_of
from shflbench.checker.inputs.linked import linked_kernel
from shflbench.checker.inputs.names import match_names, refuse_unknown
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.inputs.sampled import shortened_launch
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.inputs.timed_clusters import GIVE_CLUSTER, UNSPECIFIED, in_specified_clusters, refuse_clusters
from shflbench.checker.joint_candidates import joint_candidates
from shflbench.checker.later_launches import kept_buffers, later_arguments, launches_from
from shflbench.checker.later_readers import with_later_readers
from shflbench.checker.program_sizes import with_launches_of, with_loop, without_words
from shflbench.checker.report_cache import cached_report
from shflbench.checker.runs.buffer_uses import BufferUse, addresses_of_stores, buffer_uses, writes_device_variables
from shflbench.checker.runs.deciding_values import deciding_contents, index_variables, structural_numbers
from shflbench.checker.runs.variable_uses import variable_uses
from shflbench.checker.selection import chosen_kernels, is_chosen, refuse_unknown_launches
from shflbench.checker.sequence_steps import (
    NamedCandidate,
    sequence_of,
    with_functions,
)
from shflbench.checker.sequences import join_parts
from shflbench.checker.unlaunched import with_instances
from shflbench.checker.variable_buffers import variable_buffers
from shflbench.core.model import MAX_BLOCK
from shflbench.core.symbols import variable_name
from shflbench.cuda.compile.nvrtc import ptx_by_kernel
from shflbench.cuda_sources.kernel_file import KernelParameter
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.checker.file_check import CheckStep
    from shflbench.checker.inputs.argument import Arguments, Span
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.options import FileOptions
    from shflbench.cuda_sources.kernel_file import Field, HostChange, HostLaunch, KernelFile, SourceKernel

MOST_BUFFER_BYTES = 1 << 33  # of a buffer, whose contents are made on the host
PERIOD_BYTES = 1 << 20  # after which contents that nobody specifies repeat
WORDS = "--host-args WORDS, the program's command line, such as --host-args '1024 100'"
NULL = "u64"  # element type of a null pointer, which is passed as a number
GIVE_LAUNCH = "--launch GRIDxBLOCK"


def read_candidates(
    path: Path,
    options: FileOptions,
    watch: Callable[[CheckStep], None] | None = None,
    sets: Sequence[ArgumentSet] = (),
    *,
    joins: bool = False,
) -> CandidateFile:
    """Read a CUDA file, check its kernels if there is a `watch` to call with each step, and return the candidates.

    Each kernel has the launches of all `sets` of arguments, which replace those of the options. The check is of the
    first set. Where no kernel is named, kernels that compute a result together are one candidate if `joins`. Sizes of
    the host code follow a number that is given, where the host code begins with it.

    InputError, CompileError or KernelError if the file cannot be read or compiled, or has no kernel; UsageError if an
    option does not fit it. Its budget, and its time limit, are those of the options.
    """
    named = [NamedCandidate(name) for name in options.kernels]
    file, options = _read(path, options.begun(), named)
    names = [name for item in with_functions(file, named) for name in item.kernels]
    is_joined = joins and not named
    named = joint_candidates(file, _have_same_parameters) if is_joined else with_functions(file, named)
    rejected = tuple(item for item in file.rejected if is_chosen(item.name, names))
    readers = list(_readers(file, named, several=options.several, rejected=[item.name for item in rejected]))
    chosen = list({kernel.symbol: kernel for reader in readers for kernel in reader.kernels}.values())
    assert file.unit is not None  # noqa: S101  (it is no PTX)
    if not chosen:
        return CandidateFile(path, file.unit, (), {}, None, rejected)
    sets = sets or (ArgumentSet(options.given.arguments),)
    refuse_unknown_launches(chosen, options.given.named_launches)
    sets = with_loop(file, [reader.kernels for reader in readers], sets)
    options = replace(options, kernels=tuple(kernel.symbol for kernel in chosen) if named else ())
    read = [
        with_given_numbers(file, replace(options, given=replace(options.given, arguments=item.arguments)))
        for item in sets
    ]
    instances = chosen if any("<" in name for name in names) else []
    sizes = [
        _SizedFile(_with_instances(*without_words(*item), instances), item[1], one)
        for item, one in zip(read, sets, strict=True)
    ]
    variables = [item.name for item in variables_of(file, chosen)]
    refuse_unknown(sets[0].arguments, chosen, variables)
    small, first = _with_instances(*read[0], instances), read[0][1]
    given = replace(
        first.given,
        launches=tuple(map(shortened_launch, options.given.launches)),
        named_launches=tuple((name, shortened_launch(shape)) for name, shape in options.given.named_launches),
    )
    limits = replace(first.limits, shares=1)  # kernels are compared, and a check of one of them only says little
    brief = replace(first, given=given, limits=limits)
    covering = with_launches_of(replace(small, host_calls=()), sizes[0].file)
    report = cached_report(covering, brief, watch) if watch is not None else None
    reports = {item.symbol: item for item in report.kernels} if report is not None else {}
    kernels = with_later_readers(sizes[0].file, [_of_all_sizes(reader, sizes, variables) for reader in readers])
    return CandidateFile(path, file.unit, kernels, reports, report, rejected)


def _read(path: Path, options: FileOptions, named: Sequence[NamedCandidate]) -> tuple[KernelFile, FileOptions]:
    """Return the file, with the calls of its host code, and the options with which it is read."""
    kernels = tuple(dict.fromkeys(name for item in named for name in item.kernels))
    options = replace(options.timed(), kernels=kernels)
    file = read_file(path, options)
    if file.unit is None:
        raise KernelError(f"{path} is PTX, which has no source to compile", "Pass the .cu file.")
    return file, options


@dataclass(frozen=True, slots=True)
class _SizedFile:
    """A set of arguments, with the file and the options of it."""

    file: KernelFile
    options: FileOptions
    arguments: ArgumentSet


@dataclass(frozen=True, slots=True)
class _CandidateReader:
    """The kernels of a candidate, and what reads it from the file at one size."""

    kernels: tuple[SourceKernel, ...]
    read: Callable[[KernelFile, FileOptions, Sequence[str]], KernelCandidate]


def _readers(
    file: KernelFile, named: Sequence[NamedCandidate], *, several: bool, rejected: Sequence[str]
) -> Iterator[_CandidateReader]:
    """Yield a reader per candidate: of all kernels of the file if none is named."""
    seen: set[str] = set()
    if not named:
        yield from (_CandidateReader((kernel,), partial(_of_kernel, kernel)) for kernel in file.kernels)
    for item in named:
        if item.is_sequence:
            steps = sequence_of(file, item).steps
            yield _CandidateReader(tuple(step.kernel for step in steps), partial(_sequence, item))
            continue
        for kernel in chosen_kernels(file, (item.text,), several=several, rejected=rejected):
            if kernel.symbol not in seen:
                seen.add(kernel.symbol)
                yield _CandidateReader((kernel,), partial(_of_kernel, kernel))


def _of_kernel(kernel: SourceKernel, file: KernelFile, options: FileOptions, varied: Sequence[str]) -> KernelCandidate:
    same = next((one for one in file.kernels if one.symbol == kernel.symbol), kernel)
    return _candidate(file, same, options, varied)


def _sequence(named: NamedCandidate, file: KernelFile, options: FileOptions, varied: Sequence[str]) -> KernelCandidate:
    """Return the candidate of a sequence, of whose launches each has the shape that the user or the host code gives it.

    UsageError if the user gives several to one.
    """
    sequence = sequence_of(file, named)
    if sequence.problem:
        return KernelCandidate(sequence.name, (), (), "", (), (), (), sequence.problem)
    parts = []
    for step in sequence.steps:
        shapes = options.given.launches_of(step.kernel)
        if len(shapes) > 1:
            raise UsageError(
                f"--launch gives `{step.kernel.name}` {len(shapes)} launches, and it is part of `{sequence.name}`",
                "Give each kernel of a sequence one launch.",
            )
        host = step.host
        if shapes:
            specified = [PlannedLaunch(shapes[0], Origin.GIVEN, host)]
        else:
            specified = [PlannedLaunch(_shape(host), Origin.HOST, host)] if host is not None else []
        part = _candidate(file, step.kernel, options, varied, specified)
        missing = (f"--launch {step.kernel.name}=GRIDxBLOCK" if item == GIVE_LAUNCH else item for item in part.missing)
        parts.append(replace(part, missing=tuple(missing)))
    return join_parts(sequence, parts)


def _with_instances(file: KernelFile, options: FileOptions, chosen: Sequence[SourceKernel]) -> KernelFile:
    """Return a file with launches of the named instances that the host code does not launch."""

    def read(change: HostChange) -> KernelFile:
        numbers = {**options.host.change.numbers, **change.numbers}
        host = replace(options.host, change=replace(change, numbers=numbers))
        return read_file(file.path, replace(options, host=host), compiled=file)

    return with_instances(file, chosen, read)


def _of_all_sizes(reader: _CandidateReader, sizes: Sequence[_SizedFile], variables: Sequence[str]) -> KernelCandidate:
    """Return the candidate with its launches for each set of arguments, or what is missing for the first that lacks.

    Numbers of the sets may be those of `variables` of the host code.
    """
    launches: list[CandidateLaunch] = []
    first: KernelCandidate | None = None
    for size in sizes:
        varied = size.arguments.varied
        candidate = reader.read(size.file, size.options, varied)
        known = {*(name for kernel in reader.kernels for name in kernel.offsets), *variables}
        if varied and not set(varied) & known:
            return replace(
                candidate, launches=(), problem=f"no parameter is called `{varied[0]}`, which has several values"
            )
        if not candidate.launches:
            return candidate
        first = first or candidate
        launches += [replace(launch, size=size.arguments.option) for launch in candidate.launches]
    whole = replace(first or reader.read(sizes[0].file, sizes[0].options, ()), launches=tuple(launches))
    clusters = {tuple(step.cluster for step in launch.steps) for launch in launches}
    if len(clusters) > 1:
        problem = "its launches have clusters of several sizes"
        return replace(whole, launches=(), problem=problem, remedy="give one by --cluster")
    return whole


def _candidate(
    file: KernelFile,
    kernel: SourceKernel,
    options: FileOptions,
    varied: Sequence[str] = (),
    specified: Sequence[PlannedLaunch] | None = None,
) -> KernelCandidate:
    """Return the candidate of one kernel with the `specified` launches, else those of the user or the host code."""
    ptx = ptx_by_kernel(file.ptx).get(kernel.symbol, file.ptx)
    line = min((launch.line.line for launch in kernel.host_launches), default=0)
    base = KernelCandidate(
        *(kernel.name, (kernel.name,), (kernel.symbol,), ptx, _signature(kernel), (), ()),
        line=line,
        values=_values(kernel),
    )
    arch, shared_bytes = options.compile.arch, options.given.shared_bytes
    try:
        linked = linked_kernel(file, parse(ptx), kernel, arch=arch, shared_bytes=shared_bytes)
    except KernelError as error:
        return replace(base, problem=error.message)
    return _of_linked(file, base, linked, options, varied, specified)


def _of_linked(  # noqa: PLR0913, PLR0917  (what decides on the launches)
    file: KernelFile,
    base: KernelCandidate,
    linked: LinkedKernel,
    options: FileOptions,
    varied: Sequence[str],
    specified: Sequence[PlannedLaunch] | None,
) -> KernelCandidate:
    """Return the candidate with each launch whose arguments are specified, or what is missing for the first."""
    kernel = linked.kernel
    given, arch = options.given, options.compile.arch
    shapes = given.launches_of(kernel)
    refuse_clusters(linked, shapes, given.cluster, arch)
    spec, launches = plan_runs(linked, given.arguments, shapes, given.shared_bytes, given.cluster)
    uses = buffer_uses(linked, spec, launches, given.seed, options.budget)
    spec = replace(spec, most_bytes=MOST_BUFFER_BYTES, period_bytes=PERIOD_BYTES)
    if specified is None:
        specified = launches if shapes else following(list(_of_host(kernel)), kernel, spec)
    if kernel.sibling and not specified:
        return replace(base, missing=(f"--launch '{kernel.name}=GRIDxBLOCK'",), sibling=kernel.sibling)
    if not specified:
        unclear = next(filter(None, map(not_understood, kernel.host_launches)), "")
        return replace(base, missing=(GIVE_LAUNCH, *_missing_of(linked, options)), unclear=unclear)
    specified, invalid = in_specified_clusters(linked, specified, given.cluster, arch)
    base = _with_problem(base, kernel, spec.given, invalid)
    if base.problem:
        return base
    variables = variable_uses(linked)
    counters = (variable_name(item.variable.name) for item in variables if item.is_counter)
    base = replace(
        base,
        keeps_memory=writes_device_variables(linked),
        counters=frozenset([*spec.zeroed, *counters]),
        targets=addresses_of_stores(linked),
        structural=structural_numbers(linked),
        deciding=deciding_contents(linked),
    )
    timed: list[CandidateLaunch] = []
    first: HostLaunch | None = None
    missing: tuple[str, ...] = ()
    problem = ""
    for launch in specified:
        of_caller = launch.host is not None and launch.host.takes_parameters
        is_assumed = launch.host is not None and bool(launch.host.assumed)
        if is_assumed and not launch.origin.is_given:
            missing = missing or ((GIVE_LAUNCH, *_missing_of(linked, options)) if of_caller else (WORDS,))
            continue
        arguments = choose(kernel, replace(launch, host=None) if is_assumed else launch, spec, given.seed)
        if unspecified := tuple(_unspecified(kernel, arguments)):
            missing = missing or ((WORDS,) if is_assumed and not of_caller else unspecified)
        elif reason := fixed_sizes(kernel, launch, arguments, varied):
            problem = problem or reason
        else:
            whole = _launch(kernel, launch, arguments, uses)
            whole = replace(whole, buffers=(*whole.buffers, *variable_buffers(variables, arguments, whole.names)))
            timed.append(_with_orders(whole, spec.offsets))
            first = first or launch.host
    indexes = frozenset(spec.indexes) | frozenset(spec.offsets) | index_variables(linked)
    if timed or not problem:
        base = _with_later(base, file, kernel, first, spec.given)
        return replace(base, launches=tuple(timed), missing=() if timed else missing, indexes=indexes)
    return replace(base, problem=problem)


def _with_later(
    base: KernelCandidate, file: KernelFile, kernel: SourceKernel, first: HostLaunch | None, given: Collection[str]
) -> KernelCandidate:
    """Return the candidate with what the host code changes after its `first` launch, unless the user gives it."""
    if first is None:
        return base
    launches = launches_from(file, kernel, first)
    later = tuple(item for item in later_arguments(kernel, launches) if item.name not in given)
    return replace(base, later_arguments=later, kept=kept_buffers(kernel, launches))


def _of_host(kernel: SourceKernel) -> Iterator[PlannedLaunch]:
    """Yield the launches of the host code at their real sizes, those that it performs as it is before others."""
    known = [item for item in kernel.host_launches if item.grid is not None and item.block is not None]
    seen = set()
    for host in sorted(known, key=lambda item: item.is_forced):
        shape = _shape(host)
        if 0 in shape.grid or not 0 < shape.threads_per_block <= MAX_BLOCK or (shape, host.arguments) in seen:
            continue
        seen.add((shape, host.arguments))
        yield PlannedLaunch(shape, Origin.HOST, host)


def _shape(host: HostLaunch) -> LaunchShape:
    return LaunchShape(host.grid or (1, 1, 1), host.block or (1, 1, 1))


def _missing_of(linked: LinkedKernel, options: FileOptions) -> Iterator[str]:
    """Yield the options for arguments where no launch is known, and so nothing of the host code."""
    given = match_names(options.given.arguments, linked.kernel)
    yield from (option_for(part.name, part.item) for part in linked.kernel.parts if part.name not in given)


def _with_problem(base: KernelCandidate, kernel: SourceKernel, given: Collection[str], invalid: str) -> KernelCandidate:
    """Return a candidate with why the kernel cannot be timed, if so; `invalid` says why its clusters cannot."""
    if stopping := _problem(kernel, given):
        return replace(base, problem=stopping[0], missing=stopping[1:])
    return replace(base, problem=invalid, remedy=GIVE_CLUSTER if invalid == UNSPECIFIED else "")


def _problem(kernel: SourceKernel, given: Collection[str]) -> tuple[str, ...]:
    """Return why the kernel cannot be timed, as a sentence, and the option that it names; nothing if it can."""
    for part in kernel.parts:
        structure = part.name.removesuffix(f".{part.field}")
        if part.field and structure in given:
            option = option_for(part.name, part.item)
            return f"parameter `{structure}` is a structure, whose fields must be given: {option}", option
        if isinstance(part.item, KernelParameter) and part.item.pointer and any(f.pointer for f in part.item.fields):
            return (f"parameter `{part.name}` points to structures with pointers",)
        is_known = part.item.pointer or element_of(part.item.element) is not None
        is_declared = bool(part.item.type) if part.field else is_known  # fields without a type are what code loads
        if not is_declared:
            return (f"parameter `{structure}` is a structure by value whose layout is not known",)
        if not is_known:
            return (f"`{part.name}` is a field of a type that is not known",)
    return ()


def _unspecified(kernel: SourceKernel, arguments: Arguments) -> Iterator[str]:
    """Yield the option for each argument that nobody specifies."""
    items = {part.name: part.item for part in kernel.parts}
    for span in (span for value in arguments.parameters for span in value.spans):
        buffer = arguments.buffer(span.buffer)
        origin = span.origin if buffer is None else buffer.size
        if origin.is_synthesized:
            yield option_for(span.name, items[span.name])
    if arguments.shared is Origin.CHOSEN:
        yield "--shared BYTES"


def _launch(
    kernel: SourceKernel, launch: PlannedLaunch, arguments: Arguments, uses: Mapping[str, BufferUse]
) -> CandidateLaunch:
    buffers: dict[int, CandidateBuffer] = {}
    numbers: dict[str, CandidateNumber] = {}
    pointers: dict[int, CandidatePointer] = {}
    structures: list[CandidateStructure] = []
    names: list[str] = []
    items = {part.name: part.item for part in kernel.parts}
    for parameter, value in zip(kernel.parameters, arguments.parameters, strict=True):
        if parameter.is_empty or (parameter.fields and not parameter.pointer):
            offsets = tuple(span.start for span in value.spans)
            name = parameter.name
            structures.append(CandidateStructure(name, parameter.size, len(names), offsets))
        for span in value.spans:
            item = items[span.name]
            if span.buffer is None:
                data = value.data[span.start : span.end]
                numbers[span.name] = CandidateNumber(span.name, NULL if item.pointer else _element(item), data)
                names.append(span.name)
                continue
            if span.buffer not in buffers:
                buffers[span.buffer] = _buffer(item, arguments, span, _joint_use(arguments, span, uses))
            pointer = CandidatePointer(buffers[span.buffer].name, span.byte, uses.get(span.name, BufferUse.UNUSED))
            pointers[len(names)] = pointer
            names.append(pointer.buffer)
    return CandidateLaunch(
        launch.shape.grid,
        launch.shape.block,
        arguments.shared_bytes,
        tuple(buffers.values()),
        tuple(numbers.values()),
        tuple(names),
        arguments.values,
        pointers,
        launch.origin.is_given,
        cluster=launch.shape.cluster,
        program=launch.program,
        structures=tuple(structures),
    )


def _with_orders(launch: CandidateLaunch, ranges: Collection[str]) -> CandidateLaunch:
    """Return the launch with the buffers marked whose elements are ascending, or ranges as the kernel reads them."""
    buffers = []
    for buffer in launch.buffers:
        element = ELEMENTS.get(buffer.element)
        ascends = element is not None and is_ascending(buffer.contents, element)
        buffers.append(replace(buffer, is_ordered=ascends or buffer.name in ranges))
    return replace(launch, buffers=tuple(buffers))


def _joint_use(arguments: Arguments, span: Span, uses: Mapping[str, BufferUse]) -> BufferUse:
    """Return what the kernel does with a buffer through all pointers to it, as in `step<<<…>>>(a, a)`."""
    spans = (other for value in arguments.parameters for other in value.spans)
    names = [other.name for other in spans if other.buffer == span.buffer]
    several = {uses.get(name, BufferUse.UNUSED) for name in names} - {BufferUse.UNUSED}
    if len(several) > 1:
        return BufferUse.CHANGED
    return several.pop() if several else BufferUse.UNUSED


def _buffer(item: KernelParameter | Field, arguments: Arguments, span: Span, use: BufferUse) -> CandidateBuffer:
    buffer = arguments.buffers[span.buffer or 0]
    size = buffer.bytes
    is_synthesized = buffer.values is Origin.CHOSEN
    return CandidateBuffer(
        buffer.name,
        _element(item, item.common),
        buffer.contents,
        size,
        is_synthesized,
        use,
        allocation=buffer.allocation,
        lanes=item.lanes if isinstance(item, KernelParameter) else 1,
        may_be_structure=element_of(item.element) is None,
    )


def _element(item: KernelParameter | Field, of_structures: str | None = None) -> str:
    element = element_of(item.element or of_structures)
    return element.name if element is not None else UNKNOWN


def _signature(kernel: SourceKernel) -> tuple[tuple[bool, str, int], ...]:
    return tuple(_kind(part.item) for part in kernel.parts)


def _have_same_parameters(one: SourceKernel, two: SourceKernel) -> bool:
    """Whether two kernels take values of the same types, or of the same names and types in any order."""
    return _signature(one) == _signature(two) or (_values(one) == _values(two) != frozenset())


def _values(kernel: SourceKernel) -> frozenset[tuple[str, tuple[bool, str, int]]]:
    return frozenset((part.plain_name, _kind(part.item)) for part in kernel.parts)


def _kind(item: KernelParameter | Field) -> tuple[bool, str, int]:
    return item.pointer, _element(item) if item.element else item.type, item.size
