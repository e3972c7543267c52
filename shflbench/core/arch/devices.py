"""The figures of products, read from `devices.toml` beside this file.

GPUs of one architecture differ in their memory and in the units that all SMs share. Rates are upper bounds, like those
of `tables.py`. A product that has no entry is unknown.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shflbench.core.arch.tables import Figure

FILE = Path(__file__).parent / "devices.toml"
TRANSFERS_PER_CLOCK = 2  # of the memory clock that NVML reports: HBM and GDDR transfer on both edges
BITS = 8  # per byte


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What is known of one product; None where neither a document nor a measurement says it. Clocks are of an SM."""

    names: tuple[str, ...]  # as the driver reports them
    dram_gb_per_s: Figure[float] | None = None  # documented, 10^9 bytes
    memory_bus_bits: Figure[int] | None = None
    l2_bytes: Figure[int] | None = None
    blocks_per_clock: Figure[float] | None = None  # that the GPU starts, at most
    blocks_per_clock_measured: Figure[float] | None = None
    l2_bytes_per_clock: Figure[float] | None = None  # between L2 and all SMs in one direction, at most
    same_address_atomics_per_clock: Figure[float] | None = None  # in global memory, of the whole GPU, at most


@cache
def products() -> tuple[Product, ...]:
    """Return all products; TypeError for a key in the file that is no field of `Product` or `Figure`."""
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(_product(**table) for table in document.values())


def _product(names: list[str], **figures: dict[str, Any]) -> Product:
    return Product(names=tuple(names), **{key: Figure(**table) for key, table in figures.items()})


def product(name: str) -> Product | None:
    """Return the product with the `name` that the driver reports; None if it has no entry."""
    return next((one for one in products() if name in one.names), None)


def peak_dram_bytes_per_us(name: str, clock_mhz: int | None, bus_bits: int | None) -> float | None:
    """Return the highest rate of the memory of a GPU, in bytes per µs; None if it is not known.

    `clock_mhz` is the highest memory clock and `bus_bits` the width of the bus, as the driver reports them; a bus that
    it did not report is looked up. The higher of the documented rate and that of the clock: both are rounded.
    """
    known = product(name)
    if bus_bits is None and known and known.memory_bus_bits:
        bus_bits = known.memory_bus_bits.value
    rates = [known.dram_gb_per_s.value * 1000] if known and known.dram_gb_per_s else []
    if clock_mhz and bus_bits:
        rates.append(clock_mhz * TRANSFERS_PER_CLOCK * bus_bits / BITS)
    return max(rates, default=None)
