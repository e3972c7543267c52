"""Combine what the PTX and the source say about each kernel; where sizes differ, the PTX is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.block_names import named_block, numbered_block
from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.instances import TYPES
from shflbench.cuda_sources.kernel_file import HostLaunch, KernelParameter, SourceKernel
from shflbench.cuda_sources.naming import normalize
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.definitions import Definition, SourceParameter
    from shflbench.cuda_sources.demangle import Demangled
    from shflbench.cuda_sources.kernel_file import NamedBlock
    from shflbench.cuda_sources.launch_texts import LaunchSite
    from shflbench.cuda_sources.ptx import PtxKernel, PtxParameter
    from shflbench.cuda_sources.source import CudaSource

_ANONYMOUS = "(anonymous namespace)::"


def kernel_of(kernel: PtxKernel, files: Mapping[str, Path], source: CudaSource | None) -> SourceKernel:
    """Return a kernel of the PTX with what names, types and launches the source gives it."""
    known = demangle(kernel.symbol)
    definition = _definition(kernel, known, files, source) if source is not None else None
    name = known.full_name.replace(_ANONYMOUS, "") if known is not None else kernel.symbol
    place = definition.place if definition is not None else None
    if place is None and kernel.line:
        place = SourceLine(files.get(kernel.file, Path(kernel.file)), kernel.line)
    return SourceKernel(
        name=name,
        symbol=kernel.symbol,
        parameters=_parameters(kernel, known, definition, source),
        place=place,
        host_launches=_launches(known, definition, source) if definition is not None and source is not None else (),
        launch_bounds=kernel.bounds,
        named_block=_block(known, definition, source),
    )


def _block(known: Demangled | None, definition: Definition | None, source: CudaSource | None) -> NamedBlock | None:
    arguments = known.template_arguments or () if known is not None else ()
    if definition is None or source is None or definition.is_specialization:
        return numbered_block(arguments)
    return named_block(definition, arguments, source)


def _definition(
    kernel: PtxKernel, known: Demangled | None, files: Mapping[str, Path], source: CudaSource
) -> Definition | None:
    name = known.name.replace(_ANONYMOUS, "") if known is not None else kernel.symbol
    named = source.named(name, plain=known is None)
    file = files.get(kernel.file)

    def has_line(item: Definition) -> bool:
        is_of_file = file is not None and _same(item.place.file, file)
        return is_of_file and item.place.line <= kernel.line <= item.end

    if special := list(filter(has_line, source.same_names.specializations(name))):
        return special[0]
    if not named and file is not None:  # a macro opens a namespace
        named = list(filter(has_line, source.named(name.rpartition("::")[2], plain=True)))
    if len(named) > 1 and file is not None:
        named = list(filter(has_line, named))
    return named[0] if len(named) == 1 else None


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()


def _parameters(
    kernel: PtxKernel, known: Demangled | None, definition: Definition | None, source: CudaSource | None
) -> tuple[KernelParameter, ...]:
    count = len(kernel.parameters)
    mangled = known.parameters if known is not None and len(known.parameters) == count else None
    declared = definition.parameters_of(count) if definition is not None else None
    return tuple(
        _parameter(
            index, item, mangled[index] if mangled else "", declared[index] if declared else None, definition, source
        )
        for index, item in enumerate(kernel.parameters)
    )


def _parameter(  # noqa: PLR0913, PLR0917  (all that is known of one parameter)
    index: int,
    item: PtxParameter,
    mangled: str,
    declared: SourceParameter | None,
    definition: Definition | None,
    source: CudaSource | None,
) -> KernelParameter:
    # The mangled type has no typedefs and template parameters; the declared one has the names that users know.
    template = definition is not None and bool(definition.template)
    shown = declared.type if declared is not None and not template else mangled
    types = source.types if source is not None else None
    what = meaning(mangled or shown, types.aliases if types is not None else {})
    name = declared.name if declared is not None and declared.name else f"arg{index}"
    if not (mangled or shown):
        return KernelParameter(name, "", None, item.pointer, item.size, item.offset)
    pointer = what.pointer and item.size == 8 and not item.structure  # noqa: PLR2004  (bytes of a pointer)
    if what.pointer and not pointer:
        return KernelParameter(name, shown, None, pointer=False, size=item.size, offset=item.offset)
    has_parts = what.element is None or (what.lanes > 1 and not pointer)
    value = types.value(what.base) if types is not None and has_parts else None
    if value is not None and not pointer and value[0] != item.size:
        value = None
    element, element_bytes = what.element, what.element_bytes
    if element_bytes is not None and not pointer and element_bytes != item.size:
        element, element_bytes = None, None
    return KernelParameter(
        name=name,
        type=shown,
        element=element,
        pointer=pointer,
        size=item.size,
        offset=item.offset,
        fields=value[2] if value is not None else (),
        const=what.const,
        lanes=what.lanes if element is not None else 1,
        element_bytes=element_bytes if value is None else value[0],
    )


def _launches(known: Demangled | None, definition: Definition, source: CudaSource) -> tuple[HostLaunch, ...]:
    if definition.template is None:
        calls = source.meant_launches(definition)
        return tuple(call.launch for call in calls if call.template_arguments is None) or _obscure(definition, source)
    if known is None or known.template_arguments is None:
        return ()
    wanted = tuple(normalize(item, source.types.aliases) for item in known.template_arguments)
    template: Definition | None = definition
    if definition.is_specialization:
        template = source.same_names.template_of(definition, known.template_arguments, source.types.aliases)
    if template is None:
        return ()
    result = []
    for call, arguments in source.instances_of(template) or _assumed(template, source):
        if tuple(normalize(item, source.types.aliases) for item in arguments) == wanted:
            result.append(call.launch)
    return tuple(dict.fromkeys(result)) or _of_other_instances(template, source) or _obscure(template, source)


def _assumed(definition: Definition, source: CudaSource) -> list[tuple[LaunchSite, tuple[str, ...]]]:
    return [item for type_ in TYPES for item in source.assumed_instances(definition, type_)]


def _obscure(definition: Definition, source: CudaSource) -> tuple[HostLaunch, ...]:
    """Return a launch of which nothing is known, if one of the host code may be of the kernel: `kernels[n]<<<…>>>`."""
    line = source.obscured.get(definition.name)
    return (HostLaunch(None, None, None, (), line),) if line is not None else ()


def _of_other_instances(definition: Definition, source: CudaSource) -> tuple[HostLaunch, ...]:
    """Return a launch in the shape that the text says, if the host code may launch the instance in an unclear way."""
    calls = source.meant_launches(definition)
    resolved = {call.node.id for call, _ in source.instances_of(definition)}
    open_calls = [call for call in calls if call.node.id not in resolved or not call.performed]
    if not open_calls and not (calls and all(call.launch.origin > Origin.HOST for call in calls)):
        return ()
    first = (open_calls or calls)[0].launch
    # Launches that are understood are those of other instances, which may have blocks of their own.
    grid, block = common_shape([call.launch for call in open_calls]) if open_calls else (None, None)
    return (HostLaunch(grid, block, None, (), first.line),)


def common_shape(launches: Sequence[HostLaunch]) -> tuple[Dims | None, Dims | None]:
    """Return the grid and the block that all launches have, whatever the instance and the numbers are: `<<<1, 1>>>`."""
    is_of_host = all(launch.origin is Origin.HOST for launch in launches)
    differ = len({launch.assumed for launch in launches}) > 1 and Origin.FORCED not in {one.origin for one in launches}
    grids, blocks = ({getattr(launch, part) for launch in launches} for part in ("grid", "block"))
    grid, block = (
        next(iter(known)) if (is_of_host or differ) and len(known) == 1 else None for known in (grids, blocks)
    )
    return grid, block
