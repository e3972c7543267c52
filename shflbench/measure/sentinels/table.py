"""The eight sentinels: kernel, threads and iterations."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import SENTINEL
from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.measure.sentinels.frozen import kernels_for, manifest
from shflbench.patterns.declare import ITERATIONS

if TYPE_CHECKING:
    from shflbench.core.model import Device, Kernel


@dataclass(frozen=True, slots=True)
class Sentinel:
    """One kernel at one launch shape; the grid is proportional to the SMs, so that each SM has the same work."""

    name: str
    symbol: str  # in the cubins
    iterations: int
    blocks_per_sm: int
    block: int  # threads per block
    long: bool  # long sentinels check the clock; short ones measure the offset of a process
    words: int = 1  # of 32 bits in the buffer, per thread

    @property
    def case_id(self) -> str:
        """Its name among the cases of a run, e.g. `sentinel/shuffle`."""
        return f"{SENTINEL}/{self.name}"


def _short(name: str, iterations: int, words: int = 1) -> Sentinel:
    # Eight warps per SM, two per scheduler: too few to saturate any unit, so that latency determines the time.
    symbol = f"sentinel_{name.replace('-', '_')}"
    return Sentinel(name, symbol, iterations, blocks_per_sm=1, block=256, long=False, words=words)


def _long(name: str, of: str, iterations: int) -> Sentinel:
    # 32 warps per SM, all that fit on Turing: enough to hide latency, so that throughput determines the time.
    return Sentinel(name, f"sentinel_{of}", iterations, blocks_per_sm=2, block=512, long=True)


# Iterations are multiples of 16, the unroll factor of the loops. The comments give the time on an H200 at 1980 MHz, of
# which 3 to 4 µs are the launch. Short sentinels take 10 to 50 µs between 1.4 and 2.4 GHz, spread over this range, so
# that a constant offset can be distinguished from a slowdown. Long ones take 300 µs or more even at 2.4 GHz.
SENTINELS: tuple[Sentinel, ...] = (
    _short("integer", 656),  # 12.6 µs: six dependent shifts and logic operations, 29 cycles per iteration
    _short("shuffle", 864),  # 16.8 µs: a SHFL and the mix, 32 cycles
    _short("barrier", 592),  # 20.7 µs: two barriers, a store and a load, 59 cycles
    _short("l2", 112, words=16),  # 22.0 µs: to L2 and back, 319 cycles
    _short("shared-memory", 1552),  # 30.2 µs: a store, a load and the mix, 34 cycles
    _short("multiply-add", 13600),  # 34.1 µs: 4.5 cycles
    _long("multiply-add-long", "multiply_add", 82320),  # 415 µs: 9.9 cycles
    _long("shared-memory-long", "shared_memory", 12160),  # 397 µs: 64 cycles
)


def version() -> str:
    """Return the version of this set, e.g. `1-0a1b2c3d`: equal in two runs if and only if their sentinels are the same.

    The number before the dash changes with the compiler, the digits after it with the source and the launches.
    """
    frozen = manifest()
    launches = [astuple(sentinel) for sentinel in SENTINELS]
    digest = hashlib.sha256(json.dumps([frozen.source_sha256, launches]).encode()).hexdigest()
    return f"{frozen.version}-{digest[:8]}"


def calls(device: Device) -> list[tuple[str, KernelCall, int]]:
    """Return case id, call and iterations of every sentinel; empty if no committed cubin runs on `device`."""
    kernels = kernels_for(device.arch)
    if not kernels:
        return []
    return [
        (sentinel.case_id, _call(sentinel, kernels[sentinel.symbol], device.sms), sentinel.iterations)
        for sentinel in SENTINELS
    ]


def _call(sentinel: Sentinel, kernel: Kernel, sms: int) -> KernelCall:
    grid = sentinel.blocks_per_sm * sms
    numbers = Buffer("numbers", grid * sentinel.block * sentinel.words, "uint32", written=True)
    return KernelCall(
        kernel=kernel,
        grid=grid,
        block=sentinel.block,
        shared_bytes=0,  # beside the static arrays
        buffers=(numbers,),
        arguments=(numbers.name, ITERATIONS),
    )
