"""The probes of `calibrate`: for each figure its kernel, its launch, and how its value follows from the times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.model import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.arch.tables import Architecture

FULL = 1024  # threads of a block: 32 warps, which an SM of each architecture holds
SMALL = 256  # threads of a block: several fill an SM of each architecture
REQUEST_BYTES = 16 * WARP  # of the widest load
REDUX_ARCH = 80  # the first with REDUX
# Buffers to which a kernel adds. On an H200, processes with one buffer each differed by 4%.
BUFFERS = 8
LAUNCHED = ("shuffle<4, 16>", "shuffle<2, 32>", "shuffle<1, 64>")  # beside shuffle<8, 8>: loops of other code


class FigureUnit(StrEnum):
    """The unit of a figure."""

    RATE = "requests per clock per SM"
    CLOCKS = "clocks"
    BYTES_PER_CLOCK = "bytes per clock per SM"
    BYTES_PER_S = "bytes per s"
    MICROSECONDS = "µs"


class Formula(StrEnum):
    """How the value of a figure follows from the times of two numbers of passes through the loop."""

    WORK_PER_CLOCK = "work per clock"
    CLOCKS_PER_WORK = "clocks per work"
    WORK_PER_SECOND = "work per second"
    INTERCEPT = "time of no passes"
    PER_LAUNCH = "time per launch"  # from two numbers of launches instead


class Place(StrEnum):
    """The memory that a kernel reads."""

    SMALL = "a few KiB"
    L2 = "a part of the L2 cache"
    DRAM = "more than the L2 cache, which is emptied before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One figure: the kernel that measures it and its launch."""

    name: str
    text: str  # for people
    kernel: str  # in C++
    opcodes: tuple[str, ...]  # of the instruction that is measured, with its names in other architectures
    count: int  # of it in the machine code, per warp and pass
    work: float  # per warp and pass: requests or bytes; for a barrier, of the block
    formula: Formula = Formula.WORK_PER_CLOCK
    unit: FigureUnit = FigureUnit.RATE
    block: int = FULL  # threads
    blocks: int | None = 1  # per SM; None: as many as are resident
    single: bool = False  # one block on the whole GPU
    argument: int | None = None  # the last one of the kernel: a stride or a number of values
    place: Place = Place.SMALL
    documented: str = ""  # the figure of the architecture
    share: float = 1.0  # of that figure, which is expected
    fewest_arch: int = 70  # the first compute capability that has the instruction
    others: tuple[str, ...] = ()  # kernels with the same count and work, which are timed beside it
    openings: int = 1  # of each kernel, with code and buffers at other addresses

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernel of each opening, in C++."""
        return (self.kernel, *self.others) * self.openings

    def documented_value(self, figures: Architecture | None) -> float | None:
        """Return what documents say; None where they say nothing, or where a measurement of shflbench is the source."""
        figure = getattr(figures, self.documented, None) if self.documented else None
        if figure is None or figure.source.startswith(("measured by", "derived from")):
            return None
        return float(figure.value * self.share)


def _probe(name: str, text: str, kernel: str, opcode: str, count: int) -> Probe:
    """Return the probe of the requests per clock of one instruction, which has different names joined by `|`."""
    return Probe(name=name, text=text, kernel=kernel, opcodes=tuple(opcode.split("|")), count=count, work=count)


def _shuffles() -> Iterator[Probe]:
    yield replace(_probe("shuffle", "shuffle, 32 bits", "shuffle<8, 8>", "SHFL", 64), documented="exchange")
    wide = _probe("shuffle64", "shuffle, 64 bits", "shuffle64<4, 8>", "SHFL", 64)
    yield replace(wide, work=32, documented="exchange", share=1 / 2)


def _shared_memory() -> Iterator[Probe]:
    for name, verb, opcode in (("lds", "load", "LDS"), ("sts", "store", "STS")):
        for words, repeat in ((1, 16), (2, 8), (4, 8)):
            bits = 32 * words
            text = f"shared memory, {verb} of {bits} bits per lane"
            probe = _probe(f"{name}{bits}", text, f"{name}{bits}<4, {repeat}>", opcode, 4 * repeat)
            stride = 1 if (name, words) == ("lds", 1) else None
            yield replace(probe, argument=stride, documented="shared_memory", share=1 / words)
    for ways in (2, 4, 8, 16, 32):
        text = f"shared memory, load of 32 bits, {ways}-way bank conflict"
        probe = _probe(f"lds32_conflict_{ways}", text, "lds32<4, 16>", "LDS", 64)
        yield replace(probe, argument=ways, documented="shared_memory", share=1 / ways)


def _collectives() -> Iterator[Probe]:
    yield replace(_probe("vote", "vote", "vote", "VOTE", 256), documented="vote")
    for name, text, template in (
        ("add", "sum", "ADD"),
        ("min", "minimum", "MIN"),
        ("umin", "unsigned minimum", "UNSIGNED_MIN"),
        ("xor", "exclusive or", "XOR"),
    ):
        probe = _probe(f"redux_{name}", f"redux, {text}", f"redux<{template}, 4, 8>", "REDUX|CREDUX", 32)
        yield replace(probe, documented="redux", fewest_arch=REDUX_ARCH)
    for distinct in (1, 2, 4, 8, 16, 32):
        text = f"match.any, {distinct} distinct value{'s' if distinct > 1 else ''}"
        yield replace(_probe(f"match_{distinct}", text, "match<2, 4>", "MATCH", 8), argument=distinct)


def _barriers() -> Iterator[Probe]:
    for warps in (1, 2, 4, 8, 16, 32):
        text = f"barrier, one block of {warps} warp{'s' if warps > 1 else ''} per SM"
        yield replace(_clocks(f"barrier_{warps}", text, "barrier<64>", "BAR", 64), block=WARP * warps)
    text = "barrier, two blocks of 32 warps per SM"
    yield replace(_clocks("barrier_2x32", text, "barrier<64>", "BAR", 64), block=FULL, blocks=2)
    yield _probe("syncwarp", "__syncwarp of a converged warp", "syncwarp<256>", "NOP|WARPSYNC", 256)


def _clocks(name: str, text: str, kernel: str, opcode: str, count: int) -> Probe:
    """Return the probe of the clocks that an instruction takes in one warp per SM."""
    probe = _probe(name, text, kernel, opcode, count)
    return replace(probe, formula=Formula.CLOCKS_PER_WORK, unit=FigureUnit.CLOCKS, block=WARP)


def _atomics() -> Iterator[Probe]:
    for place, opcode in (("shared", "ATOMS"), ("global", "RED|REDG")):
        for name, text, stride in (("same", "one address", 0), ("distinct", "an address per lane", 1)):
            title = f"atomic addition, {place} memory, {text}"
            probe = _probe(f"atomic_{place}_{name}", title, f"atomic_{place}<4, 4>", opcode, 16)
            spread = (place, name) == ("global", "distinct")
            yield replace(probe, argument=stride, openings=BUFFERS if spread else 1)
    text = "atomic addition, global memory, one lane per warp, one address"
    yield _probe("atomic_global_lane", text, "atomic_global_lane<4, 4>", "RED|REDG", 16)


def _arithmetic() -> Iterator[Probe]:
    for name, text, opcode, chains, repeat in (
        ("fp32", "multiply-add, 32 bits", "FFMA", 8, 64),
        ("fp64", "multiply-add, 64 bits", "DFMA", 4, 32),
        ("int32_add", "integer addition", "IADD3", 8, 32),
        ("int32_logic", "logic of 32 bits", "LOP3", 8, 32),
    ):
        probe = _probe(name, text, f"{name}<{chains}, {repeat}>", opcode, chains * repeat)
        yield replace(probe, documented=name)


def _latencies() -> Iterator[Probe]:
    shuffle = _clocks("shfl_latency", "latency of a shuffle", "shuffle<1, 64>", "SHFL", 64)
    yield replace(shuffle, documented="shfl_latency")
    load = _clocks("lds_latency", "latency of a load from shared memory", "lds32<1, 64>", "LDS", 64)
    yield replace(load, argument=1, documented="lds_latency")
    yield _clocks("loop_pass", "pass through a loop of one multiply-add", "loop_pass", "FFMA", 1)


def _memory() -> Iterator[Probe]:
    l1 = replace(
        _probe("l1_bytes_per_clock", "L1, read", "l1_read<8, 1>", "LDG", 8),
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
    launch = _probe("launch_overhead_us", "launch of a kernel: its time without its loop", "shuffle<8, 8>", "SHFL", 64)
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


PROBES: tuple[Probe, ...] = (
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


def select_supported(arch: str) -> tuple[Probe, ...]:
    """Return the probes whose instructions an architecture (`sm_90`) has."""
    number = int(arch.removeprefix("sm_").rstrip("af"))
    return tuple(probe for probe in PROBES if number >= probe.fewest_arch)
