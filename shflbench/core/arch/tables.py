"""The figures of an architecture, read from `sm_<number>.toml` beside this file.

All are per SM unless their comment says otherwise. A figure that no document and no measurement gives is absent (None),
never guessed: whoever computes a limit says which figure was missing.

Rates are in warp instructions per clock: 32 lanes per clock are 1.0. They are upper bounds, latencies are lower bounds,
so that a time computed from them is a lower bound too. NVIDIA's documents were read in public copies and quotations.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

FOLDER = Path(__file__).parent
NAME = re.compile(r"(sm_[0-9]+)[a-z]?")  # the suffix of sm_90a or sm_120f adds instructions, not other units

Value = TypeVar("Value", bound=bool | int | float | tuple[int, ...] | tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Figure(Generic[Value]):
    """A figure, where it comes from, and whether the results of this repository confirm it.

    `source` names a document and its section, a publication, or the suite and the case that measured it. Where it says
    `derived from`, the figure was computed from what follows. `tests/core/arch` repeats the check of each `verified`
    figure.
    """

    value: Value
    source: str
    verified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """What is known of one architecture; None where neither a document nor a measurement says it."""

    name: str  # `sm_90`

    # What is resident at once.
    resident_warps: Figure[int] | None = None
    resident_blocks: Figure[int] | None = None
    registers: Figure[int] | None = None  # of 32 bits
    shared_bytes: Figure[int] | None = None  # the maximum of shared memory
    reserved_shared_bytes: Figure[int] | None = None  # that each resident block takes in addition to its own
    shared_bytes_per_block: Figure[int] | None = None  # the maximum that one block can opt in to
    l1_shared_bytes: Figure[int] | None = None  # L1 and shared memory together
    carveouts_kib: Figure[tuple[int, ...]] | None = None  # the sizes of shared memory that can be chosen

    # Issue slots.
    sub_partitions: Figure[int] | None = None
    issue: Figure[float] | None = None  # per sub-partition

    # Shuffles and shared-memory requests of 32 lanes × 32 bits use the same path to exchange values.
    # Measured rates count requests, whatever their width: the 2 or 4 passes of one wide request take `shared_memory`.
    exchange: Figure[float] | None = None  # documented for both
    exchange_measured: Figure[float] | None = None  # where measurements are lower, or the only source
    exchange_per_sub_partition: Figure[float] | None = None  # with an operand in a register; LDS [RZ] reaches 1.0
    shared_memory: Figure[float] | None = None  # passes of 32 lanes × 32 bits through the banks, documented

    # Documented rates of the other units.
    fp32: Figure[float] | None = None  # add, multiply, fused multiply-add
    fp64: Figure[float] | None = None  # likewise
    half2: Figure[float] | None = None  # likewise, two values of 16 bits per lane
    int32_add: Figure[float] | None = None  # IADD3; an IMAD that adds runs on another unit
    int32_logic: Figure[float] | None = None  # LOP3
    integer_opcodes: Figure[tuple[str, ...]] | None = None  # that the unit of these executes, besides usual ones
    vote: Figure[float] | None = None
    redux: Figure[float] | None = None  # REDUX; not CREDUX, which compute capability 10.x has for minimum and maximum
    special: Figure[float] | None = None  # MUFU: reciprocal, square root, exponential, logarithm, sine
    conversion: Figure[float] | None = None  # F2I, I2F, F2F of 32 bits; not I2FP and F2FP, which other units execute
    barrier: Figure[float] | None = None  # warps that arrive per clock
    match_values: Figure[float] | None = None  # MATCH.ANY: distinct values per clock, not instructions

    # Measured rates of units that no document describes, rounded up.
    uniform: Figure[float] | None = None  # instructions of the uniform datapath
    mbarrier: Figure[float] | None = None  # SYNCS: arrivals at barriers in memory, and looks at them
    cluster_store: Figure[float] | None = None  # STAS, REDAS: to another block's shared memory, of 32 bits or more
    movmatrix: Figure[float] | None = None  # MOVM
    mma: Figure[float] | None = None  # HMMA.16816: products of 16×16 and 16×8 matrices of 16 bits

    # Loads, stores and atomics pass through one load/store unit; those of global and local memory look up L1's tags.
    load_store: Figure[float] | None = None  # instructions for shared, local or global memory, and shuffles
    l1_tags: Figure[float] | None = None  # lines of 128 bytes per clock that global and local accesses look up

    # Latencies in clocks, unloaded and rounded down. A barrier of a block of w warps takes constant + per_warp × w.
    shfl_latency: Figure[int] | None = None
    lds_latency: Figure[int] | None = None
    ldl_latency: Figure[int] | None = None  # local memory, where L1 holds the line
    ldg_latency: Figure[int] | None = None  # global memory, likewise
    l2_latency: Figure[int] | None = None  # global memory, where only the nearest part of L2 holds the line
    atoms_latency: Figure[int] | None = None  # an atomic on shared memory
    redux_latency: Figure[int] | None = None
    match_latency: Figure[int] | None = None  # one value in all lanes
    movmatrix_latency: Figure[int] | None = None
    fence_latency: Figure[int] | None = None  # MEMBAR of the GPU, without stores before it
    system_fence_latency: Figure[int] | None = None  # likewise, of the system
    cluster_barrier_latency: Figure[int] | None = None  # from the arrival of a warp until it continues
    barrier_constant: Figure[int] | None = None
    barrier_per_warp: Figure[int] | None = None

    # How the compiler waits: for units of fixed latency by stall counts, for all others by scoreboard barriers.
    fixed_latency: Figure[tuple[str, ...]] | None = None  # names of rates above
    uniform_datapath: Figure[bool] | None = None  # uniform registers and instructions exist


@cache
def load(arch: str) -> Architecture | None:
    """Return the figures of `arch`, e.g. `sm_90` or `sm_90a`, or None if there is no file of it.

    A key in the file that is no field of `Architecture` or `Figure` raises TypeError.
    """
    match = NAME.fullmatch(arch)
    if match is None or match[1] not in list_archs():
        return None
    name = match[1]
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return Architecture(name=name, **{key: _figure(table) for key, table in document.items()})


@cache
def list_archs() -> tuple[str, ...]:
    """Return the architectures that have a file, oldest first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("sm_*.toml")), key=lambda name: int(name[3:])))


def _figure(table: dict[str, Any]) -> Figure[Any]:
    """Return the figure that `table` of a file declares; TypeError for keys other than those of `Figure`."""
    value = table["value"]
    return Figure(**{**table, "value": tuple(value) if isinstance(value, list) else value})
