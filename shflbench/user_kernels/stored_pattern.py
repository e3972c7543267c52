"""Make a pattern of a comparison, as data: its buffers, numbers, kernels and inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.dimensions import LaunchDims
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.patterns.declare import ITERATIONS
from shflbench.patterns.stored import (
    ANY_BLOCK,
    BySize,
    StoredArgument,
    StoredBuffer,
    StoredLaterLaunch,
    StoredPattern,
    StoredScalar,
    StoredVariant,
)
from shflbench.user_kernels.comparison import by_size
from shflbench.user_kernels.pattern_values import at_size, buffer_dtype, element_count, number_value, stored_number
from shflbench.user_kernels.replaced_inputs import needs_other_inputs, other_rule, specified_rule
from shflbench.user_kernels.varied_inputs import left_out, other_value, varied_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker import CandidateBuffer, CandidateNumber, CandidateStep, KernelCandidate
    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.user_kernels.comparison import ComparedKernel, KernelComparison, Size

# Allowed error of a floating-point output, see `measure.verify`: a sum of thousands of terms in another order.
TOLERANCES = {"f64": 1e-10, "f32": 1e-4, "f16": 2e-2, "bf16": 5e-2}
USUAL_OPTIONS = ("-arch=", "-lineinfo")  # that NVRTC gets for every pattern
NOTHING = BySize({"": 0})

_MECHANISMS = (  # in the PTX of a kernel, the strongest evidence first
    (Mechanism.SHFL, r"\bshfl\.sync"),
    (Mechanism.COLLECTIVE, r"\b(?:vote|redux|match)\.sync"),
    (Mechanism.SMEM, r"\bst\.(?:volatile\.)?shared(?s:.*)\bld\.(?:volatile\.)?shared"),
    (Mechanism.ATOMIC, r"\b(?:atom|red)\.(?:\w+\.)*global"),
)


@dataclass(frozen=True, slots=True)
class Equality:
    """When the results of two kernels count as equal. Fields are parameters of `bench`."""

    tolerance: float | None = None  # relative, of floating-point results; None: the usual one of their type
    unordered: tuple[str | int, ...] = ()  # outputs whose elements may have any order, by name or position


def stored_pattern(comparison: KernelComparison, file: str, equality: Equality) -> StoredPattern:
    """Return the pattern; `file` names the user's file."""
    tolerance = _largest_tolerance(comparison) if equality.tolerance is None else equality.tolerance
    sizes = [size for size in comparison.sizes if size is not None]
    launches = [launch for kernel in comparison.kernels for launch in kernel.launches]
    dims = [LaunchDims(launch.grid, launch.block) for launch in launches]
    return StoredPattern(
        source=file,
        dtype=result_dtype(comparison),
        relative_tolerance=tolerance,
        not_compared=tuple(left_out(comparison)),
        launch=str(dims[0]),  # kernels may need its block
        dimensions=max(item.dimensions for item in dims),
        compiler_options=compiler_options(comparison.kernels[-1].unit),
        options={sizes[0][0]: tuple(value for _, value in sizes)} if sizes else {},
        buffers=tuple(_buffer(comparison, item, equality, tolerance) for item in comparison.first.buffers),
        scalars=tuple(_scalar(comparison, *item) for item in dict(_numbers(comparison)).items()),
        variants=tuple(_variant(comparison, kernel) for kernel in comparison.kernels),
    )


def _buffer(
    comparison: KernelComparison, buffer: CandidateBuffer, equality: Equality, tolerance: float
) -> StoredBuffer:
    use = comparison.use(buffer)
    is_result = use is not BufferUse.READ
    usual = TOLERANCES.get(buffer_dtype(buffer)) if equality.tolerance is None and is_result else None
    rules = {}
    if use is not BufferUse.WRITTEN:
        rules = {
            "inputs": specified_rule(buffer),
            "other_inputs": other_rule(comparison, buffer),
            "varied_inputs": varied_rule(comparison, buffer),
        }
    return StoredBuffer(
        kind="InOut" if is_result and rules else "Output" if is_result else "Input",
        name=buffer.name,
        elements=element_count(comparison, buffer),
        dtype=buffer_dtype(buffer),
        variable=buffer.variable,
        restored=use is BufferUse.CHANGED and not buffer.variable,
        unordered=is_result and buffer.name in equality.unordered,
        compared=not is_result or comparison.is_compared(buffer),
        relative_tolerance=None if usual == tolerance else usual,
        **rules,
    )


def _scalar(comparison: KernelComparison, name: str, numbers: Mapping[Size, CandidateNumber]) -> StoredScalar:
    return StoredScalar(
        name=name,
        value=at_size({size: stored_number(number) for size, number in numbers.items()}),
        dtype=number_value(next(iter(numbers.values())))[1],
        other=other_value(comparison, name, numbers),
    )


def _variant(comparison: KernelComparison, kernel: ComparedKernel) -> StoredVariant:
    candidate = kernel.candidate
    return StoredVariant(
        name=kernel.variant,
        kernel=candidate.kernels[0],
        source=f"{kernel.folder}/kernels.cu" if kernel.folder else "kernels.cu",
        mechanism=_mechanism(candidate),
        summary=f"`{candidate.name}`",
        arguments=_arguments(comparison, kernel, 0),
        other_inputs=needs_other_inputs(comparison, kernel),
        shared=_shared(kernel),
        cluster=kernel.launches[0].cluster,
        later=tuple(_later(comparison, kernel, step) for step in range(1, len(candidate.kernels))),
    )


def _later(comparison: KernelComparison, kernel: ComparedKernel, step: int) -> StoredLaterLaunch:
    """Return a kernel that follows the first one, with its launch."""
    launches = {size: launch.steps[step] for size, launch in by_size(kernel.launches).items()}
    shared = at_size({size: launch.shared_bytes for size, launch in launches.items()})
    return StoredLaterLaunch(
        kernel=kernel.candidate.kernels[step],
        dims=at_size({size: (launch.grid, launch.block) for size, launch in launches.items()}),
        arguments=_arguments(comparison, kernel, step),
        shared={} if shared == NOTHING else {ANY_BLOCK: shared},
        cluster=next(iter(launches.values())).cluster,
    )


def _step(kernel: ComparedKernel, step: int, size: Size | None = None) -> CandidateStep:
    """Return a launch of a sequence at one size, or at the first one."""
    return by_size(kernel.launches).get(size, kernel.launches[0]).steps[step]


def _arguments(comparison: KernelComparison, kernel: ComparedKernel, step: int) -> tuple[str | StoredArgument, ...]:
    launch = _step(kernel, step)
    values = [_passed(comparison, kernel, step, place) for place in range(len(launch.arguments))]
    arguments, end = [], 0
    for structure in launch.structures:
        arguments += values[end : structure.first]
        end = structure.first + len(structure.offsets)
        fields = zip(structure.offsets, values[structure.first : end], strict=True)
        arguments.append(StoredArgument(name=structure.name, size=structure.size, fields=tuple(fields)))
    return (*arguments, *values[end:])


def _passed(comparison: KernelComparison, kernel: ComparedKernel, step: int, place: int) -> str | StoredArgument:
    """Return an argument of a launch, or what is in a field: a name, or a pointer into a buffer."""
    name = _argument(comparison, kernel, _step(kernel, step).arguments[place])
    launches = {size: _step(kernel, step, size) for size in by_size(kernel.launches)}
    if not any(place in item.pointers and item.pointers[place].byte for item in launches.values()):
        return name
    return StoredArgument(name=name, byte=at_size({size: item.pointers[place].byte for size, item in launches.items()}))


def _shared(kernel: ComparedKernel) -> dict[int, BySize[int]]:
    """Return the dynamic shared memory of the launches, which may differ by the size of the blocks and of the data."""
    by_block = {
        threads: at_size({size: launch.shared_bytes for size, launch in by_size(launches).items()})
        for threads, launches in group_by(kernel.launches, lambda launch: prod(launch.block)).items()
    }
    first, *others = by_block.values()
    if any(item != first for item in others):
        return by_block
    return {} if first == NOTHING else {ANY_BLOCK: first}


def compiler_options(unit: PtxUnit) -> tuple[str, ...]:
    """Return the options of the compiler that a pattern must state."""
    return tuple(option for option in unit.options if not option.startswith(USUAL_OPTIONS))


def result_dtype(comparison: KernelComparison) -> str:
    """Return the element type of the first buffer that the kernels write, which names the cases."""
    buffers = _outputs(comparison) or list(comparison.first.buffers)
    return buffer_dtype(buffers[0]) if buffers else "i32"


def _largest_tolerance(comparison: KernelComparison) -> float:
    """Return the largest usual tolerance of an output that is compared; 0 without a floating-point one."""
    dtypes = map(buffer_dtype, filter(comparison.is_compared, _outputs(comparison)))
    return max((TOLERANCES[dtype] for dtype in dtypes if dtype in TOLERANCES), default=0.0)


def _outputs(comparison: KernelComparison) -> list[CandidateBuffer]:
    return [item for item in comparison.first.buffers if comparison.use(item) is not BufferUse.READ]


def _numbers(comparison: KernelComparison) -> Iterator[tuple[str, Mapping[Size, CandidateNumber]]]:
    """Yield the numbers of all kernels at each size, by the names of their scalars."""
    for kernel in comparison.kernels:
        for number in kernel.launches[0].numbers:
            yield _argument(comparison, kernel, number.name), _by_size(kernel, number.name)


def _by_size(kernel: ComparedKernel, name: str) -> dict[Size, CandidateNumber]:
    """Return the number called `name` at each size; empty if the kernel has no such number."""
    return {
        size: number
        for size, launch in by_size(kernel.launches).items()
        for number in launch.numbers
        if number.name == name
    }


def _argument(comparison: KernelComparison, kernel: ComparedKernel, name: str) -> str:
    """Return the name of the buffer or the scalar that a kernel gets: of another value, one of its own."""
    known = kernel.names[name]
    mine, base = _by_size(kernel, name), _by_size(comparison.kernels[0], known)
    if not mine:
        return known
    taken = {buffer.name for buffer in comparison.first.buffers} | {ITERATIONS}
    data, given = ({size: number.data for size, number in one.items()} for one in (mine, base))
    if data == given and known not in taken:
        return known
    return f"{known}_of_{kernel.variant}"


def _mechanism(candidate: KernelCandidate) -> Mechanism:
    """Return the mechanism that the PTX of a kernel shows."""
    return next((one for one, form in _MECHANISMS if re.search(form, candidate.ptx)), Mechanism.GLOBAL)
