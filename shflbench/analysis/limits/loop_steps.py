"""The steps of a timed loop's instructions in the simulation, and the loops that cannot be simulated."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.register_reads import register_reads
from shflbench.analysis.limits.simulation import PARTS, Step, StepKind
from shflbench.analysis.limits.units import MATRICES, UNPUBLISHED, ExecutionUnit, least_passes, unit_of, waits_for_l2
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.core.model import AccessRequests, Instruction, KernelRequests, ScheduledInstruction, TimedCode

    Passes = Mapping[tuple[str, int], float]  # opcode, bits per lane → passes per request

DIVERGENT = "BRA.DIV", "BRX", "CALL", "WARPSYNC.COLLECTIVE"
WRITES = {"ATOM", "ATOMG", "RED", "REDG", "ATOMS", "STG", "ST", "LD"}
BEHIND_STORE = {"STS", "SHFL", "BAR"}  # after the first of these, loads are behind a store; the others end that
WORD, WIDE, WIDEST = 32, 64, 128  # bits
BITS_PER_SECTOR = 256
LINES_PER_CLOCK = 3.6  # that the tags of L1 look up for requests to random lines of local memory (fitted)
NAMES = {
    (AccessSpace.SHARED, AccessKind.LOAD): "LDS",
    (AccessSpace.SHARED, AccessKind.STORE): "STS",
    (AccessSpace.LOCAL, AccessKind.LOAD): "LDL",
    (AccessSpace.LOCAL, AccessKind.STORE): "STL",
    (AccessSpace.GLOBAL, AccessKind.LOAD): "LDG",
}
# Clocks that an instruction occupies its unit of a sub-partition: 64 results per clock and SM take 2, 16 take 8.
# Source: Throughput of Native Arithmetic Instructions, CUDA C++ Programming Guide 12.6, Table 4, column 9.0.
OCCUPANCY = {
    ExecutionUnit.INTEGER: ("integer", 2.0),
    ExecutionUnit.FP64: ("fp64", 2.0),
    ExecutionUnit.VOTE: ("vote", 2.0),
    ExecutionUnit.SPECIAL: ("special", 8.0),
    ExecutionUnit.CONVERSION: ("special", 8.0),
    ExecutionUnit.FP32: ("fp32", 1.0),
}
OPCODE_OCCUPANCY = {
    **dict.fromkeys(("IMAD", "IDP"), ("multiply", 2.0)),
    **dict.fromkeys(("FLO", "POPC", "BREV"), ("special", 8.0)),
    **dict.fromkeys(("VOTE", "I2FP", "F2FP", "P2R", "R2P"), ("integer", 2.0)),
}


def refusal(code: TimedCode, requests: KernelRequests | None) -> str:
    """Return why the loop cannot be predicted; empty if it can."""
    instructions = [item.instruction for item in code.instructions]
    units = {unit_of(one) for one in instructions}
    bases = {one.base for one in instructions}
    reasons = {
        "no unit is known for some of its instructions": None in units,
        "the time of barriers of a cluster or in memory, asynchronous copies and matrix units is not known": bool(
            units & UNPUBLISHED
        ),
        "its warps may diverge": any(one.opcode.startswith(DIVERGENT) for one in instructions),
        "not every pass executes all instructions": not all(item.always for item in code.instructions),
        "the time of MATCH depends on the values": ExecutionUnit.MATCH in units,
        "the time of its loads from L2 or DRAM is not known": any(map(waits_for_l2, instructions)),
        "it uses atomics or stores to global memory in the loop": bool(bases & WRITES),
        "the lines of local memory that it accesses are not known": ExecutionUnit.LOCAL in units and requests is None,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def steps_of(
    code: TimedCode, warps: int, requests: KernelRequests | None, constants: PredictionConstants
) -> tuple[Step, ...]:
    """Return the steps of the simulation; `warps` are those of the SM."""
    passes, active, steps = _passes(requests), _active_shares(code, requests), []
    before = code.instructions[-1].instruction
    is_behind_store = False
    for item in code.instructions:
        base = item.instruction.base
        delay = _behind_store(warps, constants) if is_behind_store and base == "LDS" else 0.0
        branch = constants.taken_branch if item is code.instructions[-1] else 0.0
        reads = register_reads(item.instruction), register_reads(item.instruction, before)
        step = _step(item, passes, constants, delay, branch)
        share = active.get(item.instruction.base, 1.0) if item.instruction.predicate else 1.0
        steps.append(replace(step, active=share, reads=reads[0], reads_after_last=reads[1]))
        before = item.instruction
        if base in BEHIND_STORE:
            is_behind_store = base == "STS"
    return tuple(steps)


def _behind_store(warps: int, constants: PredictionConstants) -> float:
    if warps > 2 * PARTS:
        return constants.lds_behind_stores
    if warps > PARTS:
        return constants.lds_behind_store
    return constants.lds_behind_store_alone if warps > PARTS // 2 else 0.0


def _step(
    item: ScheduledInstruction, passes: Passes, constants: PredictionConstants, delay: float, branch: float
) -> Step:
    one, control = item.instruction, item.control
    unit, occupancy, operands, latency = _timing(one, passes, constants)
    kind = StepKind.FIXED
    if one.base == "BAR":
        kind = StepKind.BARRIER
    elif operands:
        kind = StepKind.REQUEST
    return Step(
        kind,
        unit,
        occupancy,
        operands,
        latency + delay,
        max(1, control.stall) + branch,
        control.write_barrier,
        control.read_barrier,
        control.waits,
        constants.shuffle_of_result if one.base == "SHFL" else 0.0,
    )


def _timing(one: Instruction, passes: Passes, constants: PredictionConstants) -> tuple[str, float, float, float]:
    """Return the unit of a sub-partition, the clocks that it or the path is occupied, those of operands, and latency.

    Operands take no clocks of an instruction that is no request.
    """
    c, unit = constants, unit_of(one)
    requests = {
        ExecutionUnit.REDUX: (c.redux, c.operands, c.redux_latency),
        ExecutionUnit.LOCAL: (c.local_request * _passes_of(one, passes), c.operands, c.local_latency),
        ExecutionUnit.GLOBAL: (_global_clocks(one, passes, c), c.operands, c.global_latency),
        ExecutionUnit.EXCHANGE: (c.exchange * _passes_of(one, passes), c.operands, c.lds_latency),
    }
    if one.base == "SHFL":
        return "", c.exchange * _shuffle_passes(one, c), c.operands, c.shfl_latency
    if one.base == "STS":
        return "", c.exchange * _passes_of(one, passes), c.store_operands, 0.0
    if unit in requests:
        return ("", *requests[unit])
    name, occupancy = OPCODE_OCCUPANCY.get(one.base) or (OCCUPANCY.get(unit, ("", 0.0)) if unit else ("", 0.0))
    return name, occupancy, 0.0, c.collective_latency


def _shuffle_passes(one: Instruction, constants: PredictionConstants) -> float:
    """Return the passes of a shuffle: more if it returns a predicate, or if registers hold its lane and its limits."""
    if all(text.startswith("R") and text != "RZ" for text in one.operands[-2:]):
        return constants.shuffle_with_limits
    return 1.0 if one.operands[:1] == ("PT",) else constants.shuffle_with_predicate


def _global_clocks(one: Instruction, passes: Passes, constants: PredictionConstants) -> float:
    """Return the clocks of a load from L1: of whole lines, or of lanes in any order."""
    lines = passes.get(_key(one), 0.0)
    in_order = constants.global_request * _key(one)[1] / WORD
    return max(in_order, constants.scattered_line * (1 + lines)) if lines else in_order


def _cached_passes(access: AccessRequests) -> float | None:
    """Return the passes of a request for local memory, or the lines of one for scattered global memory."""
    if access.space is AccessSpace.GLOBAL:
        filled = access.lanes * access.bits / BITS_PER_SECTOR
        is_in_order = access.sectors == access.least_sectors == filled
        return None if is_in_order else access.lines
    return max(access.bits / WORD, (access.lines or 0.0) / LINES_PER_CLOCK)


def _key(one: Instruction) -> tuple[str, int]:
    return one.base, WIDEST if ".128" in one.opcode else WIDE if ".64" in one.opcode else WORD


def _active_shares(code: TimedCode, requests: KernelRequests | None) -> dict[str, float]:
    """Return which share of the warps has active lanes in the predicated loads, or stores, to shared memory, by opcode.

    Those without a predicate are sent by all warps. Bits are compared, because ptxas joins requests of the PTX.
    """
    sent = _sent_bits(requests)
    bits: dict[tuple[str, bool], float] = defaultdict(float)
    for one in (item.instruction for item in code.instructions if item.instruction.base in sent):
        bits[one.base, bool(one.predicate)] += _key(one)[1] / code.unroll
    possible = {name: count for (name, is_predicated), count in bits.items() if is_predicated}
    return {
        name: min(1.0, max(0.0, (sent[name] - bits[name, False]) / count)) for name, count in possible.items() if count
    }


def _sent_bits(requests: KernelRequests | None) -> dict[str, float]:
    """Return the bits per lane that a warp loads from, or stores to, shared memory in an iteration, by opcode."""
    sent: dict[str, float] = defaultdict(float)
    if requests and requests.per_iteration:
        for access in requests.accesses:
            if access.space is AccessSpace.SHARED and (name := NAMES.get((access.space, access.kind))):
                sent[name] += max(WORD, access.bits) * access.requests / requests.warps
    return dict(sent)


def _passes_of(one: Instruction, passes: Passes) -> float:
    """Return the passes of a request, at least 2 of 128 bits: `vote` smem-syncwarp, a load of one address by all."""
    if one.base in MATRICES:
        return passes.get((MATRICES[one.base], WIDEST), float(least_passes(one)))
    bits = WIDEST if ".128" in one.opcode else WIDE if ".64" in one.opcode else WORD
    least = 2.0 if bits == WIDEST else 1.0
    return max(least, passes.get((one.base, bits), float(least_passes(one))))


def _passes(requests: KernelRequests | None) -> dict[tuple[str, int], float]:
    """Return the passes per request by opcode and width, averages over the source lines."""
    totals: dict[tuple[str, int], tuple[float, float]] = {}
    for access in requests.accesses if requests and requests.per_iteration else ():
        name = NAMES.get((access.space, access.kind))
        passes = access.passes if access.space is AccessSpace.SHARED else _cached_passes(access)
        if name and passes is not None and access.requests:
            key = (name, max(WORD, access.bits))
            total, count = totals.get(key, (0.0, 0.0))
            totals[key] = (total + passes * access.requests, count + access.requests)
    return {key: total / count for key, (total, count) in totals.items()}
