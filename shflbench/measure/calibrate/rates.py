"""The rates of units, the latencies of shuffles and of shared memory, and launches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.measure.calibrate.probe import (
    FULL,
    FigureUnit,
    Formula,
    Place,
    Probe,
    clocks_probe,
    rate_probe,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = 256  # threads of a block: several fill an SM of each architecture
REQUEST_BYTES = 16 * WARP  # of the widest load
REDUX_ARCH = 80  # the first with REDUX
# Buffers to which a kernel adds. On an H200, processes with one buffer each differed by 4%.
BUFFERS = 8
LAUNCHED = ("shuffle<4, 16>", "shuffle<2, 32>", "shuffle<1, 64>")  # beside shuffle<8, 8>: loops of other code


def _shuffles() -> Iterator[Probe]:
    yield replace(rate_probe("shuffle", "shuffle, 32 bits", "shuffle<8, 8>", "SHFL", 64), documented="exchange")
    wide = rate_probe("shuffle64", "shuffle, 64 bits", "shuffle64<4, 8>", "SHFL", 64)
    yield replace(wide, work=32, documented="exchange", share=1 / 2)


def _shared_memory() -> Iterator[Probe]:
    for name, verb, opcode in (("lds", "load", "LDS"), ("sts", "store", "STS")):
        for words, repeat in ((1, 16), (2, 8), (4, 8)):
            bits = 32 * words
            text = f"shared memory, {verb} of {bits} bits per lane"
            probe = rate_probe(f"{name}{bits}", text, f"{name}{bits}<4, {repeat}>", opcode, 4 * repeat)
            stride = 1 if (name, words) == ("lds", 1) else None
            yield replace(probe, argument=stride, documented="shared_memory", share=1 / words)
    for ways in (2, 4, 8, 16, 32):
        text = f"shared memory, load of 32 bits, {ways}-way bank conflict"
        probe = rate_probe(f"lds32_conflict_{ways}", text, "lds32<4, 16>", "LDS", 64)
        yield replace(probe, argument=ways, documented="shared_memory", share=1 / ways)


def _collectives() -> Iterator[Probe]:
    yield replace(rate_probe("vote", "vote", "vote", "VOTE", 256), documented="vote")
    for name, text, template in (
        ("add", "sum", "ADD"),
        ("min", "minimum", "MIN"),
        ("umin", "unsigned minimum", "UNSIGNED_MIN"),
        ("xor", "exclusive or", "XOR"),
    ):
        probe = rate_probe(f"redux_{name}", f"redux, {text}", f"redux<{template}, 4, 8>", "REDUX|CREDUX", 32)
        yield replace(probe, documented="redux", fewest_arch=REDUX_ARCH)
    for distinct in (1, 2, 4, 8, 16, 32):
        text = f"match.any, {distinct} distinct value{'s' if distinct > 1 else ''}"
        yield replace(rate_probe(f"match_{distinct}", text, "match<2, 4>", "MATCH", 8), argument=distinct)


def _barriers() -> Iterator[Probe]:
    for warps in (1, 2, 4, 8, 16, 32):
        text = f"barrier, one block of {warps} warp{'s' if warps > 1 else ''} per SM"
        yield replace(clocks_probe(f"barrier_{warps}", text, "barrier<64>", "BAR", 64), block=WARP * warps)
    text = "barrier, two blocks of 32 warps per SM"
    yield replace(clocks_probe("barrier_2x32", text, "barrier<64>", "BAR", 64), block=FULL, blocks=2)
    yield rate_probe("syncwarp", "__syncwarp of a converged warp", "syncwarp<256>", "NOP|WARPSYNC", 256)


def _atomics() -> Iterator[Probe]:
    for place, opcode in (("shared", "ATOMS"), ("global", "RED|REDG")):
        for name, text, stride in (("same", "one address", 0), ("distinct", "an address per lane", 1)):
            title = f"atomic addition, {place} memory, {text}"
            probe = rate_probe(f"atomic_{place}_{name}", title, f"atomic_{place}<4, 4>", opcode, 16)
            spread = (place, name) == ("global", "distinct")
            yield replace(probe, argument=stride, openings=BUFFERS if spread else 1)
    text = "atomic addition, global memory, one lane per warp, one address"
    yield rate_probe("atomic_global_lane", text, "atomic_global_lane<4, 4>", "RED|REDG", 16)


def _arithmetic() -> Iterator[Probe]:
    for name, text, opcode, chains, repeat in (
        ("fp32", "multiply-add, 32 bits", "FFMA", 8, 64),
        ("fp64", "multiply-add, 64 bits", "DFMA", 4, 32),
        ("int32_add", "integer addition", "IADD3", 8, 32),
        ("int32_logic", "logic of 32 bits", "LOP3", 8, 32),
    ):
        probe = rate_probe(name, text, f"{name}<{chains}, {repeat}>", opcode, chains * repeat)
        yield replace(probe, documented=name)


def _latencies() -> Iterator[Probe]:
    shuffle = clocks_probe("shfl_latency", "latency of a shuffle", "shuffle<1, 64>", "SHFL", 64)
    yield replace(shuffle, documented="shfl_latency")
    load = clocks_probe("lds_latency", "latency of a load from shared memory", "lds32<1, 64>", "LDS", 64)
    yield replace(load, argument=1, documented="lds_latency")
    yield clocks_probe("loop_pass", "pass through a loop of one multiply-add", "loop_pass", "FFMA", 1)


def _memory() -> Iterator[Probe]:
    l1 = replace(
        rate_probe("l1_bytes_per_clock", "L1, read", "l1_read<8, 1>", "LDG", 8),
        work=8 * REQUEST_BYTES,
        unit=FigureUnit.BYTES_PER_CLOCK,
    )
    one_sm = replace(l1, name="l2_sm_bytes_per_clock", text="L2, read by one SM", kernel="read<8, 1>", place=Place.L2)
    l2 = replace(
        one_sm,
        name="l2_bytes_per_s",
        text="L2, read",
        formula=Formula.WORK_PER_SECOND,
        unit=FigureUnit.BYTES_PER_S,
        block=SMALL,
        blocks=None,
    )
    dram = replace(l2, name="dram_read_bytes_per_s", text="DRAM, read", place=Place.DRAM)
    copy = replace(dram, name="dram_copy_bytes_per_s", text="DRAM, copy: bytes read and written")
    yield from (l1, replace(one_sm, single=True), l2, dram)
    yield replace(copy, kernel="copy<4, 1>", count=4, work=2 * 4 * REQUEST_BYTES)


def _launches() -> Iterator[Probe]:
    launch = rate_probe(
        "launch_overhead_us", "launch of a kernel: its time without its loop", "shuffle<8, 8>", "SHFL", 64
    )
    yield replace(launch, formula=Formula.INTERCEPT, unit=FigureUnit.MICROSECONDS, others=LAUNCHED, openings=2)
    yield Probe(
        name="launch_interval_us",
        text="launch of an empty kernel after another",
        kernel="empty",
        opcodes=(),
        count=0,
        work=1,
        formula=Formula.PER_LAUNCH,
        unit=FigureUnit.MICROSECONDS,
        block=SMALL,
    )


RATES: tuple[Probe, ...] = (
    *_shuffles(),
    *_shared_memory(),
    *_collectives(),
    *_barriers(),
    *_atomics(),
    *_arithmetic(),
    *_latencies(),
    *_memory(),
    *_launches(),
)
