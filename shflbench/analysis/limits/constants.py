"""The constants of the prediction: what a GPU was measured to do, where a limit takes what documents allow.

The values below are those of an NVIDIA H200. `calibrate` measures some of them; the others were fitted to the
reference runs of one half of the patterns, and those that were added last also to cases that were drawn at random over
all patterns (`benchmarks/drawn.py`). A pattern belongs to the half that the first byte of the SHA-256 of its name says:
even for the fit, odd for the test. The halves never change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.store.calibration_file import Calibration

PREDICTED_ARCH = "sm_90"  # the architecture that the constants are of


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionConstants:
    """What the prediction assumes of a GPU; times are in clocks of an SM unless their comment says otherwise."""

    # Latencies from the issue of an instruction to that of one that waits for its result.
    shfl_latency: float = 24.0  # (fitted)
    lds_latency: float = 24.0  # (fitted)
    lds_behind_store: float = 5.2  # more for a load behind a store, with two warps per sub-partition (fitted)
    lds_behind_stores: float = 3.0  # likewise, with more warps per sub-partition (fitted)
    lds_behind_store_alone: float = 0.8  # likewise, with one warp per sub-partition (fitted)
    shuffle_of_result: float = 2.0  # more where a shuffle waits for a scoreboard: shuffle of a shuffle (fitted)
    operand_release: float = 18.0  # until a source register may be written (fitted)
    global_latency: float = 36.0  # of a load that hits L1 (not fitted: no row of that half shows it)
    local_latency: float = 33.0  # likewise, of local memory (fitted)
    collective_latency: float = 22.0  # VOTE and other results that code waits for by a scoreboard (fitted)
    redux_latency: float = 38.0  # (fitted)
    reads_ahead: float = 0.5  # clocks for which reads of registers may wait without holding up the next issue (fitted)
    taken_branch: float = 5.0  # of the loop's end, beyond its stall count (fitted)

    # Barriers: clocks per arriving warp, and from the last arrival until the block continues.
    barrier_per_warp: float = 2.0
    barrier_release: float = 11.5  # (fitted)
    barrier_per_other_block: float = 0.9  # later release for each other block on the SM (fitted)
    barrier_path: float = 3.5  # for which a complete barrier occupies the path of the SM (fitted)
    barrier_path_per_warp: float = 0.25  # likewise, more per warp of its block, up to 8 (fitted)
    barrier_queue: int = 10  # arrivals that wait in order; which of the others is next, the schedulers decide (fitted)

    # Clocks that a request occupies.
    exchange: float = 1.0  # per pass, for the whole SM
    shuffle_with_predicate: float = 1.18  # passes of a shuffle that also returns whether its source is valid (fitted)
    shuffle_with_limits: float = 2.0  # likewise, of one with its lane and its limits in registers (fitted)
    operands: float = 2.0  # per request of one sub-partition
    store_operands: float = 4.0  # likewise, of a store, which has two (fitted)
    redux: float = 2.0
    global_request: float = 1.32  # of a load of a line from L1, in the order of its lanes (fitted)
    scattered_line: float = 1.02  # of each line of a load from L1 in any other order, and of one more (fitted)
    local_request: float = 1.07  # (fitted)

    # Outside the SMs.
    launch_us: float = 3.05  # of an empty kernel, from event to event in a stream of launches (fitted)
    many_blocks_us: float = 0.17  # more where all SMs have a block (fitted)
    warp_us: float = 0.004  # start of one warp of the busiest SM (fitted)
    wave_us: float = 0.35  # start of the blocks of a further wave, and their first loads (fitted)

    # Kernels of one pass over memory.
    one_pass_us: float = 2.9  # of a launch of a few blocks (fitted)
    repeated_us: float = 2.15  # likewise, of one of several launches per sample (fitted)
    block_us: float = 0.00063  # from the start of one block to that of the next (fitted)
    block_warp_us: float = 0.000079  # likewise, per warp of a large block (fitted)
    dram_round_us: float = 0.73  # of a block that waits for DRAM, until another starts in its place (fitted)
    l2_bytes_per_us: float = 6.5e6  # that a copy reads and writes (fitted)
    dram_bytes_per_us: float = 3.98e6  # likewise (fitted)
    dram_read_bytes_per_us: float = 4.66e6  # that a kernel reads which writes little (measured by `calibrate`)
    l2_latency: float = 310.0  # clocks of a load from L2 (fitted)
    dram_latency: float = 720.0  # likewise, from DRAM (fitted)
    simple_kernel: float = 400.0  # clocks of the first warp that the overhead of a launch contains (fitted)
    later_waves: float = 0.5  # share of that, for which other blocks hide the waits of later waves (fitted)
    cold_us: float = 3.4  # of a launch that finds nothing in L2, until its first loads are there (fitted)
    cold_overlap: float = 1.5  # exponent of the norm that joins that with the other times (fitted)
    cached_share: float = 0.53  # of the L2 cache's size: launches of so many bytes find all of them there (fitted)
    uncached_share: float = 0.78  # likewise: those of more bytes find none (fitted)
    scattered_bytes_per_us: float = 3.2e6  # of sectors that stores write in part, one per lane (fitted)
    partial_bytes_per_us: float = 5.5e6  # likewise, of several lanes per sector (fitted)
    atomics_per_clock: float = 0.69  # on one address of global memory, by all SMs (measured by `calibrate`)
    overlap: float = 5.0  # exponent of the norm that joins these times: infinite where the longest hides the others


DEFAULTS = PredictionConstants()

US_PER_S = 1e6
DIGITS = 2  # of clocks: measured figures agree within 1%, and 1.00005 clocks per request are one
# Constant → rate that a calibration measures, in requests per clock of an SM.
RATES = {"exchange": "shuffle", "redux": "redux_min"}


def calibrate_constants(
    calibration: Calibration | None, constants: PredictionConstants = DEFAULTS
) -> PredictionConstants:
    """Return the constants with those that `calibrate` measured in place of the others."""
    measured: dict[str, float] = {}
    if calibration:
        rates = {name: calibration.value(figure) for name, figure in RATES.items()}
        measured = {name: round(1 / rate, DIGITS) for name, rate in rates.items() if rate}
        if clocks := calibration.value("shfl_latency"):  # of a chain of shuffles
            measured["shfl_latency"] = round(clocks, DIGITS) - constants.shuffle_of_result
        if line := calibration.barrier_line:
            measured["barrier_per_warp"] = round(line.per_warp, DIGITS)
        if rate := calibration.value("atomic_global_lane"):  # per SM
            measured["atomics_per_clock"] = rate * calibration.sms
        if rate := calibration.value("dram_copy_bytes_per_s"):
            measured["dram_bytes_per_us"] = rate / US_PER_S
        if rate := calibration.value("dram_read_bytes_per_s"):
            measured["dram_read_bytes_per_us"] = rate / US_PER_S
    return replace(constants, **measured) if measured else constants  # type: ignore[arg-type]  # all of them are float


def is_fitted(pattern: str) -> bool:
    """Whether the constants were fitted to rows of this pattern; the rows of all others test the prediction."""
    return sha256(pattern.encode()).digest()[0] % 2 == 0
