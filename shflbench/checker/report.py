"""The report on a kernel, and on the kernels of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.finding_words import ACCESSES, Wait, finding_sentence
from shflbench.checker.inputs.argument_options import HOST_ARGS
from shflbench.checker.inputs.elements import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.checker.runs.evidence import Expectation
    from shflbench.checker.verdict import KernelVerdict, Level
    from shflbench.cuda_sources.kernel_file import SourceNote
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.races.hazards import Absence, HazardKind

MOST_NAMES = 12  # of a list in a sentence
EXHAUSTIVE = "threads communicate by barriers and commuting atomics only: with these contents, all schedules agree"


def join_first(texts: Sequence[str]) -> str:
    """Return a list in words, of which the first twelve are named: `a, b, c and 5 more`."""
    more = f" and {len(texts) - MOST_NAMES:,} more" if len(texts) > MOST_NAMES else ""
    return f"{', '.join(texts[:MOST_NAMES])}{more}"


@dataclass(frozen=True, slots=True)
class Finding:
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
    across_blocks: bool = False  # the two threads belong to different blocks
    verb: str = ACCESSES  # what the instruction does to memory
    after: SourceLine | None = None  # of a memory fault without which it may not happen
    missing: str = ""  # between launches that overlap: why nothing orders the two accesses, and the usual fix
    absence: Absence | None = None  # why the second thread gives no value to the first one
    waits_at: str = ""  # what the first thread waits at in a deadlock: a shuffle, a barrier, …
    elsewhere: SourceLine | None = None  # where the second thread waits, for which the first one waits
    waits_elsewhere_at: str = ""
    full_mask: bool = False  # that the first thread passes in a deadlock

    @property
    def memory(self) -> str:
        """The memory that it concerns, without the bytes: "`s` in shared memory"."""
        return self.detail.partition(" of ")[2] or self.space

    def sentence(self, base: Path, *, kinds: Sequence[HazardKind] = (), launches: Sequence[str] = ()) -> str:
        """Return the finding as a sentence without a period; files relative to the folder `base`.

        `kinds` and `launches` are those of a group for which the finding stands, else its own.
        """
        places = (self.place, self.other)
        text = finding_sentence(
            kinds or (self.kind,),
            places,
            self.threads,
            base,
            across_blocks=self.across_blocks,
            verb=self.verb,
            is_open=bool(self.causes),
            missing=self.missing,
            space=self.space,
            absence=self.absence,
            wait=Wait(self.waits_at, self.elsewhere, self.waits_elsewhere_at, full_mask=self.full_mask),
        )
        removed = "; the compiler removed this code" if self.removed else ""
        facts = [*([self.detail] if self.detail else []), *_launches(launches or self.launches)]
        if self.after is not None:
            facts.append(f"after the fault at {self.after.shown(base)}")
        return f"{text}{removed} ({'; '.join(facts)})" if facts else f"{text}{removed}"


def _launches(shapes: Sequence[str]) -> Iterator[str]:
    """Yield the first launch, and how many more there are."""
    if shapes:
        more = f" and {len(shapes) - 1} more" if len(shapes) > 1 else ""
        yield f"launch {shapes[0]}{more}"


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
    cluster: str = ""  # blocks of a cluster, as `--cluster` takes them; "" without clusters
    derived_numbers: tuple[str, ...] = ()  # from which the host code computes arguments: `argv[1] = 1024`
    program: str = ""  # `HostLaunch.sizes` of the launch of the host code that it is, or that it has fewer blocks than
    exhaustive: bool = False  # no other order of threads has other findings or results, with these contents

    @property
    def in_clusters(self) -> str:
        """The shape, and the blocks of a cluster if there are clusters: `8x64 in clusters of 2`."""
        return f"{self.shape} in clusters of {self.cluster}" if self.cluster else self.shape

    def listed(self, origin: str) -> str:
        """Return the arguments of one origin: `in = f32[256], n = 256`."""
        return join_first([text for text, where in self.arguments if where == origin])


@dataclass(frozen=True, slots=True)
class KernelReport:
    """The result of checking one kernel, of a file or of a pattern."""

    name: str
    symbol: str
    place: SourceLine
    verdict: KernelVerdict
    sentence: str
    findings: tuple[Finding, ...] = ()
    launches: tuple[LaunchRecord, ...] = ()
    causes: tuple[str, ...] = ()  # for `needs arguments`: parameters, `--launch`, `--shared`
    difference: str = ""  # between the results of two schedules
    unreached: tuple[tuple[int, int], ...] = ()  # ranges of lines of the kernel that no launch reached
    partly_unreached: tuple[tuple[int, int], ...] = ()  # ranges of lines of which a part ran
    untested: tuple[str, ...] = ()  # buffers whose bounds no launch tested, by parameter
    expectation: Expectation | None = None  # of a pattern's kernel, with what comparing its results showed
    printed: tuple[str, ...] = ()  # by device-side printf, one launch after the other
    errors: tuple[str, ...] = ()  # what kept a launch from ending, or the kernel from running
    # Buffers after the first launch in lockstep, by parameter; empty where the options do not ask for them.
    outputs: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    spellings: tuple[str, ...] = ()  # of the instance, as `SourceKernel.spellings`

    @property
    def choice(self) -> str:
        """The text by which `--kernel` chooses it alone: overloads share a name, and instances are made by theirs."""
        return self.name if "<" in self.name else self.symbol

    @property
    def is_open_for_other_words(self) -> bool:
        """Whether only launches with a derived command line are undecided, and not those of the program without one."""
        named = {shape for item in self.findings if item.causes for shape in item.launches}
        plain = {item.shape for item in self.launches if item.program and not item.derived_numbers}
        return self.causes == (HOST_ARGS,) and bool(plain - named)

    @property
    def sizes_to_give(self) -> tuple[str, ...]:
        """An option for the size of each buffer whose bounds were not tested: `--arg in=f32[COUNT]`."""
        texts = dict(text.split(" = ", 1) for text, _ in self.launches[0].arguments if " = " in text)
        elements = {name: texts.get(name, "").partition("[")[0] for name in self.untested}
        return tuple(f"--arg {name}={one if one in ELEMENTS else 'u8'}[COUNT]" for name, one in elements.items())


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of checking one file."""

    path: Path
    arch: str
    compiler: str  # `nvcc 13.0` or `NVRTC 13.5`; "" for a PTX file
    kernels: tuple[KernelReport, ...]
    notes: tuple[SourceNote, ...] = field(default=())
