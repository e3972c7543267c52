"""Predict launches by the prices of their instructions, where no simulation of a loop and no rate of memory knows them.

A path through the code costs what its instructions cost one after another, and what all warps together ask of each
unit. What lies outside of an SM comes on top: to start the blocks, to move the bytes, and atomics on one address.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.kernel_path import OPCODES, WARP, PathLoop, is_polling, path_of, steps, width
from shflbench.analysis.limits.path_prices import BITS, CLUSTERS, REMOTE, norm, with_requests
from shflbench.analysis.limits.path_simulation import MOST_STEPS, cycles_per_pass, length
from shflbench.analysis.limits.path_walk import walk
from shflbench.analysis.limits.prediction import Prediction, PredictionKind, overflow, overhead_us
from shflbench.analysis.limits.units import ExecutionUnit, unit_of, waits_for_l2
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.analysis.limits.kernel_path import WarpPath
    from shflbench.analysis.limits.memory_prediction import MemoryUse
    from shflbench.analysis.limits.path_prices import PathModel, PathPrices
    from shflbench.analysis.limits.prediction import PredictedLaunch
    from shflbench.core.model import AccessRequests, Instruction, KernelRequests, OnePassCode, TimedCode

SECTOR = 32  # bytes
CLUSTER = {"LD", "ST", "STAS", "REDAS", "UCGABAR_ARV", "UCGABAR_WAIT", "SYNCS"}
PRICED = CLUSTER | {"MOVM", "HMMA", "IMMA", "DMMA"}  # that the simulation of loops does not know
ATOMICS = {"ATOM", "ATOMG", "RED", "REDG"}
SENDERS = {"ST", "STAS", "REDAS"}  # to another block of the cluster
MOST_FENCING = 8  # blocks per SM of which fences of the GPU were measured
BARRIER_WAVES = 10  # of blocks with barriers in a loop, one after another, at most
CLUSTER_WAVES = 4  # of clusters, one after another, at most
SMALL = 0.1  # of a time: what may be off by so much is left out
ONE_LANE = 1.01  # active lanes per atomic, at most, of which each is of another warp
DECLARED = 1.1  # counted atomics, divided by the declared ones on one address, at most


def predict_loop(
    code: TimedCode,
    launch: PredictedLaunch,
    requests: KernelRequests | None,
    model: PathModel,
) -> Prediction:
    """Return the predicted time of a launch of a kernel with a timed loop that has branches, or waits for a cluster."""
    path = path_of(code.instructions, requests, passes=code.unroll, is_loop=True)
    if reason := _loop_refusal(path, launch, requests) or overflow(code, launch) or _exchange(path, launch, model):
        return Prediction(None, reason=reason)
    bases = {item.instruction.base for item in steps(path)}
    is_priced = bool(bases & PRICED) or any(waits_for_l2(item.instruction) for item in steps(path))
    full_waves, rest = divmod(launch.blocks, launch.resident_blocks)
    cycles = 0.0
    for count, blocks in ((full_waves, launch.resident_blocks), (1, rest)):
        if count and blocks and is_priced:
            known = with_requests(model.prices, requests)
            known = replace(known, fence=known.fence + known.fence_of_others * (blocks**2 - 1))
            block = walk(path, launch.warps_per_block, known, is_loop=True)
            cycles += count * norm((block.alone, block.busiest * blocks), known.power) / code.unroll
        elif count and blocks:
            pass_cycles = cycles_per_pass(path, launch.warps_per_block, blocks, requests, model.constants)
            cycles += count * pass_cycles / code.unroll
    us = cycles * launch.iterations / launch.clock_mhz + overhead_us(launch, model.constants)
    return Prediction(us, cycles, kind=PredictionKind.PRICES if is_priced else PredictionKind.BRANCHES)


def _loop_refusal(path: WarpPath, launch: PredictedLaunch, requests: KernelRequests | None) -> str:
    items = list(steps(path))
    instructions = [item.instruction for item in items]
    bases = {one.base for one in instructions}
    units = {unit_of(one) for one in instructions}
    is_branched = any(isinstance(part, PathLoop) for part in path) or not all(item.always for item in items)
    reasons = {
        **_common_reasons(path, instructions),
        "its loop has branches, and its requests to memory were not counted": (
            is_branched and requests is None and bool(bases & OPCODES.keys())
        ),
        "other warps of its blocks do something else": _has_roles(instructions),
        "the time of a bulk copy is not known": ExecutionUnit.BULK_COPY in units,
        "the time of MATCH depends on the values": ExecutionUnit.MATCH in units,
        "it uses atomics on global memory in the loop": bool(bases & ATOMICS),
        "it stores to global memory in the loop": "STG" in bases and "UCGABAR_WAIT" not in bases,
        "fences of so many blocks per SM wait for one another": (
            "MEMBAR" in bases and launch.blocks > MOST_FENCING and bool(bases & CLUSTER)
        ),
        "an inner loop is too long to simulate": length(path) > MOST_STEPS,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _exchange(path: WarpPath, launch: PredictedLaunch, model: PathModel) -> str:
    """Return a reason where fences wait for more stores to other blocks than one block sends meanwhile."""
    block = walk(path, launch.warps_per_block, model.prices, is_loop=True)
    fenced = {"ST", "MEMBAR"} <= {item.instruction.base for item in steps(path)}
    sent = block.units.get(REMOTE, 0.0) * min(launch.blocks, launch.resident_blocks)
    is_known = not fenced or sent <= block.alone
    return "" if is_known else "how long fences wait for so many stores to other blocks is not known"


def _common_reasons(path: WarpPath, instructions: Sequence[Instruction]) -> dict[str, bool]:
    return {
        "no unit is known for some of its instructions": any(unit_of(one) is None for one in instructions),
        "it waits in a loop for what another warp writes": is_polling(path),
        "the masks of its warps decide how often they execute what follows": any(
            one.opcode == "BRA.DIV" and bool(one.predicate) for one in instructions
        ),
        "it calls functions or jumps to computed addresses": any(
            item.instruction.base == "BRX" or (item.instruction.base == "CALL" and item.always) for item in steps(path)
        ),
        "how often an inner loop iterates is not known": any(map(_is_unknown, _loops(path))),
    }


def _loops(path: WarpPath) -> Iterator[PathLoop]:
    for part in path:
        if isinstance(part, PathLoop):
            yield part
            yield from _loops(part.body)


def _is_unknown(loop: PathLoop) -> bool:
    """Whether nothing says how often a loop iterates: it accesses no memory, and does not wait for a barrier."""
    return not loop.is_counted and not any(item.instruction.base == "SYNCS" for item in steps(loop.body))


def _has_roles(instructions: Sequence[Instruction]) -> bool:
    """Whether a loop synchronizes with other code of its block: by a barrier of some warps, or one in memory."""
    bases = {one.base for one in instructions}
    partial = any(one.base == "BAR" and len(one.operands) > 1 for one in instructions)
    return partial or ("SYNCS" in bases and not bases & SENDERS)


def predict_launch(
    code: OnePassCode,
    launch: PredictedLaunch,
    memory: MemoryUse | None,
    requests: KernelRequests | None,
    model: PathModel,
) -> Prediction:
    """Return the predicted time of a launch of a kernel without a timed loop."""
    known = kernel_time(code, launch, memory, requests, model)
    if isinstance(known, str):
        return Prediction(None, reason=known)
    return Prediction(overhead_of(launch, model) + known, kind=PredictionKind.LAUNCH)


def overhead_of(launch: PredictedLaunch, model: PathModel) -> float:
    """Return the time of a launch beside that of its kernel, in µs."""
    prices, constants = model.prices, model.constants
    base = prices.repeated_us if launch.is_repeated else prices.single_us
    return base + constants.many_blocks_us * min(1.0, launch.grid / launch.sms) + constants.warp_us * launch.warps


def kernel_time(
    code: OnePassCode,
    launch: PredictedLaunch,
    memory: MemoryUse | None,
    requests: KernelRequests | None,
    model: PathModel,
) -> float | str:
    """Return the time of a kernel without a timed loop, without the overhead of its launch, in µs, or why not."""
    prices, constants = model.prices, model.constants
    path = path_of(code.every.instructions, requests, passes=1, is_loop=False)
    instructions = [item.instruction for item in steps(path)]
    if reason := _launch_refusal(path, launch, requests):
        return reason
    moved, is_cached = _moved(path, launch, memory, requests, constants)
    if not is_cached:
        prices = replace(prices, global_latency=prices.dram)
    block = walk(path, launch.warps_per_block, with_requests(prices, requests))
    waves_us = launch.waves * (block.alone / launch.clock_mhz + _cluster_us(launch, instructions, prices))
    looped = (item.instruction for loop in _loops(path) for item in steps(loop.body))
    power = prices.barrier_power if any(one.base == "BAR" for one in looped) else prices.launch_power
    sm = norm((waves_us, launch.blocks * block.busiest / launch.clock_mhz), power)
    rate = constants.l2_bytes_per_us if is_cached else constants.dram_bytes_per_us
    parts = (launch.grid * constants.block_us, sm, moved / rate / min(1.0, launch.grid / launch.sms))
    us = norm(parts, prices.outside_power)
    atomics, may_be_less = _atomics_us(launch, memory, requests, instructions, constants)
    if may_be_less and atomics > SMALL * us:
        return "the time of its atomics on global memory depends on the addresses"
    return us if may_be_less else us + atomics


def _cluster_us(launch: PredictedLaunch, instructions: Sequence[Instruction], prices: PathPrices) -> float:
    """Return the time that clusters take to start, where a kernel has them."""
    bases = {one.base for one in instructions}
    blocks = min(launch.blocks, launch.resident_blocks)
    share = 0 if "UCGABAR_WAIT" not in bases else 2 if "MEMBAR" in bases else 1
    return float(share * prices.cluster_us * blocks**CLUSTERS)


def _launch_refusal(path: WarpPath, launch: PredictedLaunch, requests: KernelRequests | None) -> str:
    instructions = [item.instruction for item in steps(path)]
    units = {unit_of(one) for one in instructions}
    looped = {item.instruction.base for loop in _loops(path) for item in steps(loop.body)}
    needs_counts = bool(looped & OPCODES.keys())
    reasons = {
        **_common_reasons(path, instructions),
        "its requests to memory were not counted": needs_counts and requests is None,
        "how far so many blocks with barriers in a loop overlap is not known": (
            launch.waves > BARRIER_WAVES and "BAR" in looped
        ),
        "how soon clusters start in the place of others is not known": (
            launch.waves > CLUSTER_WAVES and any(one.base == "UCGABAR_WAIT" for one in instructions)
        ),
        "the time of a bulk copy is not known": ExecutionUnit.BULK_COPY in units,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _moved(
    path: WarpPath,
    launch: PredictedLaunch,
    memory: MemoryUse | None,
    requests: KernelRequests | None,
    constants: PredictionConstants,
) -> tuple[float, bool]:
    """Return the bytes that a launch moves, and whether the L2 cache has them."""
    if memory is None:
        return 0.0, True
    if requests is None:
        warps = launch.grid * launch.warps_per_block
        accesses = (item.instruction for item in steps(path) if item.instruction.base in {"LDG", "STG"})
        moved = warps * WARP * sum(map(width, accesses)) / BITS
    else:
        moved = launch.grid * launch.warps_per_block / requests.warps * sum(map(_bytes, requests.accesses))
    moved = min(moved, memory.buffer_bytes)
    if memory.is_declared:
        moved = min(max(moved, memory.distinct_bytes), memory.buffer_bytes)
    return moved, moved <= constants.cached_share * memory.l2_bytes and not memory.is_cold


def _bytes(access: AccessRequests) -> float:
    """Return the bytes of the sectors that a block reads or writes by loads and stores of one line."""
    is_move = access.space is AccessSpace.GLOBAL and access.kind is not AccessKind.ATOMIC
    return access.requests * (access.sectors or 0.0) * SECTOR if is_move else 0.0


def _atomics_us(
    launch: PredictedLaunch,
    memory: MemoryUse | None,
    requests: KernelRequests | None,
    instructions: Sequence[Instruction],
    constants: PredictionConstants,
) -> tuple[float, bool]:
    """Return the time of atomics on global memory, and whether that is the most that it may be."""
    if not any(one.base in ATOMICS for one in instructions):
        return 0.0, False
    blocks = launch.grid * launch.warps_per_block / requests.warps if requests else launch.grid
    atomics = [one for one in requests.accesses if one.kind is AccessKind.ATOMIC] if requests else []
    counted = blocks * sum(one.requests * one.lanes for one in atomics if one.space is AccessSpace.GLOBAL)
    declared = memory.atomics if memory and memory.atomics is not None else None
    rate = constants.atomics_per_clock * launch.clock_mhz
    if declared is not None and counted <= declared * DECLARED:
        return declared / rate, False
    words = memory.output_words if memory and all(one.lanes <= ONE_LANE for one in atomics) else None
    return counted / rate / (words or 1.0), True
