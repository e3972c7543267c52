"""`shfl.sync`: which lane each lane reads, and its result where it may not read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import (
    Apply,
    Collective,
    Decoder,
    Form,
    UnknownFormError,
    Values,
    WarpCall,
    width,
)
from shflbench.emulator.ptx.syntax import PtxInstruction

_LANES = np.arange(WARP, dtype=np.int64)
_LANE_BITS = 0x1F


@dataclass(frozen=True, slots=True)
class ShuffleSources:
    """The sources of the lanes of a shuffle."""

    index: Values  # into the flattened [warps, 32] values
    in_range: Values  # the predicate: whether the computed lane lies in the segment
    missing: Values | None  # lanes whose source does not execute the shuffle; None if there are none


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


def _sources(call: WarpCall, mode: str, lane: Values, clamp: Values, mask: Values) -> ShuffleSources:
    shape = (call.warps, WARP)
    source, in_range = (np.broadcast_to(x, shape) for x in source_lanes(mode, lane, clamp))
    named = np.broadcast_to(np.asarray(mask).astype(np.int64), shape) >> source & 1 == 1
    readable = named if call.active is None else named & np.take_along_axis(call.active, source, axis=1)
    index = source + WARP * np.arange(call.warps, dtype=np.int64)[:, None]
    return ShuffleSources(index.astype(np.intp), in_range.copy(), None if readable.all() else ~readable)


def _shuffle(mode: str) -> Apply:
    """Return the function that shuffles in `mode`: up, down, bfly or idx."""

    def apply(call: WarpCall, *arguments: Values) -> None:
        value, lane, clamp, mask, out, *flag = arguments
        sources: ShuffleSources = call.remember(mode, lambda: _sources(call, mode, lane, clamp, mask))
        if value.ndim:
            value.take(sources.index, None, out, "wrap")  # never out of range; the fastest mode
        else:
            out.fill(value)
        for target in flag:
            np.copyto(target, sources.in_range)
        if sources.missing is not None:
            missing = sources.missing if call.active is None else sources.missing & call.active
            call.report_missing(missing, sources.index)
            np.copyto(out, np.uint32(call.absent_fill), where=missing)

    return apply


def _shfl(instruction: PtxInstruction) -> Form:
    sync, mode, type_ = instruction.modifiers
    if sync != "sync" or mode not in {"up", "down", "bfly", "idx"} or type_ != "b32":
        raise UnknownFormError
    results = ("u4", "?")[: width(instruction.operands[0])]
    return Collective(results, ("u4", "u4", "u4", "u4"), _shuffle(mode), mask=3)


FORMS: Mapping[str, Decoder] = {"shfl": _shfl}
