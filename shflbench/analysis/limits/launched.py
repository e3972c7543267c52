"""The least time of a launch whose blocks were counted: how often its loops iterate, and what it asks of memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.bound import LOAD_STORE, clocks_per_warp, integer_instructions
from shflbench.analysis.limits.counts import count
from shflbench.analysis.limits.units import ExecutionUnit, unit_of
from shflbench.core.model import AccessKind, AccessSpace, TimedCode, WarpOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.arch import Architecture
    from shflbench.core.model import (
        AccessRequests,
        Instruction,
        KernelRequests,
        LaunchCounts,
        MemoryFootprint,
        OnePassCode,
    )

SECTOR = 32  # bytes
SHUFFLE, INSTRUCTION = "SHFL", "instruction"  # beside units, what is counted
_WIDTHS = {".128": 128, ".64": 64, ".U8": 8, ".S8": 8, ".U16": 16, ".S16": 16}  # in opcodes; others are of 32 bits
_OPCODES = {  # of loads and stores, which machine code has as PTX has them, or several as a wider one
    "LDG": (AccessSpace.GLOBAL, AccessKind.LOAD),
    "STG": (AccessSpace.GLOBAL, AccessKind.STORE),
    "LDS": (AccessSpace.SHARED, AccessKind.LOAD),
    "STS": (AccessSpace.SHARED, AccessKind.STORE),
}
SHARED_ATOMIC = "ATOMS"
COMBINING = frozenset({"REDUX", "CREDUX", "POPC", "UPOPC", "FLO", "UFLO"})  # lanes of a warp: sums, counts, leaders
Access = tuple[AccessSpace, AccessKind]


@dataclass(frozen=True, slots=True)
class LaunchWork:
    """The machine code of a launch and what was counted of it."""

    code: OnePassCode
    counts: LaunchCounts

    @property
    def has_uncounted_loop(self) -> bool:
        """Whether a loop accesses no memory, so that nothing says how often it iterates."""
        return not all(map(_bits_of, self.code.inner_loops))

    def joined(self, access: AccessRequests) -> float:
        """Return of how many accesses of the PTX the compiler may have made one in machine code, at most."""
        key = access.space, access.kind
        widths = [_width(one) for one in self._instructions if _OPCODES.get(one.base) == key]
        return max(1.0, max(widths, default=0) / access.bits)

    @property
    def has_barriers(self) -> bool:
        """Whether the machine code has barriers of the block, which the compiler may have made ones of the warp."""
        return any(unit_of(one) is ExecutionUnit.BARRIER for one in self._instructions)

    @property
    def counts_lanes(self) -> bool:
        """Whether an atomic on shared memory counts lanes, so that those on one word take one pass."""
        return any(one.base == SHARED_ATOMIC and ".POPC" in one.opcode for one in self._instructions)

    @property
    def joins_atomics(self) -> bool:
        """Whether the lanes of a warp may combine what they add to one address, as compilers do for integers."""
        return any(one.base in COMBINING for one in self._instructions)

    def operations(self, kind: WarpOperation) -> float:
        """Return the barriers or shuffles of the warps of a block, as they were counted; 0 where they were not."""
        return sum(one.requests for one in self.counts.requests.operations if one.kind is kind)

    @property
    def _instructions(self) -> list[Instruction]:
        return [item.instruction for item in self.code.every.instructions]


def dram_bytes(footprint: MemoryFootprint, l2_bytes: int, *, cold: bool) -> float:
    """Return the bytes that DRAM moves in a launch, at least.

    L2 keeps at most its size of what the launch reads, or nothing if it is `cold`, and at most its size of what the
    launch wrote. Over launches one after another, both share the cache, except for bytes that are read and written.
    """
    if cold:
        return footprint.read_bytes + max(0.0, footprint.written_bytes - l2_bytes)
    return max(0.0, footprint.distinct_bytes - l2_bytes, footprint.read_bytes + footprint.written_bytes - 2 * l2_bytes)


def l2_bytes_moved(work: LaunchWork) -> float:
    """Return the bytes that pass between the SMs and L2 in the busier direction, at least.

    L1 may serve a load, but writes stores through, sector by sector.
    """
    footprint = work.counts.footprint
    return max(footprint.read_bytes, footprint.written_bytes, stored_bytes(work))


def stored_bytes(work: LaunchWork) -> float:
    """Return the bytes of the sectors that stores and atomics send to L2, at least."""
    per_block = sum(
        access.requests * (access.sectors or 0.0) * SECTOR / work.joined(access)
        for access in work.counts.requests.accesses
        if access.space is AccessSpace.GLOBAL and access.kind is not AccessKind.LOAD
    )
    return per_block * work.counts.grid


def atomics_on_one_address(work: LaunchWork) -> float:
    """Return the atomic operations on the address of global memory that gets the most of one line's, at least."""
    counts = ((one.requests if work.joins_atomics else one.lanes) for one in work.counts.atomics)
    return max(counts, default=0.0)


def launch_clocks(work: LaunchWork, arch: Architecture, sms: int) -> dict[str, float]:
    """Return the clocks that each unit of the busiest SM needs, at least.

    That SM executes at least the average of all SMs, and at least one average block.
    """
    requests = work.counts.requests
    blocks = max(work.counts.grid / sms, 1.0)
    warps = blocks * requests.warps
    executed = _executed(work, arch)
    known = count(work.code.certain)
    units = {unit: executed[unit] for unit in ExecutionUnit if executed.get(unit)}
    counted = replace(known, certain=units, certain_instructions=executed[INSTRUCTION])
    clocks = clocks_per_warp(counted, arch, executed.get(ExecutionUnit.INTEGER, 0.0))
    parts: dict[str, float] = {name: per_warp * warps for name, per_warp in clocks}
    shuffles = max(executed.get(SHUFFLE, 0.0) * warps, work.operations(WarpOperation.SHUFFLE) * blocks)
    if arch.barrier and work.has_barriers:
        arrivals = blocks * work.operations(WarpOperation.BARRIER) / arch.barrier.value
        parts[ExecutionUnit.BARRIER] = max(parts.get(ExecutionUnit.BARRIER, 0.0), arrivals)
    shared = [one for one in requests.accesses if one.space is AccessSpace.SHARED]
    if path := arch.exchange or arch.shared_memory:
        passes = sum(exchange_passes(one, work) for one in shared)
        parts[ExecutionUnit.EXCHANGE] = (blocks * passes + shuffles) / path.value
    if arch.load_store:
        rate = arch.load_store.value
        slots = blocks * sum(load_store_clocks(one, work, arch) for one in requests.accesses)
        parts[LOAD_STORE] = slots + shuffles / rate
    return {name: value for name, value in parts.items() if value}


def exchange_passes(access: AccessRequests, work: LaunchWork) -> float:
    """Return the passes of an access to shared memory per block, at least: joined loads take half if uniform.

    Additions to one word follow one another, but for `ATOMS.POPC.INC`, which counts lanes: `atomic_shared_same` of the
    calibration of an H200 takes 32 clocks per request.
    """
    passes = access.passes or 0.0
    if access.kind is AccessKind.ATOMIC and not work.counts_lanes:
        passes = max(passes, access.same_address or 0.0)
    share = 0.5 if access.kind is AccessKind.LOAD and work.joined(access) > 1 else 1.0
    return access.requests * passes * share


def load_store_clocks(access: AccessRequests, work: LaunchWork, arch: Architecture) -> float:
    """Return the clocks of the load/store unit per block, at least: an access of many lines looks up many tags."""
    slot = 1 / arch.load_store.value if arch.load_store else 0.0
    lookups = access.lines / arch.l1_tags.value if access.lines and arch.l1_tags else 0.0
    return access.requests * max(slot, lookups) / work.joined(access)


def _executed(work: LaunchWork, arch: Architecture) -> Mapping[str, float]:
    """Return the instructions that a warp executes on average, at least, by unit.

    What loads and stores move is counted, in bits. What they do not move outside of loops they move in one of the inner
    loops with such an access, so that these iterate as often, and execute what is in every pass as often.
    """
    code, once = work.code, _needs(work.code.certain, arch)
    outside = tuple(item for item in code.certain.instructions if item.instruction.address not in code.looped)
    always = _needs(TimedCode(outside, 1), arch)
    loops = [(_bits_of(loop), _needs(loop, arch)) for loop in code.inner_loops]
    repeated: dict[str, float] = {}
    for access, bits in _counted_bits(work.counts.requests).items():
        passes = [(moved[access], needs) for moved, needs in loops if moved[access]]
        bits_outside = _bits_outside(code, access)
        if not passes or bits_outside is None:
            continue
        for name in passes[0][1]:
            least = min(needs.get(name, 0.0) / moved for moved, needs in passes)
            repeated[name] = max(repeated.get(name, 0.0), (bits - bits_outside) * least)
    names = {*once, *always, *repeated}
    return {name: max(once.get(name, 0.0), always.get(name, 0.0) + repeated.get(name, 0.0)) for name in names}


def _needs(code: TimedCode, arch: Architecture) -> dict[str, float]:
    """Return the instructions that one pass executes in full warps, by unit, all, and the shuffles."""
    counts = count(code)
    certain = [item.instruction for item in code.instructions if item.always and not item.instruction.predicate]
    return {
        **{str(unit): number for unit, number in counts.certain.items()},
        INSTRUCTION: counts.certain_instructions,
        ExecutionUnit.INTEGER: integer_instructions(code, counts, arch),
        SHUFFLE: float(sum(one.base == SHUFFLE for one in certain)),
    }


def _counted_bits(requests: KernelRequests) -> Mapping[Access, float]:
    """Return the bits per lane that a warp moves, on average."""
    moved: dict[Access, float] = defaultdict(float)
    for one in requests.accesses:
        moved[one.space, one.kind] += one.requests * one.bits / requests.warps
    return moved


def _bits_of(code: TimedCode) -> Counter[Access]:
    """Return the bits per lane that one pass through machine code moves."""
    moved: Counter[Access] = Counter()
    for item in code.instructions:
        if access := _OPCODES.get(item.instruction.base):
            moved[access] += _width(item.instruction)
    return moved


def _width(instruction: Instruction) -> int:
    return next((bits for name, bits in _WIDTHS.items() if name in instruction.opcode), 32)


def _bits_outside(code: OnePassCode, access: Access) -> int | None:
    """Return the bits that such accesses move outside of loops; None if one is in a loop around another loop."""
    inner = {item.instruction.address for loop in code.inner_loops for item in loop.instructions}
    accesses = [item.instruction for item in code.every.instructions if _OPCODES.get(item.instruction.base) == access]
    if any(one.address in code.looped and one.address not in inner for one in accesses):
        return None
    return sum(_width(one) for one in accesses if one.address not in code.looped)
