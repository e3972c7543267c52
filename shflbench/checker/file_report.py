"""The report on the kernels of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.report import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.backends.emulator.races.hazards import HazardKind
    from shflbench.checker.source_files import SourceLine
    from shflbench.checker.sources.kernel_file import SourceNote
    from shflbench.checker.verdict import KernelVerdict, Level

MOST_NAMES = 12  # of a list in a sentence
NOWHERE = "a line that the compiler does not name"


def listed(texts: Sequence[str]) -> str:
    """Return a list in words, of which the first twelve are named: `a, b, c and 5 more`."""
    more = f" and {len(texts) - MOST_NAMES:,} more" if len(texts) > MOST_NAMES else ""
    return f"{', '.join(texts[:MOST_NAMES])}{more}"


@dataclass(frozen=True, slots=True)
class FileFinding:
    """One kind of hazard at one place: lines, threads, memory, and the launches in which it happened."""

    kind: HazardKind
    level: Level
    place: SourceLine | None
    other: SourceLine | None  # the earlier access of a race
    threads: tuple[str, ...]  # of the first occurrence: `thread 3 of block 0`, `thread (1, 2) of block (0, 0)`
    launches: tuple[str, ...]
    space: str = ""
    detail: str = ""  # the bytes: "bytes 0–3 of `s` in shared memory"
    history: tuple[str, ...] = ()  # what the two threads did before, one sentence each
    count: int = 1
    causes: tuple[str, ...] = ()  # options that decide whether it is a fault: parameters, `--launch`, `--shared`
    removed: bool = False  # a store takes part that the optimizer removed: the compiled program has no such fault

    def sentence(self, base: Path) -> str:
        """Return the finding as a sentence; files relative to the folder `base`."""
        place = self.place.shown(base) if self.place else NOWHERE
        other = self.other.shown(base) if self.other else NOWHERE
        removed = "; the compiler removed this store" if self.removed else ""
        return f"{WORDS[self.kind.name].format(place=place, other=other)}{removed}{self._where}"

    @property
    def _where(self) -> str:
        facts = [*([self.detail] if self.detail else []), *([" and ".join(self.threads)] if self.threads else [])]
        if self.launches:
            facts.append(f"at {', '.join(self.launches)}")
        return f" ({'; '.join(facts)})" if facts else ""


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch at which a kernel was checked, and its arguments."""

    shape: str
    threads: int  # of the grid
    origin: str  # of the shape: `given`, `from the host code` or `derived`
    arguments: tuple[tuple[str, str], ...]  # `n = 256` and its origin, in the order of the parameters
    shared_bytes: int
    seeds: tuple[int, ...]
    schedules: tuple[str, ...]
    note: str = ""

    def listed(self, origin: str) -> str:
        """Return the arguments of one origin: `in = f32[256], n = 256`."""
        return listed([text for text, where in self.arguments if where == origin])


@dataclass(frozen=True, slots=True)
class FileKernelReport:
    """The result of checking one kernel of a file."""

    name: str
    symbol: str
    place: SourceLine
    verdict: KernelVerdict
    sentence: str
    findings: tuple[FileFinding, ...] = ()
    launches: tuple[LaunchRecord, ...] = ()
    causes: tuple[str, ...] = ()  # for `needs arguments`: parameters, `--launch`, `--shared`
    difference: str = ""  # between the results of two schedules
    unreached: tuple[tuple[int, int], ...] = ()  # ranges of lines of the kernel that no launch reached
    printed: tuple[str, ...] = ()  # by device-side printf, one launch after the other
    errors: tuple[str, ...] = ()  # what kept a launch from ending, or the kernel from running
    # Buffers after the first launch in lockstep, by parameter; empty where the options do not ask for them.
    outputs: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of checking one file."""

    path: Path
    arch: str
    compiler: str  # `nvcc 13.0` or `NVRTC 13.5`; "" for a PTX file
    kernels: tuple[FileKernelReport, ...]
    notes: tuple[SourceNote, ...] = field(default=())
