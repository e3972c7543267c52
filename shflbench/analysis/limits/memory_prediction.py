"""Predict the time of a kernel that passes once over memory, from the bytes that it moves and its number of blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.first_warp import first_warp_clocks
from shflbench.analysis.limits.prediction import Prediction
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.analysis.limits.prediction import PredictedLaunch
    from shflbench.core.model import AccessRequests, KernelRequests, OnePassCode

SECTOR = 32  # bytes
SCATTERED = 32.0  # sectors per request, one per lane
SECTOR_PER_LANE = 0.95  # sectors per active lane of a store, from which each lane has its own
ONE_ADDRESS = 1.1  # atomics that the emulator counted, divided by the declared ones on one address, at most
PARTIAL = 1.3  # sectors of a request that writes them in part, divided by those that its bytes fill, at least
MOSTLY = 0.5  # share of the bytes from DRAM, from which a warp waits for DRAM
FEW_LANES = 30.0  # active lanes per store, on average, below which the data decide which lanes store


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUse:
    """The memory that a kernel of one pass uses."""

    distinct_bytes: float  # that it reads or writes; a byte that it uses twice counts once
    buffer_bytes: float  # of all its buffers
    l2_bytes: int
    is_cold: bool = False  # whether the L2 cache is empty at each launch
    loads: int | None = None  # instructions in the machine code that load from global memory; None if unknown
    has_atomics: bool = False  # whether the machine code has atomics on global memory
    atomics: float | None = None  # on the address that gets the most, at least; None if not declared
    output_words: float | None = None  # elements of its smallest result, over which undeclared atomics spread
    is_declared: bool = True  # whether the pattern declares the distinct bytes; if not, they are those of all buffers


def predict_one_pass(
    launch: PredictedLaunch,
    memory: MemoryUse,
    requests: KernelRequests | None = None,
    constants: PredictionConstants = DEFAULTS,
    code: OnePassCode | None = None,
) -> Prediction:
    """Return the predicted time of a launch of a kernel that passes once over memory.

    `requests` of the kernel to memory, which the emulator counts, show what it moves beyond the declared bytes. `code`
    shows what a warp waits for; without it, these waits do not count.
    """
    accesses = [one for one in requests.accesses if one.space is AccessSpace.GLOBAL] if requests else []
    warps = requests.warps if requests else launch.warps_per_block
    blocks = launch.grid * launch.warps_per_block / warps  # of the size that the requests are of
    has_atomics = memory.has_atomics or any(one.kind is AccessKind.ATOMIC for one in accesses)
    if reason := _refusal(memory, accesses, warps):
        return Prediction(None, reason=reason)
    if has_atomics and not _is_one_address(memory, accesses, blocks):
        return Prediction(None, reason="the time of its atomics on global memory depends on the addresses")
    c = constants
    moved = sum(_first_sectors(one, warps) for one in accesses) * SECTOR * blocks
    if not memory.distinct_bytes <= moved <= memory.buffer_bytes:  # L1 serves some of the requests
        moved = memory.distinct_bytes
    scattered = sum(one.requests * (one.sectors or 0.0) for one in accesses if _is_scattered_load(one, warps))
    moved = min(memory.buffer_bytes, moved + scattered * SECTOR * blocks)  # DRAM sends two sectors for each
    from_dram = 1.0 if memory.is_cold else _dram_share(moved / memory.l2_bytes, c)
    parts = (
        launch.grid * max(c.block_us, launch.warps_per_block * c.block_warp_us),
        from_dram * launch.grid / (launch.sms * launch.resident_blocks) * c.dram_round_us,
        (1 - from_dram) * moved / c.l2_bytes_per_us + from_dram * _dram_us(moved, accesses, warps, c),
        blocks * sum(partial_stores_us(one, c) for one in accesses),
    )
    overhead = c.repeated_us if launch.is_repeated else c.one_pass_us
    # Atomics on one address follow one another, and hardly overlap with the loads: `count`.
    overhead += (memory.atomics or 0.0) / c.atomics_per_clock / launch.clock_mhz if has_atomics else 0.0
    waits = _waits_us(code, launch, from_dram, c) if code else 0.0
    body = math.hypot(waits, sum(part**c.overlap for part in parts) ** (1 / c.overlap))
    if memory.is_cold:  # so are the code, the arguments and the page tables
        body = (body**c.cold_overlap + c.cold_us**c.cold_overlap) ** (1 / c.cold_overlap)
    return Prediction(overhead + body)


def _dram_share(size: float, constants: PredictionConstants) -> float:
    """Return the share of the bytes that come from DRAM, by the size of all divided by that of the L2 cache."""
    first, last = constants.cached_share, constants.uncached_share
    return min(1.0, max(0.0, (size - first) / (last - first)))


def _waits_us(code: OnePassCode, launch: PredictedLaunch, from_dram: float, constants: PredictionConstants) -> float:
    """Return the time of the waits of one warp per wave, which other warps do not hide at its start and end, in µs.

    The overhead of a launch contains those of a kernel that waits for one load; the blocks of other waves hide a part.
    """
    c = constants
    longer = c.dram_latency - c.l2_latency if from_dram > MOSTLY else 0.0
    clocks = first_warp_clocks(code, c.l2_latency + longer, c)
    contained = c.simple_kernel + longer
    later = (launch.waves - 1) * max(0.0, clocks - c.later_waves * contained)
    return (max(0.0, clocks - contained) + later) / launch.clock_mhz


def _dram_us(moved: float, accesses: Sequence[AccessRequests], warps: int, constants: PredictionConstants) -> float:
    """Return the time in which DRAM moves bytes, in µs: reads are faster than writes."""
    sectors = {kind: sum(_first_sectors(one, warps) for one in accesses if one.kind is kind) for kind in AccessKind}
    store_share = sectors[AccessKind.STORE] / max(1.0, sectors[AccessKind.STORE] + sectors[AccessKind.LOAD])
    read_us, copy_us = 1 / constants.dram_read_bytes_per_us, 1 / constants.dram_bytes_per_us
    return moved * (read_us + 2 * min(store_share, 0.5) * (copy_us - read_us))


def _refusal(memory: MemoryUse, accesses: Sequence[AccessRequests], warps: int) -> str:
    """Return why the kernel cannot be predicted; empty if it can. `warps` are those of a block of the accesses."""
    loaded = sum(one.requests for one in accesses if one.kind is AccessKind.LOAD)
    reasons = {
        "the data decide which lanes store": any(
            one.kind is AccessKind.STORE and one.lanes < FEW_LANES for one in accesses
        ),
        "it loads in a loop, and the time of each load is not known": (
            memory.loads is not None and loaded > memory.loads * warps
        ),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _is_one_address(memory: MemoryUse, accesses: Sequence[AccessRequests], blocks: float) -> bool:
    """Whether all atomics that the emulator counted are on the address that the pattern declares them for."""
    counted = blocks * sum(one.requests * one.lanes for one in accesses if one.kind is AccessKind.ATOMIC)
    return memory.atomics is not None and 0 < counted <= memory.atomics * ONE_ADDRESS


def _first_sectors(one: AccessRequests, warps: int) -> float:
    """Return the sectors per block that the requests of a source line are the first to access.

    Where a warp sends several requests from one line, the later ones access sectors that the first ones left in L1.
    """
    is_only = one.requests <= warps
    return ((one.sectors if is_only else one.least_sectors) or 0.0) * one.requests


def _is_scattered_load(one: AccessRequests, warps: int) -> bool:
    return one.kind is AccessKind.LOAD and one.requests <= warps and (one.sectors or 0.0) >= SCATTERED


def partial_stores_us(one: AccessRequests, constants: PredictionConstants) -> float:
    """Return the time per block in which L2 takes the sectors that stores write in part, in µs."""
    sectors, least = one.sectors or 0.0, one.least_sectors or 0.0
    if one.kind is not AccessKind.STORE or sectors <= PARTIAL * least:
        return 0.0
    is_scattered = sectors >= SECTOR_PER_LANE * one.lanes
    rate = constants.scattered_bytes_per_us if is_scattered else constants.partial_bytes_per_us
    return sectors * one.requests * SECTOR / rate
