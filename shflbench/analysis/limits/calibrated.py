"""The figures of an architecture with the rates that `calibrate` measured on one GPU in their place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shflbench.core.arch import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.arch import Architecture
    from shflbench.store.calibration_file import Calibration

# Figure of the architecture → figure of a calibration in the same unit.
RATES = {
    "exchange": "shuffle",
    "shared_memory": "lds32",
    "vote": "vote",
    "redux": "redux_add",
    "fp32": "fp32",
    "fp64": "fp64",
    "int32_add": "int32_add",
    "int32_logic": "int32_logic",
}
LATENCIES = ("shfl_latency", "lds_latency")  # of the same name in both
TWO_BLOCKS, WARPS = "barrier_2x32", 64  # the barrier of two blocks, and the warps that arrive at it
ATOMIC_RATE = "atomic_global_lane"  # of one lane per warp on one address, per SM
DRAM_RATE, L2_RATE = "dram_copy_bytes_per_s", "l2_bytes_per_s"
PER_US = 1e-6  # seconds


def apply_calibration(arch: Architecture, calibration: Calibration) -> Architecture:
    """Return the figures of `arch`, those that were measured in place of the documented ones.

    A rate that was measured above the documented one is an error of the measurement: the documented one stays.
    """
    figures: dict[str, Any] = {
        name: figure for name, figure in _figures(calibration) if not _is_too_fast(name, figure, arch)
    }
    return replace(arch, **figures)


def _is_too_fast(name: str, measured: Figure[float], arch: Architecture) -> bool:
    documented: Figure[float] | None = getattr(arch, name)
    return name in RATES and documented is not None and measured.value > documented.value


def _figures(calibration: Calibration) -> Iterator[tuple[str, Figure[Any]]]:
    source = f"measured by shflbench calibrate on an {calibration.device}, {calibration.measured}"
    for name, measured in RATES.items():
        if rate := calibration.value(measured):
            yield name, Figure(rate, source, verified=True)
    for name in LATENCIES:
        if clocks := calibration.value(name):
            yield name, Figure(round(clocks), source, verified=True)
    if clocks := calibration.value(TWO_BLOCKS):
        yield "barrier", Figure(WARPS / clocks, source, verified=True)


def atomics_per_clock(calibration: Calibration) -> float | None:
    """Return the atomic operations on one address of global memory per clock of the GPU; None if not measured."""
    rate = calibration.value(ATOMIC_RATE)
    return rate * calibration.sms if rate else None


def memory_us(
    calibration: Calibration, moved_bytes: float | None, l2_bytes: int | None, *, cold: bool
) -> tuple[str, float] | None:
    """Return which memory serves a launch, `l2` or `dram`, and the time in which it does, in µs.

    L2 serves data that fits in it and is not `cold`, DRAM serves all other data. None if a rate or a size is unknown.
    """
    if moved_bytes is None or l2_bytes is None:
        return None
    is_cached = moved_bytes <= l2_bytes and not cold
    rate = calibration.value(L2_RATE if is_cached else DRAM_RATE)
    return ("l2" if is_cached else "dram", moved_bytes / (rate * PER_US)) if rate else None
