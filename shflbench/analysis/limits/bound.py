"""The least number of clocks per iteration that the hardware allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.chain import CLUSTER_WAIT, FENCE, L2, SYSTEM_FENCE, cycles_per_pass, results_awaited
from shflbench.analysis.limits.counts import count
from shflbench.analysis.limits.load_store import best_case, load_store_clocks, match_values, register_requests
from shflbench.analysis.limits.units import UNPUBLISHED, ExecutionUnit, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shflbench.analysis.limits.counts import Counts
    from shflbench.core.arch import Architecture, Figure
    from shflbench.core.model import KernelRequests, TimedCode

ISSUE, LATENCY, LOAD_STORE = "issue", "latency", "load/store"  # limits that are no unit's
PRODUCT = "HMMA.16816"  # of which the rate is known
WARP = 32
# Each sub-partition of an SM has its own part of these, and a warp always stays in its sub-partition.
PARTITIONED = {ISSUE, ExecutionUnit.FP32, ExecutionUnit.HALF2, ExecutionUnit.INTEGER, ExecutionUnit.SPECIAL}


@dataclass(frozen=True, slots=True)
class Residency:
    """The warps that the busiest SM executes."""

    warps_per_block: int
    warps: int  # in total, over all waves
    waves: int = 1  # one after another, at least
    partial_warps: int = 0  # of `warps`, those with fewer than 32 threads

    @classmethod
    def of(cls, grid: int, block: int, sms: int, resident_blocks: int | None = None) -> Residency:
        """Return the warps of a launch; `resident_blocks` are those of one SM at a time, None if unknown.

        The busiest SM executes at least `grid / sms` blocks, rounded up, however the GPU distributes them.
        """
        per_block = math.ceil(block / WARP)
        blocks = math.ceil(grid / sms)
        waves = math.ceil(blocks / resident_blocks) if resident_blocks else 1
        return cls(per_block, blocks * per_block, waves, blocks if block % WARP else 0)

    def in_busiest_of(self, parts: int) -> int:
        """Return the warps of the busiest of several sub-partitions, at least."""
        return math.ceil(self.warps / parts)


@dataclass(frozen=True, slots=True)
class Limit:
    """A lower bound for the clocks per iteration."""

    cycles: float
    by: str  # what sets it: a unit, `issue`, `load/store` or `latency`
    parts: Mapping[str, float]  # the bound of each
    omitted: tuple[str, ...]  # what no figure of the architecture is known for, so that it does not count
    assumed: tuple[str, ...] = ()  # the best case, where the code does not show what happens, such as `loads hit L1`


def limit(
    code: TimedCode, arch: Architecture, residency: Residency, requests: KernelRequests | None = None
) -> Limit | None:
    """Return the limit of a timed loop; None if it contains an opcode that no unit is known for.

    `requests` to memory, which the emulator counts, replace the best case where they are known.
    """
    counts = count(code, requests)
    if counts.unknown:
        return None
    parts = dict(_throughput(counts, arch, residency, integer_instructions(code, counts, arch)))
    parts |= dict(_requests(code, counts, arch, residency, requests))
    latencies = _latencies(arch)
    parts[LATENCY] = residency.waves * cycles_per_pass(code, latencies) / code.unroll
    by = max(parts, key=lambda name: parts[name])
    omitted = (
        *_without_rate(counts, parts, arch),
        *(f"latency of {name}" for name in results_awaited(code, latencies)),
    )
    return Limit(parts[by], by, parts, omitted, best_case(code, requests))


def _without_rate(counts: Counts, parts: Mapping[str, float], arch: Architecture) -> Iterator[str]:
    """Yield what the code needs and no part counts."""
    memory = {ExecutionUnit.GLOBAL, ExecutionUnit.LOCAL} if LOAD_STORE in parts else set()
    if ISSUE not in parts:
        yield ISSUE
    unpublished = unpublished_units(counts.units, arch)
    for unit in counts.units:
        if unit in UNPUBLISHED:
            is_missing = unit in unpublished
        else:
            is_missing = unit in counts.certain and unit not in {ExecutionUnit.OTHER, *memory, *parts}
        if is_missing:
            yield unit


def unpublished_units(units: Iterable[ExecutionUnit | None], arch: Architecture) -> list[str]:
    """Return those of the units whose rate no document says and no figure of the architecture has."""
    known = {
        ExecutionUnit.MBARRIER: arch.mbarrier,
        ExecutionUnit.CLUSTER_STORE: arch.cluster_store,
        ExecutionUnit.MATRIX: arch.movmatrix or arch.mma,
        ExecutionUnit.CLUSTER_BARRIER: arch.cluster_barrier_latency,
    }
    return sorted({unit for unit in units if unit in UNPUBLISHED and known.get(unit) is None})


def _throughput(
    counts: Counts, arch: Architecture, residency: Residency, integers: float
) -> Iterator[tuple[str, float]]:
    """Yield the clocks per iteration that each unit needs for all warps, where it takes its instructions alike."""
    for name, clocks in clocks_per_warp(counts, arch, integers):
        if name in PARTITIONED and arch.sub_partitions:
            parts = arch.sub_partitions.value
            yield name, residency.in_busiest_of(parts) * parts * clocks
        else:
            yield name, residency.warps * clocks


def _requests(
    code: TimedCode, counts: Counts, arch: Architecture, residency: Residency, requests: KernelRequests | None
) -> Iterator[tuple[str, float]]:
    """Yield likewise the clocks of units where an instruction's time depends on its addresses or values."""
    if ExecutionUnit.EXCHANGE in counts.certain and (path := arch.exchange or arch.shared_memory):
        # A request of a partial warp may take one pass, whatever its width.
        partial_passes = min(counts.certain[ExecutionUnit.EXCHANGE], counts.passes)
        full_warps = residency.warps - residency.partial_warps
        clocks = (full_warps * counts.passes + residency.partial_warps * partial_passes) / path.value
        if arch.exchange_per_sub_partition and arch.sub_partitions:
            warps = residency.in_busiest_of(arch.sub_partitions.value)
            clocks = max(clocks, warps * register_requests(code) / arch.exchange_per_sub_partition.value)
        yield ExecutionUnit.EXCHANGE, clocks
    if clocks := load_store_clocks(counts, arch, requests):
        yield LOAD_STORE, residency.warps * clocks
    if ExecutionUnit.MATCH in counts.certain and arch.match_values:
        yield ExecutionUnit.MATCH, residency.warps * match_values(code, requests) / arch.match_values.value

    if clocks := _matrix_clocks(code, arch):
        yield ExecutionUnit.MATRIX, residency.warps * clocks


def _matrix_clocks(code: TimedCode, arch: Architecture) -> float:
    """Return the clocks per warp and iteration of the matrix unit, of instructions whose rate is known."""
    rates = {"MOVM": arch.movmatrix, PRODUCT: arch.mma}
    certain = (item.instruction for item in code.instructions if item.always and not item.instruction.predicate)
    known = (next((rate for name, rate in rates.items() if one.opcode.startswith(name)), None) for one in certain)
    return sum(1 / rate.value for rate in known if rate) / code.unroll


def clocks_per_warp(counts: Counts, arch: Architecture, integers: float) -> Iterator[tuple[str, float]]:
    """Yield the clocks per warp and iteration of the units that take each instruction alike."""
    if arch.issue and arch.sub_partitions:
        yield ISSUE, counts.certain_instructions / (arch.issue.value * arch.sub_partitions.value)
    rates: dict[ExecutionUnit, Figure[float] | None] = {
        ExecutionUnit.BARRIER: arch.barrier,
        ExecutionUnit.VOTE: arch.vote,
        ExecutionUnit.REDUX: arch.redux,
        ExecutionUnit.FP32: arch.fp32,
        ExecutionUnit.FP64: arch.fp64,
        ExecutionUnit.HALF2: arch.half2,
        ExecutionUnit.INTEGER: _faster(arch.int32_add, arch.int32_logic),
        ExecutionUnit.SPECIAL: arch.special,
        ExecutionUnit.CONVERSION: arch.conversion,
        ExecutionUnit.UNIFORM: arch.uniform,
        ExecutionUnit.MBARRIER: arch.mbarrier,
        ExecutionUnit.CLUSTER_STORE: arch.cluster_store,
    }
    for unit, rate in rates.items():
        instructions = integers if unit is ExecutionUnit.INTEGER else counts.certain.get(unit)
        if rate and instructions:
            yield unit, instructions / rate.value


def integer_instructions(code: TimedCode, counts: Counts, arch: Architecture) -> float:
    """Return what the integer unit executes per iteration, with the opcodes that it has on this architecture only."""
    others = arch.integer_opcodes.value if arch.integer_opcodes else ()
    certain = (item.instruction for item in code.instructions if item.always and not item.instruction.predicate)
    added = sum(unit_of(one) is not ExecutionUnit.INTEGER and one.base in others for one in certain)
    return counts.certain.get(ExecutionUnit.INTEGER, 0.0) + added / code.unroll


def _faster(one: Figure[float] | None, other: Figure[float] | None) -> Figure[float] | None:
    """Return the higher of two rates; None if one is unknown."""
    return max(one, other, key=lambda figure: figure.value) if one and other else None


def _latencies(arch: Architecture) -> dict[str, int]:
    figures = {
        "SHFL": arch.shfl_latency,
        "LDS": arch.lds_latency,
        "LDL": arch.ldl_latency,
        "LDG": arch.ldg_latency,
        L2: arch.l2_latency or arch.ldg_latency,  # L2 is behind L1
        "BAR": arch.barrier_constant,
        "ATOMS": arch.atoms_latency,
        "REDUX": arch.redux_latency,
        "MATCH": arch.match_latency,
        "MOVM": arch.movmatrix_latency,
        FENCE: arch.fence_latency,
        SYSTEM_FENCE: arch.system_fence_latency,
        CLUSTER_WAIT: arch.cluster_barrier_latency,
    }
    return {name: figure.value for name, figure in figures.items() if figure}
