"""The report on a kernel, and on the kernels of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.finding_groups import number_of_errors
from shflbench.checker.inputs.argument_options import HOST_ARGS
from shflbench.checker.inputs.elements import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.checker.finding import Finding
    from shflbench.checker.inputs.argument import NamedValue
    from shflbench.checker.runs.evidence import Expectation
    from shflbench.checker.verdict import KernelVerdict
    from shflbench.cuda_sources.kernel_file import SourceNote
    from shflbench.cuda_sources.origin import Origin
    from shflbench.cuda_sources.source_lines import SourceLine

MOST_NAMES = 12  # of a list in a sentence
EXHAUSTIVE = "threads communicate by barriers and commuting atomics only: with these contents, all schedules agree"


def join_first(texts: Sequence[str]) -> str:
    """Return a list in words, of which the first twelve are named: `a, b, c and 5 more`."""
    more = f" and {len(texts) - MOST_NAMES:,} more" if len(texts) > MOST_NAMES else ""
    return f"{', '.join(texts[:MOST_NAMES])}{more}"


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch at which a kernel was checked, and its arguments."""

    shape: str
    threads: int  # of the grid
    origin: str  # of the shape: `given`, `from the host code` or `chosen`
    arguments: tuple[NamedValue, ...]  # in the order of the parameters
    shared_bytes: int
    seeds: tuple[int, ...]
    schedules: tuple[str, ...]
    note: str = ""
    cluster: str = ""  # blocks of a cluster, as `--cluster` takes them; "" without clusters
    synthesized_numbers: tuple[str, ...] = ()  # from which the host code computes arguments: `argv[1] = 1024`
    program: str = ""  # `HostLaunch.sizes` of the launch of the host code that it is, or that it has fewer blocks than
    exhaustive: bool = False  # no other order of threads has other findings or results, with these contents

    @property
    def in_clusters(self) -> str:
        """The shape, and the blocks of a cluster if there are clusters: `8x64 in clusters of 2`."""
        return f"{self.shape} in clusters of {self.cluster}" if self.cluster else self.shape

    def listed(self, origin: Origin) -> str:
        """Return the arguments of one origin: `in = f32[256], n = 256`."""
        return join_first([str(value) for value in self.arguments if value.origin.text == origin.text])


@dataclass(frozen=True, slots=True)
class KernelReport:
    """The result of checking one kernel, of a file or of a pattern."""

    name: str
    symbol: str
    place: SourceLine
    verdict: KernelVerdict
    reason: str
    findings: tuple[Finding, ...] = ()
    launches: tuple[LaunchRecord, ...] = ()
    causes: tuple[str, ...] = ()  # for `needs arguments`: parameters, `--launch`, `--shared`
    difference: str = ""  # between the results of two schedules
    differs: bool = False  # the reason names the difference: nothing else shows that the kernel is broken
    unreached: tuple[tuple[int, int], ...] = ()  # ranges of lines of the kernel that no launch reached
    partly_unreached: tuple[tuple[int, int], ...] = ()  # ranges of lines of which a part ran
    untested: tuple[str, ...] = ()  # buffers whose bounds no launch tested, by parameter
    expectation: Expectation | None = None  # of a pattern's kernel, with what comparing its results showed
    printed: tuple[str, ...] = ()  # by device-side printf, one launch after the other
    errors: tuple[str, ...] = ()  # what kept a launch from ending, or the kernel from running
    # Buffers after the first launch in lockstep, by parameter; empty where the options do not ask for them.
    outputs: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    # Likewise after it under the schedules that end otherwise, each distinct outcome once.
    other_outputs: tuple[Mapping[str, NDArray[np.uint8]], ...] = ()
    spellings: tuple[str, ...] = ()  # of the instance, as `SourceKernel.spellings`

    @property
    def sentence(self) -> str:
        """The number of findings that break the kernel, if any do, and the reason of the verdict."""
        return f"{number_of_errors(self.findings)}{self.reason}"

    @property
    def headline(self) -> str:
        """The first line of the sentence: a compiler's message may have more."""
        return next(iter(self.sentence.splitlines()), "")

    @property
    def further_difference(self) -> str:
        """The difference where the sentence does not name it."""
        return "" if self.differs else self.difference

    @property
    def choice(self) -> str:
        """The text by which `--kernel` chooses it alone: overloads share a name, and instances are made by theirs."""
        return self.name if "<" in self.name else self.symbol

    @property
    def is_open_for_other_words(self) -> bool:
        """Whether only launches with a chosen command line are undecided, and not those of the program without one."""
        named = {shape for item in self.findings if item.causes for shape in item.launches}
        plain = {item.shape for item in self.launches if item.program and not item.synthesized_numbers}
        return self.causes == (HOST_ARGS,) and bool(plain - named)

    @property
    def sizes_to_give(self) -> tuple[str, ...]:
        """An option for the size of each buffer whose bounds were not tested: `--arg in=f32[COUNT]`."""
        texts = {item.name: item.value for item in self.launches[0].arguments}
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
