"""The size of a block that a kernel is written for, where its code shows one.

Code that is written for one size says so by names, such as the template parameter `blockSize`, and by constants:
`blockIdx.x * 64 + threadIdx.x` is unique in blocks of up to 64 threads, and `s[threadIdx.x]` with
`__shared__ int s[128]` is within bounds up to 128, as is `s[threadIdx.x / 32]` with four elements.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd, prod
from typing import TYPE_CHECKING

from shflbench.checker.inputs.asserted_sizes import asserted_sizes
from shflbench.checker.inputs.warp_arrays import most_threads_of_warps
from shflbench.core.dimensions import MAX_BLOCK_DIMS
from shflbench.core.model import MAX_BLOCK, WARP
from shflbench.cuda_sources.kernel_file import NamedBlock
from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.dataflow.polynomials import number_of
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import LaunchBounds
    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Program

AXES = "xyz"
AXIS_INDEXES = frozenset(f"threadIdx.{axis}" for axis in AXES)
LEAST_PART = 16  # threads: a smaller constant offset is a neighbor, not the second element of a thread
PADDING = 2  # columns or rows that a tile may have beside those of its threads
MULTIPLE = 4  # of which tiles without padding are


@dataclass(frozen=True, slots=True)
class SuggestedBlock:
    """The block that the code suggests."""

    block: Dims
    fixed: bool  # the numbers of threads in the grid are computed with it, so that no other block is right
    weak: bool = False  # only the size of an array suggests it, which may be written by fewer threads


def suggested_block(slicer: Slicer, indexes: Collection[str]) -> SuggestedBlock | None:
    """Return the block that the constants of a kernel suggest, None if there are none, or if they do not fit a block.

    `indexes` names those of `threadIdx.x`, `blockIdx.y`, … that the kernel uses.
    """
    values = slicer.kept(IndexValues.before_loops).known
    known = {number: value for number, value in values.items() if _is_index(value)}
    addresses = list(_addresses(slicer.ops, known))
    used = [axis for axis in AXES if f"threadIdx.{axis}" in indexes]
    if not used:
        return None
    strides = {axis: _stride(axis, known, addresses) for axis in used}
    sizes = _sizes(slicer.program, addresses, used)
    reads_size = any(f"%ntid.{axis}" in term for value in known.values() for term in value for axis in used)
    tile = {} if reads_size else _tile(slicer.program, addresses, used)
    named = asserted_sizes(slicer, "%ntid")
    chosen = {axis: max(strides[axis], tile.get(axis, 0)) or named.get(axis) or sizes.get(axis, 0) for axis in used}
    single = {axis for axis in used if not chosen[axis] and any(strides.values()) and _is_single(axis, known)}
    chosen |= dict.fromkeys(single, 1)
    x, y, z = (chosen.get(axis, 1) for axis in AXES)
    fixed = all(strides[axis] or axis in single for axis in used) and not reads_size
    # Tiles along several axes are blocks of any size; a single factor below a warp may count elements of a thread.
    is_tile = fixed and len(used) > 1 and min(strides.values()) > 1
    if not (2 if is_tile else WARP) <= x * y * z <= MAX_BLOCK:
        return None
    return SuggestedBlock((x, y, z), fixed=fixed, weak=not any(strides.values()))


def suggested_blocks(
    slicer: Slicer, indexes: Collection[str], named: NamedBlock | None, bounds: LaunchBounds
) -> list[SuggestedBlock]:
    """Return the blocks that names in the source, the constants of a kernel, launch bounds or barriers suggest."""
    constant = suggested_block(slicer, indexes)
    block = _complete(named, indexes) if named is not None else None
    if block is not None and prod(block) < WARP and not (named is not None and named.sure):
        block = None  # a number of elements, rather than of threads
    if block is None and constant is None and bounds.max_threads is not None:
        block = _complete(NamedBlock(prod(bounds.max_threads), 0, 0, sure=False), indexes)
    if block is None and constant is None:
        constant = _block_of_warps(slicer, indexes)
    if (
        block is None
        and constant is None
        and set(indexes) & AXIS_INDEXES == {"threadIdx.x"}
        and _only_syncs_warps(slicer)
    ):
        block = (WARP, 1, 1)
    if block is None:
        return [constant] if constant is not None else []
    sure = named is not None and named.sure
    if constant is None or constant.block == block:
        return [SuggestedBlock(block, fixed=constant is not None and constant.fixed)]
    by_name = SuggestedBlock(block, fixed=constant.fixed)
    return [by_name, constant] if sure else [constant, by_name]


def _block_of_warps(slicer: Slicer, indexes: Collection[str]) -> SuggestedBlock | None:
    """Return the largest block for whose warps an array in shared memory has elements; None if all blocks fit."""
    if set(indexes) & AXIS_INDEXES != {"threadIdx.x"}:
        return None
    known = slicer.kept(IndexValues.before_loops).known
    threads = most_threads_of_warps(slicer, known, list(_addresses(slicer.ops, known)))
    return SuggestedBlock((threads, 1, 1), fixed=False, weak=True) if WARP < threads < MAX_BLOCK else None


def _only_syncs_warps(slicer: Slicer) -> bool:
    """Return whether a kernel has barriers of warps and none of blocks, as one for blocks of a single warp."""
    of_warp = [
        op.instruction.modifiers[:1] == ("warp",)
        for op in slicer.ops
        if has_role(op.instruction, OpcodeRole.BLOCK_BARRIER)
    ]
    return bool(of_warp) and all(of_warp)


def _complete(named: NamedBlock, indexes: Collection[str]) -> Dims | None:
    """Return the block in the dimensions that a kernel uses; one number stands for a square, or for all threads."""
    used = [axis for axis in AXES if f"threadIdx.{axis}" in indexes]
    if not used:
        return None
    x, y, z = named.x, named.y or named.x, named.z or named.x
    block = (x, y if "y" in used else 1, z if "z" in used else 1)
    if prod(block) > MAX_BLOCK and used == ["x", "y"] and not named.y and x % WARP == 0:
        block = (WARP, x // WARP, 1)
    fits = prod(block) <= MAX_BLOCK and all(size <= most for size, most in zip(block, MAX_BLOCK_DIMS, strict=True))
    return block if fits else None


def _is_index(value: Polynomial) -> bool:
    """Return whether no part is taken away, as in `t - t / 32 * 32`, which is the same for several threads."""
    return all(factor >= 0 for term, factor in value.items() if term)


def _addresses(ops: Collection[Op], known: Mapping[int | None, Polynomial]) -> Iterator[tuple[Op, Polynomial]]:
    """Yield the accesses whose addresses are known, with these."""
    for op in ops:
        if isinstance(op.form, Access) and op.place is not None:
            base = Counter(known.get(number_of(op.place.base), {}))
            if base:
                base[()] += op.place.offset
                yield op, base


def _stride(axis: str, known: Mapping[int | None, Polynomial], addresses: Collection[tuple[Op, Polynomial]]) -> int:
    """Return the least constant that the index of the block is multiplied by, relative to that of the thread, or 0."""
    strides = {_ratio(value, axis) for value in known.values()} - {0}
    stride = min(strides, default=0)
    for op, value in addresses:
        part = _element(value, axis)
        if stride and _ratio(value, axis) == stride and op.place is not None and not op.place.offset % part:
            offset = op.place.offset // part
            if LEAST_PART <= offset < stride and stride % offset == 0:  # a thread has several elements
                stride = gcd(stride, offset)
    return stride


def _element(value: Polynomial, axis: str) -> int:
    return value[f"%tid.{axis}",]


def _is_single(axis: str, known: Mapping[int | None, Polynomial]) -> bool:
    """Return whether blocks have one thread along an axis: the index of the block is added to that of the thread."""
    parts = [(_element(value, axis), value[f"%ctaid.{axis}",]) for value in known.values()]
    return any(one == many > 0 for one, many in parts) and not any(
        f"%ntid.{axis}" in term for value in known.values() for term in value
    )


def _ratio(value: Polynomial, axis: str) -> int:
    one, many = _element(value, axis), value[f"%ctaid.{axis}",]
    return many // one if 0 < one < many and many % one == 0 and many // one <= MAX_BLOCK else 0


def _sizes(program: Program, addresses: Collection[tuple[Op, Polynomial]], used: Collection[str]) -> dict[str, int]:
    """Return the threads along each axis for which the largest array in shared memory has room."""
    best: dict[str, int] = {}
    for variable in program.shared_variables:
        inside = [
            value
            for op, value in addresses
            if op.place is not None
            and op.place.space == "shared"
            and variable.start <= value[()] < variable.start + variable.size
        ]
        room = _room(variable.size, inside, used)
        if room and prod(room.values()) > prod(best.values() or [0]):
            best = room
    return best


def _tile(program: Program, addresses: Collection[tuple[Op, Polynomial]], used: Collection[str]) -> dict[str, int]:
    """Return the threads along each axis that store one element each of a tile with a halo, if there is such a tile.

    Threads of the halo only load: the index of the block is multiplied by the smaller number of results. Where a block
    has a thread per result, threads store several elements, at further offsets.
    """
    for variable in program.shared_variables if len(used) > 1 else ():
        stores = [
            value
            for op, value in addresses
            if op.place is not None
            and op.place.space == "shared"
            and isinstance(op.form, Access)
            and op.form.kind == "st"
            and variable.start <= value[()] < variable.start + variable.size
        ]
        alike = all(value == stores[0] and value[()] == variable.start for value in stores)
        if stores and alike and all(not term or term[0].startswith("%tid.") for term in stores[0]):
            room = _room(variable.size, stores, used)
            if len(room) == len(used):
                return room
    return {}


def _room(size: int, inside: Collection[Polynomial], used: Collection[str]) -> dict[str, int]:
    """Return the threads along each axis that an array of `size` bytes, or a row of it, has elements for."""
    steps = [max((_element(value, axis) for value in inside), default=0) for axis in used]
    if not all(steps) or steps != sorted(steps):
        return {}
    rows = (factor for value in inside for term, factor in value.items() if term and term[0][0] != "%")
    ends = [*steps[1:], min((row for row in rows if steps[-1] < row < size), default=size)]
    return {axis: _trimmed(end // step) for axis, step, end in zip(used, steps, ends, strict=True)}


def _trimmed(count: int) -> int:
    """Return a number of elements without the padding or the halo of a tile."""
    return next((count - more for more in range(PADDING + 1) if (count - more) % MULTIPLE == 0), count)
