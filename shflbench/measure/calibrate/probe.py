"""A probe of `calibrate`: a figure, its kernel and launch, and how its value follows from the times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.model import WARP

if TYPE_CHECKING:
    from shflbench.core.arch.tables import Architecture

FULL = 1024  # threads of a block: 32 warps, which an SM of each architecture holds


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
    single: bool = False  # one block or cluster on the whole GPU
    argument: int | None = None  # the last one of the kernel: a stride or a number of values
    place: Place = Place.SMALL
    documented: str = ""  # the figure of the architecture
    share: float = 1.0  # of that figure, which is expected
    fewest_arch: int = 70  # the first compute capability that has the instruction
    others: tuple[str, ...] = ()  # kernels with the same count and work, which are timed beside it
    openings: int = 1  # of each kernel, with code and buffers at other addresses
    source: str = "kernels.cu"  # the file of the kernel
    cluster: int = 1  # blocks

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


def rate_probe(name: str, text: str, kernel: str, opcode: str, count: int) -> Probe:
    """Return the probe of the requests per clock of one instruction, which has different names joined by `|`."""
    return Probe(name=name, text=text, kernel=kernel, opcodes=tuple(opcode.split("|")), count=count, work=count)


def clocks_probe(name: str, text: str, kernel: str, opcode: str, count: int) -> Probe:
    """Return the probe of the clocks that an instruction takes in one warp per SM."""
    probe = rate_probe(name, text, kernel, opcode, count)
    return replace(probe, formula=Formula.CLOCKS_PER_WORK, unit=FigureUnit.CLOCKS, block=WARP)
