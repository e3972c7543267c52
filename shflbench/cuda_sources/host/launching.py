"""Launches in host code: what is known of grid, block, shared memory and arguments when they are performed."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import surrounding_parameters
from shflbench.cuda_sources.host.conversions import by_class
from shflbench.cuda_sources.host.flow import TO_CONSTANT
from shflbench.cuda_sources.host.launch_attributes import cluster_of, may_be_cooperative, may_overlap
from shflbench.cuda_sources.host.launched_kernels import launched_kernel
from shflbench.cuda_sources.host.machine import MOST_DIFFERENT, HostFrame, Performed
from shflbench.cuda_sources.host.packs import arguments as given_arguments
from shflbench.cuda_sources.host.streams import DEFAULT_STREAM, stream_key
from shflbench.cuda_sources.host.structures import members, pack, with_structures
from shflbench.cuda_sources.host.values import (
    MOMENTS,
    UNKNOWN,
    CellAddress,
    HostElement,
    Memory,
    Pointer,
    Structure,
    as_type,
    target_value,
    type_name,
)
from shflbench.cuda_sources.kernel_file import (
    NEGATIVE,
    HostArgument,
    HostBuffer,
    HostLaunch,
    KernelOutput,
    NamedLaunch,
    StreamLaunch,
)
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostState
    from shflbench.cuda_sources.kernel_file import Dims


def launch(
    run: HostRun, node: Node, function: Node, configuration: Sequence[Node], arguments: Sequence[Node]
) -> Callable[[HostFrame], object]:
    """Return what `kernel<<<grid, block, shared, stream>>>(…)` does."""
    parts = [run.expression(item) for item in configuration]
    values = given_arguments(run, arguments)
    kernel = launched_kernel(run, function)
    unbound = surrounding_parameters(node) if "<" in text_of(function) else set()

    def launched(frame: HostFrame) -> object:
        name, given = kernel(frame)
        shape = [part(frame) for part in parts]
        shared = shape[2] if len(shape) > 2 else 0  # noqa: PLR2004
        stream = stream_key(shape[3]) if len(shape) > 3 else DEFAULT_STREAM  # noqa: PLR2004
        listed = {place: (text, item.load()) for place, (text, item) in enumerate(values(frame))}
        is_instance = not (unbound - frame.bound.keys())
        _perform(run, node, name, given, shape[:2], shared, listed, arguments, stream, is_instance=is_instance)
        return UNKNOWN

    return launched


def launch_by_call(
    run: HostRun, node: Node, arguments: Sequence[Node], *, cooperative: bool
) -> Callable[[HostFrame], object]:
    """Return what `cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)` does."""
    kernel = launched_kernel(run, arguments[0])
    parts = [run.expression(item) for item in arguments[1:6]]

    def launched(frame: HostFrame) -> object:
        shape = [part(frame) for part in parts]
        name, given = kernel(frame)
        listed = shape[2]
        made = dict(enumerate(_pointed(listed))) if isinstance(listed, Pointer) else {}
        shared = shape[3] if len(shape) > 3 else 0  # noqa: PLR2004
        stream = stream_key(shape[4]) if len(shape) > 4 else DEFAULT_STREAM  # noqa: PLR2004
        _perform(run, node, name, given, shape[:2], shared, made, (), stream, cooperative=cooperative)
        return 0

    return launched


def launch_by_configuration(run: HostRun, node: Node, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    """Return what `cudaLaunchKernelEx(&configuration, kernel, arguments…)` does."""
    configuration, kernel = run.expression(arguments[0]), launched_kernel(run, arguments[1])
    values = given_arguments(run, arguments[2:])

    def launched(frame: HostFrame) -> object:
        name, template = kernel(frame)
        given = target_value(configuration(frame))
        fields = given.fields if isinstance(given, Structure) else {}
        shape = [fields[part].load() if part in fields else UNKNOWN for part in ("gridDim", "blockDim")]
        shared = fields["dynamicSmemBytes"].load() if "dynamicSmemBytes" in fields else 0
        made = {place: (text, item.load()) for place, (text, item) in enumerate(values(frame))}
        stream = stream_key(fields["stream"].load()) if "stream" in fields else DEFAULT_STREAM
        _perform(
            *(run, node, name, template, shape, shared, made, (), stream),
            cooperative=may_be_cooperative(fields),
            is_dependent=may_overlap(fields),
            cluster=cluster_of(fields),
        )
        return 0

    return launched


def _pointed(listed: Pointer) -> Iterator[tuple[str, object]]:
    """Yield the values that `void *arguments[] = {&a, &b}` points to."""
    for offset in sorted(listed.memory.objects):
        value = listed.memory.objects[offset]
        if isinstance(value, CellAddress):
            yield "", value.cell.load()
        elif isinstance(value, Pointer):
            yield "", HostElement(value.memory, value.offset, value.target).load()
        else:
            yield "", UNKNOWN


def _perform(  # noqa: PLR0913, PLR0917  (the parts of a launch)
    run: HostRun,
    node: Node,
    name: str,
    template: tuple[str, ...] | None,
    shape: Sequence[object],
    shared: object,
    arguments: Mapping[int, tuple[str, object]],
    nodes: Sequence[Node],
    stream: Hashable,
    *,
    cooperative: bool = False,
    is_instance: bool = True,
    is_dependent: bool = False,
    cluster: Dims | None = None,
) -> None:
    run.state.launches += 1
    definitions = run.kernels.get(name.rpartition("::")[2], ())
    definition = next((item for item in definitions if len(item.parameters) == len(arguments)), None)
    numbers: dict[int, int] = {}
    types = [definition.parameters[place].type if definition is not None else "" for place in arguments]
    pairs = zip(arguments.items(), types, strict=True)
    arguments = {place: (text, _of_class(run, value, type_)) for (place, (text, value)), type_ in pairs}
    made = [
        _argument(run, text, _converted(run, value, type_), numbers)
        for (text, value), type_ in zip(arguments.values(), types, strict=True)
    ]
    given = _deduced(definition, template, [value for _, value in arguments.values()])
    grid, block = (_dims(item) for item in shape)
    node, line = run.site(node)
    unresolved = any(item is not None and 0 in item for item in (grid, block))
    result = HostLaunch(
        grid=grid,
        block=block,
        shared_bytes=shared % NEGATIVE if isinstance(shared, int) else None,
        arguments=tuple(made),
        line=line,
        cooperative=cooperative,
        cluster=cluster,
        origin=_origin(run.state),
        assumed=tuple(run.state.given.used.items()),
        variables=tuple(_device_variables(run)),
        moment=next(MOMENTS) - run.start,
    )
    outputs = [
        memory
        for (_, value), type_ in zip(arguments.values(), types, strict=True)
        for memory in _writable(value, type_)
    ]
    earlier = NamedLaunch(f"{name}<{', '.join(given)}>" if given else name, result)
    run.state.record(earlier)
    run.state.streams.launch(stream, StreamLaunch(earlier.kernel, result, is_dependent))
    is_certain = grid is not None and block is not None and not run.state.open
    for memory in outputs:
        memory.forget()  # the kernel may write it
        memory.changed = 0
        if is_certain and id(memory) in numbers and not memory.is_constant:
            memory.output = KernelOutput(earlier, numbers[id(memory)])
    if run.state.given.used and (unresolved or run.state.lacks_memory):
        return  # the values that stand for the command line give no launch
    key = (node.id, name, given, result)
    if key in run.state.different or len(run.state.different) >= MOST_DIFFERENT:
        return
    run.state.different.add(key)
    state = run.state
    state.performed.append(Performed(node, name, given, tuple(nodes), result, is_instance, state.calls, state.streams))


def _origin(state: HostState) -> Origin:
    """Return how a run of the host code came to where it is."""
    if state.against > 0:
        return Origin.FORCED
    return Origin.ASSUMED if state.given.used else Origin.HOST


def _writable(value: object, type_: str) -> Iterator[Memory]:
    """Yield the memory that a kernel may write through an argument: a pointer, or those in a structure."""
    if isinstance(value, Pointer) and not TO_CONSTANT.search(type_):
        yield value.memory
    elif isinstance(value, Structure):
        for cell in value.fields.values():
            yield from _writable(cell.value, "") if not cell.type.is_array else ()


def _device_variables(run: HostRun) -> Iterator[tuple[str, bytes | None]]:
    """Yield the variables of the device that the host code copied values to, with their bytes if they are known."""
    for name, cell in run.state.globals.items():
        if not any(cell is symbol for symbol in run.state.symbols):
            continue
        value, type_ = cell.load(), cell.type
        if isinstance(value, Pointer) and type_.is_array:
            memory = with_structures(value.memory)
        elif isinstance(value, Structure):
            memory = pack(value)
        else:
            memory = Memory(type_.size)
            memory.store(0, type_, value)
        yield name, memory.contents()


def _of_class(run: HostRun, value: object, type_: str) -> object:
    """Return an argument as the pointer or the number that its class converts it to for the parameter."""
    return by_class(run, value, run.type(type_, HostFrame())) if type_ and isinstance(value, Structure) else value


def _converted(run: HostRun, value: object, type_: str) -> object:
    """Return an argument as a value of the parameter's type, where that is a plain number."""
    return as_type(value, run.type(type_, HostFrame())) if type_ and isinstance(value, int | float) else value


def _dims(value: object) -> Dims | None:
    if isinstance(value, float) and isfinite(value):
        value = int(value)
    if isinstance(value, int):
        return (value & 0xFFFFFFFF, 1, 1)
    if isinstance(value, tuple) and all(isinstance(size, int) for size in value):
        return value
    return None


def _argument(run: HostRun, text: str, value: object, numbers: dict[int, int]) -> HostArgument:
    """Return what is known of an argument; the allocations of a launch are numbered in the order of the arguments."""
    if isinstance(value, int | float):
        return HostArgument(text, value=value)
    if isinstance(value, Structure) and value.memory is not None:
        value = UNKNOWN
    if isinstance(value, Structure):
        named = members(value) if value.type.members else ((name, cell.value) for name, cell in value.fields.items())
        fields = tuple((name, _argument(run, f"{text}.{name}", part, numbers)) for name, part in named)
        return HostArgument(text, fields=fields)
    if isinstance(value, Pointer):
        if value.offset is None:
            return HostArgument(text)
        number = numbers.setdefault(id(value.memory), len(numbers))
        return HostArgument(text, buffer=_buffer(run, value.memory, number), offset=value.offset)
    return HostArgument(text)


def _buffer(run: HostRun, memory: Memory, number: int) -> HostBuffer:
    if memory.number is None:
        memory.number = next(run.allocations)
    whole = with_structures(memory)
    contents = whole.contents() if whole.filled is None else None
    is_sorted, output = memory.is_sorted, memory.output
    return HostBuffer(
        number,
        memory.size,
        memory.filled,
        contents,
        is_sorted=is_sorted,
        first=memory.first_bytes() if contents is None and memory.filled is None and not is_sorted else b"",
        output=output,
        allocation=memory.number,
        changed=max(0, memory.changed - run.start),
    )


def _deduced(
    definition: Definition | None, given: tuple[str, ...] | None, values: Sequence[object]
) -> tuple[str, ...] | None:
    """Return the arguments of a kernel template, with those that follow from the types of the arguments."""
    if definition is None or definition.template is None:
        return given
    known = list(given or ())
    for item in definition.template[len(known) :]:
        text = item.default
        for parameter, value in zip(definition.parameters, values, strict=False):
            bare = " ".join(re.sub(r"\b(?:const|volatile|__restrict__|__restrict)\b", " ", parameter.type).split())
            if bare in {item.name, f"{item.name} *"}:
                text = type_name(value, pointer=bare.endswith("*")) or text
                break
        if text is None:
            return given
        known.append(text)
    return tuple(known)
