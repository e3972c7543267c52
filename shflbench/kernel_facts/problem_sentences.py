"""Say why a kernel is slower than it needs to be, and what to change: one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.access_findings import AccessProblem
from shflbench.core.arch import load
from shflbench.core.arch.residency import (
    BLOCKS,
    REGISTERS,
    REGISTERS_PER_THREAD,
    SHARED_MEMORY,
    THREADS_PER_WARP,
    WARPS,
    SmCapacity,
    occupancy,
)
from shflbench.core.model import MAX_BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.core.arch.residency import Occupancy
    from shflbench.kernel_facts.facts import KernelFacts
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.places import Places

FEWEST_REGISTERS = 16  # fewer are hardly enough for any kernel


def advice(one: InspectedKernel, places: Places) -> Iterator[str]:
    """Yield a sentence for each problem of a kernel, the most expensive kinds first."""
    facts, figures = one.facts, load(one.arch)
    capacity = SmCapacity.of(figures) if figures else None
    if facts is None:
        return
    if facts.local_bytes or facts.spill_bytes:
        yield _local_memory(facts, places.of(one.subject, facts.local_steps))
    if facts.exhausted_registers and not facts.spill_bytes:
        yield _exhausted_registers(facts.exhausted_registers)
    yield from access_advice(one, places)
    if one.occupancy and capacity and one.occupancy.fraction < 1:
        yield _occupancy(one, facts, one.occupancy, capacity, places.kernel(one.subject))


def access_advice(one: InspectedKernel, places: Places) -> Iterator[str]:
    """Yield a sentence for each source line whose accesses take more passes or sectors than necessary."""
    for finding in one.accesses or ():
        yield access_sentence(finding, places.named(one.subject, finding.location))


def _local_memory(facts: KernelFacts, place: str) -> str:
    where = f" (most accesses: {place})" if place else ""
    if facts.spill_bytes:
        return (
            f"spills {facts.spill_bytes} bytes of registers per thread to local memory{where}; keep fewer values at "
            "a time, unroll less, or allow more registers with __launch_bounds__"
        )
    return (
        f"keeps {facts.local_bytes} bytes per thread in local memory{where}; index arrays with constants, for example "
        "in an unrolled loop, so that they fit into registers"
    )


def _exhausted_registers(number: int) -> str:
    """Return what kept the compiler from using more registers."""
    if number == REGISTERS_PER_THREAD:
        return f"uses all {number} registers that a thread can have; keep fewer values at a time, or unroll less"
    return (
        f"uses all {number} registers per thread that its launch bounds allow; smaller blocks, or fewer blocks per SM "
        "in `__launch_bounds__`, allow more"
    )


def access_sentence(finding: AccessFinding, place: str) -> str:
    """Return what a finding costs and what to change; `place` is its source line."""
    where = f"{place}: " if place else ""
    kind = f"{finding.access.kind} of {finding.access.bits} bits"
    if finding.kind is AccessProblem.BANK_CONFLICT:
        return (
            f"{where}bank conflicts: a {kind} takes {finding.per_request:.3g} passes instead of {finding.least:.3g}; "
            "pad or permute the array, so that the lanes of a warp access different banks"
        )
    return (
        f"{where}uncoalesced: a {kind} touches {finding.per_request:.3g} sectors of 32 bytes instead of "
        f"{finding.least:.3g}; let neighboring lanes access neighboring addresses"
    )


def _occupancy(one: InspectedKernel, facts: KernelFacts, resident: Occupancy, capacity: SmCapacity, place: str) -> str:
    """Return what keeps an SM from holding more warps of a kernel, which begins at `place` if that is known."""
    filled = f"{resident.warps} of {resident.of_warps} warps per SM"
    if not resident.blocks:
        filled = f"no block of {one.block} threads on an SM"
    if WARPS in resident.limited_by:
        return f"whole blocks of {one.block} threads fill {filled}{_block_size(one, facts, resident, capacity)}"
    if BLOCKS in resident.limited_by:
        most = f", because an SM holds {capacity.blocks} blocks"
        return f"blocks of {one.block} threads fill {filled}{most}{_block_size(one, facts, resident, capacity)}"
    if REGISTERS in resident.limited_by and SHARED_MEMORY in resident.limited_by:
        needs = f"{facts.registers} registers per thread and {one.shared_bytes} bytes of shared memory per block"
        return f"{needs}, each of them, allow {filled}"
    if REGISTERS in resident.limited_by:
        cause = f"{facts.registers} registers per thread allow {filled}"
        for count in range(facts.registers - 1, FEWEST_REGISTERS - 1, -1):
            more = occupancy(capacity, count, one.shared_bytes, one.block)
            if more.warps > resident.warps:
                where = f" at {place}" if place else ""
                bounds = f"`__launch_bounds__({one.block}, {more.blocks})`{where} makes the compiler use no more"
                return f"{cause}; {count} allow {more.warps}: {bounds}, and may make it spill"
        return cause
    cause = f"{one.shared_bytes} bytes of shared memory per block allow {filled}"
    size = _less_shared_memory(capacity, resident.blocks + 1)
    more = occupancy(capacity, facts.registers, size, one.block)
    return f"{cause}; {size} bytes allow {more.warps}" if more.warps > resident.warps else cause


def _less_shared_memory(capacity: SmCapacity, blocks: int) -> int:
    """Return the most bytes per block with which so many blocks are resident."""
    per_block = capacity.shared_bytes // blocks // capacity.shared_granule * capacity.shared_granule
    return max(0, per_block - capacity.reserved_shared_bytes)


def _block_size(one: InspectedKernel, facts: KernelFacts, resident: Occupancy, capacity: SmCapacity) -> str:
    """Return the block size that fills an SM best, nearest to the given one; empty if no other is better."""
    sizes = one.subject.pattern.declaration.block_sizes or range(THREADS_PER_WARP, MAX_BLOCK + 1, THREADS_PER_WARP)
    per_thread = one.shared_bytes / one.block  # as most kernels take it
    warps = {size: occupancy(capacity, facts.registers, round(per_thread * size), size).warps for size in sizes}
    best = max(sizes, key=lambda size: (warps[size], -abs(size - one.block)))
    return f"; blocks of {best} threads fill {warps[best]}" if warps[best] > resident.warps else ""
