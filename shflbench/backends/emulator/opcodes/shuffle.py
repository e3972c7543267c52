"""`shfl.sync`: which lane each lane reads, whether it may, and what it gets if it may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import WARP

if TYPE_CHECKING:
    from shflbench.backends.emulator.collective import WarpCall
    from shflbench.backends.emulator.forms import Apply, Values

POISON = np.uint32(0xDEADBEEF)  # what a lane gets that reads a lane which does not take part
_LANES = np.arange(WARP, dtype=np.int64)
_LANE_BITS = 0x1F


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each lane of a shuffle reads."""

    index: Values  # into the flattened [warps, 32] values
    in_range: Values  # the predicate: whether the computed lane lies in the segment
    missing: Values | None  # lanes whose source does not take part; None if there are none


def source_lanes(mode: str, lane: Values, clamp: Values) -> tuple[Values, Values]:
    """Return the source lane of each lane, and the predicate, as the PTX ISA defines them (9.7.9.6)."""
    segment = np.asarray(clamp).astype(np.int64) >> 8 & _LANE_BITS
    limit = np.asarray(clamp).astype(np.int64) & _LANE_BITS
    operand = np.asarray(lane).astype(np.int64) & _LANE_BITS
    first = _LANES & segment
    last = first | (limit & ~segment)
    match mode:
        case "up":
            source = _LANES - operand
            in_range = source >= last
        case "down":
            source = _LANES + operand
            in_range = source <= last
        case "bfly":
            source = _LANES ^ operand
            in_range = source <= last
        case _:
            source = first | (operand & ~segment)
            in_range = source <= last
    return np.where(in_range, source, _LANES), in_range


def _plan(call: WarpCall, mode: str, lane: Values, clamp: Values, mask: Values) -> Plan:
    shape = (call.warps, WARP)
    source, in_range = (np.broadcast_to(x, shape) for x in source_lanes(mode, lane, clamp))
    named = np.broadcast_to(np.asarray(mask).astype(np.int64), shape) >> source & 1 == 1
    here = named if call.active is None else named & np.take_along_axis(call.active, source, axis=1)
    index = source + WARP * np.arange(call.warps, dtype=np.int64)[:, None]
    return Plan(index.astype(np.intp), in_range.copy(), None if here.all() else ~here)


def shuffle(mode: str) -> Apply:
    """Return the function that shuffles in `mode`: up, down, bfly or idx."""

    def apply(call: WarpCall, *arguments: Values) -> None:
        value, lane, clamp, mask, out, *flag = arguments
        plan: Plan = call.remember(mode, lambda: _plan(call, mode, lane, clamp, mask))
        if value.ndim:
            value.take(plan.index, None, out, "wrap")  # never out of range; the fastest mode
        else:
            out.fill(value)
        for target in flag:
            np.copyto(target, plan.in_range)
        if plan.missing is not None:
            call.report_missing(plan.missing)
            missing = plan.missing if call.active is None else plan.missing & call.active
            np.copyto(out, POISON, where=missing)

    return apply
